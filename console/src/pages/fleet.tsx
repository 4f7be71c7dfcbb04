// Fleet: everything at once. Sites, what is lost and why, and what waits for a person.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { sitesQuery, trendQuery, waitingQuery } from "../api/queries";
import type { SiteSums, Trend } from "../api/known";
import { Spark } from "../charts/spark";
import { t } from "../i18n";
import { hashrate, money, number, percent, power, text } from "../i18n/format";
import type { Summary as Health } from "../problems/api";
import { useHealth } from "../problems/health";
import { usePrices, type Prices } from "../problems/prices";
import { useKeys } from "../ui/keys";
import { Amount, Figure } from "../ui/quantity";
import { Counts } from "../ui/severity";
import { Empty, Part } from "../ui/states";
import { When } from "../ui/when";
import { Kinds, Worst } from "./fleet_parts";
import { Why } from "./why";

export function Fleet() {
  const sites = useQuery(sitesQuery);
  return (
    <main className="page" id="content">
      <Part of={sites} rows={8}>
        {(found) =>
          found.sites.length ? (
            <Sites sites={found.sites} />
          ) : (
            <Empty title={t("fleet.empty")} hint={t("fleet.empty.hint")} />
          )
        }
      </Part>
    </main>
  );
}

function Sites({ sites }: { sites: SiteSums[] }) {
  const health = useHealth(sites);
  const prices = usePrices();
  const trend = useQuery(trendQuery(null)).data;
  return (
    <>
      <h1 className="hidden-label">{t("fleet.title")}</h1>
      <Summary sites={sites} health={health} prices={prices} />
      <section className="panel" aria-labelledby="sites-title">
        <header>
          <h2 id="sites-title">{t("fleet.sites")}</h2>
        </header>
        <div className="scroll">
          <Table sites={sites} health={health} prices={prices} trend={trend} />
        </div>
      </section>
      <div className="columns">
        <Kinds health={health} />
        <Worst sites={sites} />
      </div>
      <Waiting />
    </>
  );
}

const sum = (values: (number | null)[]) => values.reduce<number>((all, one) => all + (one ?? 0), 0);

function Summary({ sites, health, prices }: { sites: SiteSums[]; health: Map<number, Health>; prices: Prices | null }) {
  const now = sum(sites.map((one) => one.hashrate_ths));
  const expected = sum(sites.map((one) => one.expected_ths));
  const watts = sum(sites.map((one) => one.power_w));
  const lost = Math.max(0, expected - now);
  const known = sites.every((one) => one.power_unknown === 0) && now > 0;
  const counts: Record<string, number> = {};
  for (const one of health.values()) {
    for (const [severity, n] of Object.entries(one.by_severity)) counts[severity] = (counts[severity] ?? 0) + n;
  }
  const unknown = sum(sites.map((one) => one.unknown));
  const machines = sum(sites.map((one) => one.machines));
  return (
    <section className="panel" aria-label={t("fleet.title")}>
      <div className="body stack">
        <div className="figures">
          <Figure label={t("fleet.machines", { n: number(machines) })} hint={null}>
            {t("fleet.online", { n: number(sum(sites.map((one) => one.online))) })}
          </Figure>
          <Figure label={t("col.hashrate")} hint={percent(expected ? now / expected : null, 1)}>
            {hashrate(now).value} / <Amount of={hashrate(expected)} />
          </Figure>
          <Figure label={t("col.power")}>
            <Amount of={power(watts)} />
          </Figure>
          <Figure label={t("col.efficiency")}>
            <Amount of={{ value: number(known ? watts / now : null, 1), unit: "J/TH" }} />
          </Figure>
          <Figure label={t("fleet.lost")}>
            {lost < expected * 0.0005
              ? t("fleet.lost.nothing")
              : prices
              ? t("fleet.lost.day", { lost: text(hashrate(lost)), money: money((lost / 1000) * prices.perPhDay, prices.currency) })
              : text(hashrate(lost))}
          </Figure>
          <Figure label={t("col.problems")}>
            <Counts of={health.size ? counts : undefined} unknown={unknown} />
          </Figure>
        </div>
        <Why sites={sites} health={health} />
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
  sites: SiteSums[];
  health: Map<number, Health>;
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
            health={health.get(site.site_id)}
            prices={prices}
            series={trend?.series.find((one) => one.site_id === site.site_id)?.hashrate_ths}
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
  series,
  isMarked,
}: {
  site: SiteSums;
  health: Health | undefined;
  prices: Prices | null;
  series: (number | null)[] | undefined;
  isMarked: boolean;
}) {
  const lost = site.expected_ths === null ? null : Math.max(0, site.expected_ths - (site.hashrate_ths ?? 0));
  const now = hashrate(site.hashrate_ths);
  const expected = hashrate(site.expected_ths);
  return (
    <tr className={isMarked ? "marked" : undefined}>
      <th scope="row">
        <Link to="/sites/$site" params={{ site: site.code }}>
          {site.name}
        </Link>
      </th>
      <td className="num">
        {now.unit === expected.unit ? now.value : text(now)} / <Amount of={expected} />
      </td>
      <td className="num only-wide">
        {number(site.online)}/{number(site.machines)}
      </td>
      <td>
        <Counts of={health?.by_severity} unknown={site.unknown} />
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
        <Spark values={series ?? []} expected={site.expected_ths} />
      </td>
      <td className="num only-wide second">
        <When at={site.newest_at} zone={site.timezone} />
      </td>
    </tr>
  );
}

function Waiting() {
  const waiting = useQuery(waitingQuery).data?.batches ?? [];
  const machines = sum(waiting.map((one) => (one as { machines?: number | null }).machines ?? 0));
  return (
    <p className="second">
      {t("fleet.waiting")}
      {t("colon")}
      {waiting.length
        ? t("fleet.approvals", { n: number(waiting.length), machines: number(machines) })
        : t("fleet.nothing.waits")}
    </p>
  );
}
