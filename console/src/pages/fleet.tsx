// Fleet: all sites, lost hashrate and its causes, and pending approvals.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { sitesQuery, trendQuery } from "../api/queries";
import type { FleetEfficiency, SiteSummary, SiteTotals, Trend } from "../api/types";
import { useMay } from "../api/session";
import type { Point } from "../charts/points";
import { Spark } from "../charts/spark";
import { t, useLanguage } from "../i18n";
import { hashrate, money, number, power, text } from "../i18n/format";
import { otherCounts, useHealth, type SiteHealth } from "../problems/health";
import { usePrices, type Prices } from "../problems/prices";
import { healthNote } from "../problems/health_note";
import { useKeys } from "../ui/keys";
import { useTitle } from "../ui/title";
import { Amount, Figure } from "../ui/quantity";
import { Counts } from "../ui/severity";
import { Empty, Part } from "../ui/states";
import { useNow, useStale, When } from "../ui/time";
import { balanceOf } from "./balance";
import { Against, Efficiency, Hashing, Lost } from "./figures";
import { IssueKinds, PendingApprovals, Worst } from "./fleet_parts";
import { Why } from "./loss_reasons";

export function Fleet() {
  const sites = useQuery(sitesQuery);
  useLanguage();
  useTitle(t("fleet.title"));
  const may = useMay();
  return (
    <main className="page" id="content">
      <Part of={sites} rows={8}>
        {({ sites: all, fleet }) =>
          all.length ? (
            <Sites sites={all} fleet={fleet} />
          ) : (
            <Empty title={t("fleet.empty")} hint={t(may("admin") ? "fleet.empty.hint" : "fleet.empty.scope")} />
          )
        }
      </Part>
    </main>
  );
}

function Sites({ sites, fleet }: { sites: SiteTotals[]; fleet: FleetEfficiency }) {
  const health = useHealth(sites);
  const prices = usePrices();
  const trend = useQuery(trendQuery(null)).data;
  return (
    <>
      <h1 className="hidden-label">{t("fleet.title")}</h1>
      <Summary sites={sites} fleet={fleet} health={health} prices={prices} />
      <section className="panel" aria-labelledby="sites-title">
        <header>
          <h2 id="sites-title">{t("fleet.sites")}</h2>
        </header>
        <div className="scroll">
          <Table sites={sites} health={health} prices={prices} trend={trend} />
        </div>
      </section>
      <div className="columns level">
        <IssueKinds health={health} />
        <Worst sites={sites} health={health} />
      </div>
      <PendingApprovals />
    </>
  );
}

const sum = (values: (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);

type Shown = { sites: SiteTotals[]; fleet: FleetEfficiency; health: SiteHealth; prices: Prices | null };

function Summary({ sites, fleet, health, prices }: Shown) {
  const balance = balanceOf(sites);
  const watts = sites.every((site) => site.power_w === null) ? null : sum(sites.map((site) => site.power_w));
  const counts: Record<string, number> = {};
  for (const summary of health.of.values()) {
    for (const [severity, n] of Object.entries(summary.by_severity)) counts[severity] = (counts[severity] ?? 0) + n;
  }
  const machines = sum(sites.map((site) => site.machines));
  return (
    <section className="panel" aria-label={t("fleet.title")}>
      <div className="body stack">
        <div className="figures">
          <Figure label={t("fleet.machines", { n: number(machines) })} hint={null}>
            {t("fleet.online", { n: number(sum(sites.map((site) => site.online))) })}
          </Figure>
          <Hashing of={balance} />
          <Figure label={t("col.power")}>
            <Amount of={power(watts)} />
          </Figure>
          <Efficiency of={fleet} />
          <Lost of={balance} prices={prices} />
          <Figure label={t("col.problems")} hint={healthNote(health, useNow())}>
            <Counts of={health.isComplete ? counts : undefined} others={otherCounts(sites)} />
          </Figure>
        </div>
        <Why balance={balance} />
      </div>
    </section>
  );
}

function Table({
  sites,
  health,
  prices,
  trend,
}: {
  sites: SiteTotals[];
  health: SiteHealth;
  prices: Prices | null;
  trend: Trend | undefined;
}) {
  const navigate = useNavigate();
  const [at, setAt] = useState(-1);
  useKeys({
    j: () => setAt(Math.min(at + 1, sites.length - 1)),
    k: () => setAt(Math.max(at - 1, 0)),
    Enter: () => {
      const site = sites[at];
      if (site) void navigate({ to: "/sites/$site", params: { site: site.code } });
    },
  });
  return (
    <table className="sites">
      <thead>
        <tr>
          <th scope="col">{t("col.site")}</th>
          <th scope="col" className="num">
            {t("col.hashrate")}
          </th>
          <th scope="col" className="num only-wide">
            {t("col.online")}
          </th>
          <th scope="col">{t("col.problems")}</th>
          <th scope="col" className="num only-wide">
            {t("col.efficiency")}
          </th>
          <th scope="col" className="num only-wide">
            {t("col.power")}
          </th>
          <th scope="col" className="num only-wide">
            {t("col.lost")}
          </th>
          <th scope="col" className="only-wide">
            {t("col.trend")}
          </th>
          <th scope="col" className="num only-wide">
            {t("col.age")}
          </th>
        </tr>
      </thead>
      <tbody>
        {sites.map((site, no) => (
          <Row
            key={site.site_id}
            site={site}
            isMarked={no === at}
            health={health.of.get(site.site_id)}
            prices={prices}
            trend={trend}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  site,
  health,
  prices,
  trend,
  isMarked,
}: {
  site: SiteTotals;
  health: SiteSummary | undefined;
  prices: Prices | null;
  trend: Trend | undefined;
  isMarked: boolean;
}) {
  const balance = balanceOf([site]);
  const { lost } = balance;
  const isStale = useStale(site);
  return (
    <tr className={[isMarked ? "marked" : "", isStale ? "stale" : ""].join(" ")}>
      <th scope="row">
        <Link to="/sites/$site" params={{ site: site.code }} title={site.name}>
          {site.name}
        </Link>
      </th>
      <td className="num">
        <Against of={balance} />
      </td>
      <td className="num only-wide">
        {number(site.online)}/{number(site.machines)}
      </td>
      <td>
        <Counts of={health?.by_severity} others={otherCounts([site])} />
      </td>
      <td className="num only-wide">
        <Amount of={{ value: number(site.efficiency_j_th, 1), unit: "J/TH" }} />
      </td>
      <td className="num only-wide">
        <Amount of={power(site.power_w)} />
      </td>
      <td className="num only-wide">
        {prices && lost !== null ? money((lost / 1000) * prices.perPhDay, prices.currency) : text(hashrate(lost))}
      </td>
      <td className="only-wide">
        {trend ? <Day of={trend} site={site} /> : null}
      </td>
      <td className="num only-wide second">
        <When at={site.newest_at} zone={site.timezone} />
      </td>
    </tr>
  );
}

function Day({ of, site }: { of: Trend; site: SiteTotals }) {
  const series = of.series.find((series) => series.site_id === site.site_id);
  const expected = site.expected_ths === null ? null : site.expected_ths + (site.stopped_ths ?? 0);
  const points = (series?.ts ?? []).map((at, no): Point => [Date.parse(at), series?.hashrate_ths[no] ?? null]);
  return <Spark points={points} start={Date.parse(of._meta.start)} end={Date.parse(of._meta.end)} expected={expected} />;
}
