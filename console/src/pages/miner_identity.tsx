// What a machine is, and what was changed about it.
import { useQuery } from "@tanstack/react-query";
import type { LiveMiner, SiteSums } from "../api/known";
import { changesQuery, minerQuery } from "../api/queries";
import { named, t, type Key } from "../i18n";
import { Part } from "../ui/states";
import { When } from "../ui/when";

export function Identity({ site, miner, live }: { site: SiteSums; miner: string; live: LiveMiner | null }) {
  const found = useQuery(minerQuery(site.site_id, miner));
  return (
    <section className="panel" aria-labelledby="identity">
      <header>
        <h2 id="identity">{t("miner.identity")}</h2>
      </header>
      <div className="body">
        <Part of={found} rows={5}>
          {({ miner: one }) => (
            <dl className="facts">
              {rows([
                ["miner.model", one.model],
                ["miner.firmware", live?.hardware.firmware ?? one.firmware],
                ["miner.serial", one.serial],
                ["miner.mac", one.mac],
                ["miner.place", [one.zone, one.rack, one.position].filter(Boolean).join(" · ")],
                ["miner.cooling", named("cooling", one.cooling)],
                ["miner.owner", one.owner],
                ["miner.pool", live?.pool.url],
                ["miner.worker", live?.pool.worker],
                ["miner.says", live?.error_message],
              ])}
              <dt>{t("miner.since")}</dt>
              <dd>
                <When at={one.created_at} zone={site.timezone} />
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

export function Changes({ site, miner }: { site: SiteSums; miner: string }) {
  const changes = useQuery(changesQuery(site.site_id, miner));
  return (
    <section className="panel" aria-labelledby="changes">
      <header>
        <h2 id="changes">{t("miner.changes")}</h2>
      </header>
      <Part of={changes} rows={2}>
        {(found) =>
          found.changes.length ? (
            <ul className="list">
              {found.changes.map((one) => (
                <li key={one.id}>
                  <span className="grow">
                    {t("miner.change", { field: named("field", one.field), old: one.old ?? "—", new: one.new ?? "—" })}
                  </span>
                  <span className="quiet">
                    <When at={one.at} zone={site.timezone} />
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
