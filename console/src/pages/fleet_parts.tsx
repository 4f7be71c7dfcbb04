// Below the sites: problems by type, the worst problems, and pending approvals.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SiteTotals } from "../api/types";
import { approvalsQuery } from "../api/queries";
import { useMay } from "../api/session";
import { wordFor, t } from "../i18n";
import { exact, moment, number } from "../i18n/format";
import { pageQuery } from "../problems/api";
import type { SiteHealth } from "../problems/health";
import { filtersOf, siteWithoutName } from "../problems/rows";
import { healthNote } from "../problems/health_note";
import { summaryOf } from "../problems/evidence";
import { Sev } from "../ui/severity";
import { Skeleton, Part } from "../ui/states";
import { useNow } from "../ui/time";

const SHOWN = 8;

export function IssueKinds({ health }: { health: SiteHealth }) {
  const counts = new Map<string, number>();
  for (const summary of health.of.values()) {
    for (const [code, n] of Object.entries(summary.by_issue)) counts.set(code, (counts.get(code) ?? 0) + n);
  }
  const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  const most = largest[0]?.[1] ?? 1;
  const silent = healthNote(health, useNow());
  return (
    <section className="panel" aria-labelledby="kinds">
      <header>
        <h2 id="kinds">{t("fleet.kinds")}</h2>
      </header>
      {largest.length ? (
        <ul className="list">
          {largest.map(([code, n]) => (
            <li key={code} className="kind">
              <Link className="clip" to="/problems" search={{ code }}>
                {wordFor("issue", code)}
              </Link>
              <span className="bar thin" aria-hidden="true">
                <span className="part" style={{ width: `${(n / most) * 100}%` }} />
              </span>
              <span className="num">{number(n)}</span>
            </li>
          ))}
        </ul>
      ) : health.isComplete ? (
        <p className="body quiet">{t("problems.empty")}</p>
      ) : silent ? null : (
        <Skeleton rows={4} />
      )}
      {silent ? <p className="body quiet">{silent}</p> : null}
    </section>
  );
}

/** The first page of the list: it is loaded by the time the list is opened. */
export function Worst({ sites, health }: { sites: SiteTotals[]; health: SiteHealth }) {
  const problems = useQuery(pageQuery(filtersOf({}), 0));
  const now = useNow();
  return (
    <section className="panel" aria-labelledby="worst">
      <header>
        <h2 id="worst">{t("fleet.worst")}</h2>
        <span className="grow" />
        <Link to="/problems">{t("fleet.all")}</Link>
      </header>
      <Part of={problems} rows={4}>
        {({ problems }) =>
          problems.length ? (
            <ul className="list">
              {problems.slice(0, SHOWN).map((problem) => {
                const site = sites.find(({ site_id }) => site_id === problem.site_id) ?? siteWithoutName(problem.site_id);
                return (
                  <li key={problem.id} className="oneline">
                    <Sev of={problem.severity} />
                    <Link to="/sites/$site/problems/$problem" params={{ site: site.code, problem: problem.id }}>
                      {problem.miner_id ?? site.name}
                    </Link>
                    <span className="second grow clip" title={summaryOf(problem)}>
                      {wordFor("issue", problem.issue_code)} · {summaryOf(problem)}
                    </span>
                    <time className="quiet" dateTime={problem.start_ts} title={exact(problem.start_ts, site.timezone)}>
                      {moment(problem.start_ts, now, site.timezone)}
                    </time>
                  </li>
                );
              })}
            </ul>
          ) : (
            <p className="body quiet">{health.isComplete ? t("problems.empty") : healthNote(health, now)}</p>
          )
        }
      </Part>
    </section>
  );
}

/** For approvers, and for those whose commands wait for approval. */
export function PendingApprovals() {
  const may = useMay();
  const isAsked = may("approve");
  const isShown = isAsked || may("command");
  const waiting = useQuery({ ...approvalsQuery, enabled: isShown });
  if (!isShown) return null;
  return (
    <Part of={waiting} rows={1}>
      {({ batches, next_cursor: more }) => {
        const machines = batches.reduce((total, { counts }) => total + counts.machines, 0);
        const counts = { n: number(batches.length), machines: number(machines) };
        return (
          <p className="second">
            {batches.length
              ? `${t(isAsked ? "fleet.waiting" : "fleet.waiting.others")}${t("colon")}${t(more ? "fleet.approvals.more" : "fleet.approvals", counts)}`
              : t("fleet.nothing.waits")}
          </p>
        );
      }}
    </Part>
  );
}
