// Below the sites: what is wrong by kind, and the worst of it, each a step further in; and what waits for a person.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SiteSums } from "../api/known";
import { waitingQuery } from "../api/queries";
import { useMay } from "../api/session";
import { named, t } from "../i18n";
import { exact, moment, number } from "../i18n/format";
import { pageQuery } from "../problems/api";
import type { Healths } from "../problems/health";
import { filtersOf, nameless } from "../problems/rows";
import { silentOf } from "../problems/silent";
import { sentence } from "../problems/words";
import { Sev } from "../ui/severity";
import { Bones, Part } from "../ui/states";
import { useNow } from "../ui/when";

const SHOWN = 8;

export function Kinds({ health }: { health: Healths }) {
  const counts = new Map<string, number>();
  for (const one of health.of.values()) {
    for (const [code, n] of Object.entries(one.by_issue)) counts.set(code, (counts.get(code) ?? 0) + n);
  }
  const found = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  const most = found[0]?.[1] ?? 1;
  const silent = silentOf(health, useNow());
  return (
    <section className="panel" aria-labelledby="kinds">
      <header>
        <h2 id="kinds">{t("fleet.kinds")}</h2>
      </header>
      {found.length ? (
        <ul className="list">
          {found.map(([code, n]) => (
            <li key={code} className="kind">
              <Link className="clip" to="/problems" search={{ code }}>
                {named("issue", code)}
              </Link>
              <span className="bar thin" aria-hidden="true">
                <span className="part" style={{ width: `${(n / most) * 100}%` }} />
              </span>
              <span className="num">{number(n)}</span>
            </li>
          ))}
        </ul>
      ) : health.isWhole ? (
        <p className="body quiet">{t("problems.empty")}</p>
      ) : silent ? null : (
        <Bones rows={4} />
      )}
      {silent ? <p className="body quiet">{silent}</p> : null}
    </section>
  );
}

/** The first page of the list, so that it is there when somebody goes on to it. */
export function Worst({ sites, health }: { sites: SiteSums[]; health: Healths }) {
  const found = useQuery(pageQuery(filtersOf({}), 0));
  const now = useNow();
  return (
    <section className="panel" aria-labelledby="worst">
      <header>
        <h2 id="worst">{t("fleet.worst")}</h2>
        <span className="grow" />
        <Link to="/problems">{t("fleet.all")}</Link>
      </header>
      <Part of={found} rows={4}>
        {({ problems }) =>
          problems.length ? (
            <ul className="list">
              {problems.slice(0, SHOWN).map((one) => {
                const site = sites.find(({ site_id }) => site_id === one.site_id) ?? nameless(one.site_id);
                return (
                  <li key={one.id} className="oneline">
                    <Sev of={one.severity} />
                    <Link to="/sites/$site/problems/$problem" params={{ site: site.code, problem: one.id }}>
                      {one.miner_id ?? site.name}
                    </Link>
                    <span className="second grow clip" title={sentence(one)}>
                      {named("issue", one.issue_code)} · {sentence(one)}
                    </span>
                    <time className="quiet" dateTime={one.start_ts} title={exact(one.start_ts, site.timezone)}>
                      {moment(one.start_ts, now, site.timezone)}
                    </time>
                  </li>
                );
              })}
            </ul>
          ) : (
            <p className="body quiet">{health.isWhole ? t("problems.empty") : silentOf(health, now)}</p>
          )
        }
      </Part>
    </section>
  );
}

/** For those who approve, and for those whose commands wait for it. */
export function Waiting() {
  const may = useMay();
  const isAsked = may("approve");
  const isShown = isAsked || may("command");
  const waiting = useQuery({ ...waitingQuery, enabled: isShown });
  if (!isShown) return null;
  return (
    <Part of={waiting} rows={1}>
      {(found) => {
        const { batches, next_cursor: more } = found as typeof found & { next_cursor: string | null };
        const machines = batches.reduce((all, one) => all + ((one as { counts?: { machines?: number } }).counts?.machines ?? 0), 0);
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
