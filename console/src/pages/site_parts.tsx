// Beside the map: the site in a line, its last day, and what is most at risk.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SiteSums, Trend } from "../api/known";
import { trendQuery } from "../api/queries";
import { Chart } from "../charts/chart";
import { drawLines } from "../charts/lines";
import { t, useLanguage } from "../i18n";
import { number, power } from "../i18n/format";
import { unknownOf, useHealth } from "../problems/health";
import { usePrices } from "../problems/prices";
import { RiskList } from "../problems/risk_list";
import { silentOf } from "../problems/silent";
import { Amount, Figure } from "../ui/quantity";
import { Counts } from "../ui/severity";
import { Part } from "../ui/states";
import { useNow, useOld, When } from "../ui/when";
import { balanceOf } from "./balance";
import { Hashing, Lost } from "./figures";

export function SiteSummary({ site }: { site: SiteSums }) {
  const prices = usePrices();
  const healths = useHealth([site]);
  const health = healths.of.get(site.site_id);
  const balance = balanceOf([site]);
  const isOld = useOld(site.newest_at);
  return (
    <section className="pagehead">
      <div>
        <h1>{site.name}</h1>
        <span className="quiet">
          {site.code} · {site.timezone} · <When at={site.newest_at} zone={site.timezone} />
        </span>
      </div>
      <span className="grow" />
      <div className={isOld ? "figures stale" : "figures"}>
        <Figure label={t("fleet.machines", { n: number(site.machines) })}>{t("fleet.online", { n: number(site.online) })}</Figure>
        <Hashing of={balance} />
        <Figure label={t("col.power")}>
          <Amount of={power(balance.now === null ? null : site.power_w)} />
        </Figure>
        <Figure label={t("col.efficiency")}>
          <Amount of={{ value: number(site.efficiency_j_th, 1), unit: "J/TH" }} />
        </Figure>
        <Lost of={balance} prices={prices} />
        <Figure label={t("col.problems")} hint={silentOf(healths, useNow())}>
          <Counts of={health?.by_severity} unknown={unknownOf(site, health)} />
        </Figure>
      </div>
    </section>
  );
}

export function Trends({ site }: { site: SiteSums }) {
  const trend = useQuery(trendQuery(site.site_id));
  return (
    <section className="panel" aria-labelledby="trends">
      <header>
        <h2 id="trends">{t("site.trends")}</h2>
      </header>
      <div className="body stack">
        <Part of={trend} rows={4}>
          {(found) => <TrendCharts site={site} trend={found} />}
        </Part>
      </div>
    </section>
  );
}

function TrendCharts({ site, trend }: { site: SiteSums; trend: Trend }) {
  const series = trend.series[0];
  const language = useLanguage();
  const charts = useMemo(() => {
    if (!series) return [];
    const start = Date.parse(trend._meta.start);
    const end = Date.parse(trend._meta.end);
    const points = (values: (number | null)[], by: number) =>
      series.ts.map((at, no): [number, number | null] => [Date.parse(at), values[no] === null ? null : (values[no] ?? 0) / by]);
    const common = { start, end, zone: site.timezone, isNarrow: true };
    const isLarge = Math.max(...series.power_w.map((one) => one ?? 0)) >= 1e6;
    const expected = site.expected_ths ? { value: site.expected_ths / 1000, name: t("miner.expected") } : null;
    return [
      { key: "chart.hashrate", unit: "PH/s", digits: 2, points: points(series.hashrate_ths, 1000), expected },
      { key: "chart.temperature", unit: "°C", digits: 0, points: points(series.temp_max_c, 1), expected: null },
      isLarge
        ? { key: "chart.power", unit: "MW", digits: 2, points: points(series.power_w, 1e6), expected: null }
        : { key: "chart.power", unit: "kW", digits: 0, points: points(series.power_w, 1e3), expected: null },
    ].map((one) => ({ ...one, draw: drawLines({ ...common, ...one, name: one.unit }) }));
  }, [series, trend, site.timezone, site.expected_ths, language]);
  if (!series) return <p className="quiet">{t("miner.chart.empty")}</p>;
  return (
    <>
      {charts.map((one) => (
        <div key={one.key}>
          <div className="second">
            {t(one.key as "chart.hashrate")} <span className="unit">{one.unit}</span>
          </div>
          <Chart draw={one.draw} label={`${t(one.key as "chart.hashrate")}, ${t("site.trends")}`} height={120} />
        </div>
      ))}
    </>
  );
}

export function TopRisks({ site }: { site: SiteSums }) {
  return (
    <section className="panel" aria-labelledby="risks">
      <header>
        <h2 id="risks">{t("site.risks")}</h2>
      </header>
      <RiskList site={site} />
    </section>
  );
}
