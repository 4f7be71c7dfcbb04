// Preview of the highlighted problem next to the list.
import { Link } from "@tanstack/react-router";
import { wordFor, t } from "../i18n";
import { ago, hashrate, moment, number, percent, text } from "../i18n/format";
import { ActionButtons, type ProblemActions } from "./actions";
import { Sev } from "../ui/severity";
import { useNow } from "../ui/time";
import { PeerStrip } from "./peer_strip";
import type { Row } from "./rows";
import { newest, facts, factText, levelName, metricOf, summaryOf } from "./evidence";

export function Preview({ row, acting, onClose }: { row: Row; acting: ProblemActions | null; onClose: () => void }) {
  const now = useNow();
  const evidence = newest(row);
  const peer = row.peer_metrics_json?.[metricOf(row)];
  return (
    <aside className="panel preview" aria-label={t("problems.preview")} tabIndex={0}>
      <header>
        <Sev of={row.severity} />
        <strong className="grow clip">{row.miner_id ?? wordFor("issue", row.issue_code)}</strong>
        <button type="button" className="button plain" onClick={onClose}>
          {t("act.close")}
        </button>
      </header>
      <div className="body stack">
        <p>
          <strong>{wordFor("issue", row.issue_code)}</strong>
        </p>
        <p>{summaryOf(row)}</p>
        <p className="quiet">
          {[row.model, row.firmware, row.site.name, row.zone].filter(Boolean).join(" · ")}
        </p>
        <p className="second">
          {wordFor("status", row.status)} · {t("problem.since", { time: moment(row.start_ts, now, row.site.timezone) })} ·{" "}
          {t("problem.seen", { ago: ago(row.last_seen_ts, now) })}
          {row.suppressed ? ` · ${t("event.suppressed")}` : ""}
        </p>
        {evidence ? (
          <ul className="stack">
            {facts(evidence).map((fact) => (
              <li key={fact.metric}>{factText(fact)}</li>
            ))}
          </ul>
        ) : null}
        {peer ? (
          <div className="row wrap">
            <PeerStrip peer={peer} metric={metricOf(row)} severity={row.severity} width={160} />
            <span className="second">{t("problem.peers", { n: number(peer.count), group: levelName(peer.level, row.model) })}</span>
          </div>
        ) : null}
        <p className="second">
          {row.loss_ths ? `${t("col.loss")}${t("colon")}${text(hashrate(row.loss_ths))} · ` : ""}
          {row.p_fail_24h !== null ? t("problem.pfail", { p: percent(row.p_fail_24h) }) : ""}
        </p>
        <div className="row wrap">
          <Link
            className="button"
            to="/sites/$site/problems/$problem"
            params={{ site: row.site.code, problem: row.id }}
          >
            {t("action.open")}
          </Link>
          {acting ? <ActionButtons acting={acting} /> : null}
        </div>
      </div>
    </aside>
  );
}
