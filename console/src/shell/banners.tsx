// Banners at the top: the server is away, figures are stale, or this is a demo.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useOldestStale } from "../api/staleness";
import { sitesQuery } from "../api/queries";
import { useConnection } from "../api/connection";
import { t } from "../i18n";
import { span } from "../i18n/format";
import { showToast } from "../ui/toast";
import { isOlderThan, useNow } from "../ui/time";

export function Banners() {
  const connection = useConnection();
  const now = useNow();
  const data = useQuery(sitesQuery).data;
  const oldest = useOldestStale();
  const before = useRef(connection.connected);
  useEffect(() => {
    if (connection.connected && !before.current) showToast(t("back.reached"));
    before.current = connection.connected;
  }, [connection.connected]);

  const rolledUp = (data?.sites ?? []).filter((site) => site.updated_at !== null);
  const isRollupLate = rolledUp.length > 0 && rolledUp.every((site) => isOlderThan(site.updated_at, site.offline_after_sec, now));
  const newest = Math.max(...rolledUp.map((site) => Date.parse(site.updated_at ?? "")));
  const demo = data?.sites.some((site) => site.code.startsWith("demo-"));
  return (
    <div className="strips" role="status">
      {connection.connected ? null : (
        <div className="strip bad">{t("banner.away", { span: span((now - connection.since) / 1000) })}</div>
      )}
      {connection.connected && isRollupLate ? (
        <div className="strip bad">{t("banner.rollup_late", { span: span((now - newest) / 1000) })}</div>
      ) : null}
      {connection.connected && oldest !== null ? (
        <div className="strip bad">{t("banner.old", { span: span((now - oldest) / 1000) })}</div>
      ) : null}
      {demo ? <div className="strip">{t("banner.demo")}</div> : null}
    </div>
  );
}
