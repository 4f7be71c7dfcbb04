// The machines of a site that are most at risk, worst first.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SiteSums } from "../api/known";
import { named, t } from "../i18n";
import { ago, percent } from "../i18n/format";
import { Sev } from "../ui/severity";
import { useNow } from "../ui/when";
import { summaryQuery } from "./api";
import { isJudged } from "./health";
import { RegistryPart } from "./registry_part";

export function RiskList({ site }: { site: SiteSums }) {
  const found = useQuery(summaryQuery(site.site_id));
  const now = useNow();
  return (
    <RegistryPart of={found} rows={3}>
      {(summary) => (
        <>
          {summary.top_risks.length ? (
            <ul className={isJudged(summary, now) ? "list" : "list stale"}>
              {summary.top_risks.slice(0, 8).map((one) => (
                <li key={`${one.miner_id} ${one.issue_code}`}>
                  <Sev of={one.severity} />
                  {one.miner_id ? (
                    <Link
                      className="grow clip"
                      to="/sites/$site/miners/$miner"
                      params={{ site: site.code, miner: one.miner_id }}
                    >
                      {one.miner_id}
                    </Link>
                  ) : (
                    <span className="grow" />
                  )}
                  <span className="second">{named("issue", one.issue_code)}</span>
                  {one.p_fail_24h === null ? null : <span className="second">{percent(one.p_fail_24h)}</span>}
                </li>
              ))}
            </ul>
          ) : (
            <p className="body quiet">{t(isJudged(summary, now) ? "site.risks.none" : "site.risks.unjudged")}</p>
          )}
          <p className="body quiet slim">
            {summary.last_scan_ts ? t("site.scan", { ago: ago(summary.last_scan_ts, now) }) : null}
          </p>
        </>
      )}
    </RegistryPart>
  );
}
