// The strip at the top: only when the system itself has something to say.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useOldest } from "../api/old";
import { sitesQuery } from "../api/queries";
import { useReach } from "../api/reach";
import { t } from "../i18n";
import { span } from "../i18n/format";
import { say } from "../ui/toast";
import { useNow } from "../ui/when";

const OLD_SECONDS = 300;

export function Strips() {
  const reach = useReach();
  const now = useNow();
  const data = useQuery(sitesQuery).data;
  const oldest = useOldest();
  const before = useRef(reach.reached);
  useEffect(() => {
    if (reach.reached && !before.current) say(t("back.reached"));
    before.current = reach.reached;
  }, [reach.reached]);

  const updated = (data?.sites ?? []).map((site) => site.updated_at).filter((at) => at !== null);
  const newest = updated.length ? Math.max(...updated.map((at) => Date.parse(at))) : null;
  const age = newest === null ? null : (now - newest) / 1000;
  const demo = data?.sites.some((site) => site.code.startsWith("demo-"));
  return (
    <div className="strips" role="status">
      {reach.reached ? null : (
        <div className="strip bad">{t("strip.away", { span: span((now - reach.since) / 1000) })}</div>
      )}
      {reach.reached && age !== null && age > OLD_SECONDS ? (
        <div className="strip bad">{t("strip.stale", { span: span(age) })}</div>
      ) : null}
      {reach.reached && oldest !== null ? (
        <div className="strip bad">{t("strip.old", { span: span((now - oldest) / 1000) })}</div>
      ) : null}
      {demo ? <div className="strip">{t("strip.demo")}</div> : null}
    </div>
  );
}
