// The marked problem beside the list: enough to decide without leaving.
import { Link } from "@tanstack/react-router";
import { named, t } from "../i18n";
import { hashrate, number, percent, span, text } from "../i18n/format";
import { ActButtons, type Acting } from "./acting";
import { Sev } from "../ui/severity";
import { useNow, When } from "../ui/when";
import { PeerStrip } from "./peer_strip";
import type { Row } from "./rows";
import { newest } from "./types";
import { facts, inWords, metricOf, sentence } from "./words";

export function Preview({ row, acting, onClose }: { row: Row; acting: Acting; onClose: () => void }) {
  const now = useNow();
  const found = newest(row);
  const peer = row.peer_metrics_json?.[metricOf(row)];
  return (
    <aside className="panel preview" aria-label={t("problems.preview")} tabIndex={0}>
      <header>
        <Sev of={row.severity} />
        <strong className="grow clip">{row.miner_id ?? named("issue", row.issue_code)}</strong>
        <button type="button" className="button plain" onClick={onClose}>
          {t("act.close")}
        </button>
      </header>
      <div className="body stack">
        <p>
          <strong>{named("issue", row.issue_code)}</strong>
        </p>
        <p>{sentence(row)}</p>
        <p className="quiet">
          {[row.model, row.firmware, row.site.name, row.zone].filter(Boolean).join(" · ")}
        </p>
        <p className="second">
          {t("problem.open", { span: span((now - Date.parse(row.start_ts)) / 1000) })} · {named("status", row.status)}
          {row.suppressed ? ` · ${t("event.suppressed")}` : ""} · <When at={row.last_seen_ts} zone={row.site.timezone} />
        </p>
        {found ? (
          <ul className="stack">
            {facts(found).map((fact) => (
              <li key={fact.metric}>{inWords(fact)}</li>
            ))}
          </ul>
        ) : null}
        {peer ? (
          <div className="row wrap">
            <PeerStrip peer={peer} metric={metricOf(row)} width={160} />
            <span className="second">{t("problem.peers", { n: number(peer.count), group: peer.level ?? "" })}</span>
          </div>
        ) : null}
        <p className="second">
          {row.loss_ths ? `${t("col.loss")}: ${text(hashrate(row.loss_ths))} · ` : ""}
          {row.p_fail_24h !== null ? t("problem.pfail", { p: percent(row.p_fail_24h) }) : ""}
        </p>
        <div className="row wrap">
          <Link
            className="button"
            to="/sites/$site/problems/$problem"
            params={{ site: row.site.code, problem: row.id }}
          >
            {t("pact.open")}
          </Link>
          <ActButtons acting={acting} />
        </div>
      </div>
    </aside>
  );
}
