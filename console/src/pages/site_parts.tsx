// Next to the map: totals, the last 24 hours, top risks.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteTotals, Trend } from "../api/types";
import { partQuery, trendQuery } from "../api/queries";
import { Chart } from "../charts/chart";
import { drawLines } from "../charts/lines";
import { t, useLanguage } from "../i18n";
import { clock, number, power, UNKNOWN } from "../i18n/format";
import { countsQuery } from "../problems/api";
import { otherCounts, useHealth } from "../problems/health";
import { usePrices, type Prices } from "../problems/prices";
import { RiskList } from "../problems/risk_list";
import { healthNote } from "../problems/health_note";
import { Amount, Figure } from "../ui/quantity";
import { Counts } from "../ui/severity";
import { Part } from "../ui/states";
import { useNow, useStale, When } from "../ui/time";
import { balanceOf } from "./balance";
import { Efficiency, Hashing, Lost } from "./figures";

type Which = { site: SiteTotals; zone: string | null; at: string | null };

/** Of what the map shows: the site, the zone that was chosen, now or at the slider's moment. */
export function SiteSummary({ site, zone, at }: Which) {
  const prices = usePrices();
  const isPart = zone !== null || at !== null;
  const part = useQuery(partQuery(site.site_id, zone, at)).data;
  const sums = isPart ? part : site;
  const isStale = useStale(at === null ? sums : null);
  return (
    <section className="pagehead">
      <div>
        <h1>{zone === null ? site.name : `${site.name} · ${zone}`}</h1>
        <span className="quiet">
          {site.code} · {site.timezone} ·{" "}
          {at === null ? <When at={sums?.newest_at} zone={site.timezone} /> : t("site.then", { time: clock(at, site.timezone, true) })}
        </span>
      </div>
      <span className="grow" />
      <div className={isStale ? "figures stale" : "figures"}>
        {sums ? <SumFigures sums={sums} prices={prices} /> : <Figure label={t("col.hashrate")}>{UNKNOWN}</Figure>}
        <ProblemCounts site={site} zone={zone} at={at} sums={sums ?? null} />
      </div>
    </section>
  );
}

function SumFigures({ sums, prices }: { sums: SiteTotals; prices: Prices | null }) {
  const balance = balanceOf([sums]);
  return (
    <>
      <Figure label={t("fleet.machines", { n: number(sums.machines) })}>{t("fleet.online", { n: number(sums.online) })}</Figure>
      <Hashing of={balance} />
      <Figure label={t("col.power")}>
        <Amount of={power(sums.power_w)} />
      </Figure>
      <Efficiency of={sums} />
      <Lost of={balance} prices={prices} />
    </>
  );
}

/** Problems that are open now; of a moment of the past nobody keeps them. */
function ProblemCounts({ site, zone, at, sums }: Which & { sums: SiteTotals | null }) {
  const healths = useHealth([site]);
  const now = useNow();
  const inZone = useQuery({ ...countsQuery({ site: site.code, zone: zone ?? undefined }), enabled: zone !== null && at === null });
  const others = sums ? otherCounts([sums]) : undefined;
  const judged = healths.of.get(site.site_id);
  const severities = inZone.data?.facets["severity"];
  const ofZone = severities && Object.fromEntries(severities.map(({ value, problems }) => [value, problems]));
  const of = at !== null || !judged ? undefined : zone === null ? judged.by_severity : ofZone;
  const hint = at === null ? healthNote(healths, now) : t("site.then.problems");
  return (
    <Figure label={t("col.problems")} hint={hint}>
      <Counts of={of} {...(others ? { others } : {})} />
    </Figure>
  );
}

export function Trends({ site }: { site: SiteTotals }) {
  const trend = useQuery(trendQuery(site.site_id));
  return (
    <section className="panel" aria-labelledby="trends">
      <header>
        <h2 id="trends">{t("site.trends")}</h2>
      </header>
      <div className="body stack">
        <Part of={trend} rows={4}>
          {(data) => <TrendCharts site={site} trend={data} />}
        </Part>
      </div>
    </section>
  );
}

function TrendCharts({ site, trend }: { site: SiteTotals; trend: Trend }) {
  const series = trend.series[0];
  const language = useLanguage();
  const charts = useMemo(() => {
    if (!series) return [];
    const start = Date.parse(trend._meta.start);
    const end = Date.parse(trend._meta.end);
    const points = (values: (number | null)[], by: number) =>
      series.ts.map((at, no): [number, number | null] => [Date.parse(at), values[no] === null ? null : (values[no] ?? 0) / by]);
    const common = { start, end, zone: site.timezone, isNarrow: true };
    const isLarge = Math.max(...series.power_w.map((watts) => watts ?? 0)) >= 1e6;
    // of a day in which those that are stopped now may have run
    const rated = (site.expected_ths ?? 0) + (site.stopped_ths ?? 0);
    const expected = rated ? { value: rated / 1000, name: t("miner.expected") } : null;
    return [
      { key: "chart.hashrate", unit: "PH/s", digits: 2, points: points(series.hashrate_ths, 1000), expected },
      { key: "chart.temperature", unit: "°C", digits: 0, points: points(series.temp_max_c, 1), expected: null },
      isLarge
        ? { key: "chart.power", unit: "MW", digits: 2, points: points(series.power_w, 1e6), expected: null }
        : { key: "chart.power", unit: "kW", digits: 0, points: points(series.power_w, 1e3), expected: null },
    ].map((chart) => ({ ...chart, draw: drawLines({ ...common, ...chart, name: chart.unit }) }));
  }, [series, trend, site.timezone, site.expected_ths, site.stopped_ths, language]);
  if (!series) return <p className="quiet">{t("miner.chart.empty")}</p>;
  return (
    <>
      {charts.map((chart) => (
        <div key={chart.key}>
          <div className="second">
            {t(chart.key as "chart.hashrate")} <span className="unit">{chart.unit}</span>
          </div>
          <Chart draw={chart.draw} label={`${t(chart.key as "chart.hashrate")}, ${t("site.trends")}`} height={120} />
        </div>
      ))}
    </>
  );
}

export function TopRisks({ site }: { site: SiteTotals }) {
  return (
    <section className="panel" aria-labelledby="risks">
      <header>
        <h2 id="risks">{t("site.risks")}</h2>
      </header>
      <RiskList site={site} />
    </section>
  );
}
