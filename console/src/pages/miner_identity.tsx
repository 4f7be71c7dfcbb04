// Details of a machine, and its change log.
import { useQuery } from "@tanstack/react-query";
import type { LiveMachine, SiteTotals } from "../api/types";
import { changesQuery, minerQuery } from "../api/queries";
import { wordFor, t, type Key } from "../i18n";
import { Part } from "../ui/states";
import { When } from "../ui/time";

export function Identity({ site, miner, live }: { site: SiteTotals; miner: string; live: LiveMachine | null }) {
  const query = useQuery(minerQuery(site.site_id, miner));
  return (
    <section className="panel" aria-labelledby="identity">
      <header>
        <h2 id="identity">{t("miner.identity")}</h2>
      </header>
      <div className="body">
        <Part of={query} rows={5}>
          {({ miner: machine }) => (
            <dl className="facts">
              {rows([
                ["miner.model", machine.model],
                ["miner.firmware", live?.hardware.firmware ?? machine.firmware],
                ["miner.serial", machine.serial],
                ["miner.mac", machine.mac],
                ["miner.place", [machine.zone, machine.rack, machine.position].filter(Boolean).join(" · ")],
                ["miner.cooling", wordFor("cooling", machine.cooling)],
                ["miner.owner", machine.owner],
                ["miner.pool", live?.pool.url],
                ["miner.worker", live?.pool.worker],
                ["miner.says", live?.error_message],
              ])}
              <dt>{t("miner.since")}</dt>
              <dd>
                <When at={machine.created_at} zone={site.timezone} />
              </dd>
            </dl>
          )}
        </Part>
      </div>
    </section>
  );
}

function rows(given: [Key, string | null | undefined][]) {
  return given
    .filter(([, value]) => value)
    .map(([key, value]) => (
      <div key={key} className="contents">
        <dt>{t(key)}</dt>
        <dd>{value}</dd>
      </div>
    ));
}

export function Changes({ site, miner }: { site: SiteTotals; miner: string }) {
  const changes = useQuery(changesQuery(site.site_id, miner));
  return (
    <section className="panel" aria-labelledby="changes">
      <header>
        <h2 id="changes">{t("miner.changes")}</h2>
      </header>
      <Part of={changes} rows={2}>
        {(query) =>
          query.changes.length ? (
            <ul className="list">
              {query.changes.map((change) => (
                <li key={change.id}>
                  <span className="grow">
                    {t("miner.change", { field: wordFor("field", change.field), old: change.old ?? "—", new: change.new ?? "—" })}
                  </span>
                  <span className="quiet">
                    <When at={change.at} zone={site.timezone} />
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <p className="body quiet">{t("miner.changes.none")}</p>
          )
        }
      </Part>
    </section>
  );
}
