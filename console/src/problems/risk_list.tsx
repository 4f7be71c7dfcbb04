// The machines of a site that are most at risk, worst first.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SiteName } from "../api/types";
import { wordFor, t } from "../i18n";
import { ago, percent } from "../i18n/format";
import { Sev } from "../ui/severity";
import { useNow } from "../ui/time";
import { summaryQuery } from "./api";
import { isScanCurrent } from "./health";
import { RegistryPart } from "./registry_part";

export function RiskList({ site }: { site: SiteName }) {
  const summary = useQuery(summaryQuery(site.site_id));
  const now = useNow();
  return (
    <RegistryPart of={summary} rows={3}>
      {(summary) => (
        <>
          {summary.top_risks.length ? (
            <ul className={isScanCurrent(summary, now) ? "list" : "list stale"}>
              {summary.top_risks.slice(0, 8).map((risk) => (
                <li key={`${risk.miner_id} ${risk.issue_code}`}>
                  <Sev of={risk.severity} />
                  {risk.miner_id ? (
                    <Link
                      className="grow clip"
                      to="/sites/$site/miners/$miner"
                      params={{ site: site.code, miner: risk.miner_id }}
                    >
                      {risk.miner_id}
                    </Link>
                  ) : (
                    <span className="grow" />
                  )}
                  <span className="second">{wordFor("issue", risk.issue_code)}</span>
                  {risk.p_fail_24h === null ? null : <span className="second">{percent(risk.p_fail_24h)}</span>}
                </li>
              ))}
            </ul>
          ) : (
            <p className="body quiet">{t(isScanCurrent(summary, now) ? "site.risks.none" : "site.risks.unscanned")}</p>
          )}
          <p className="body quiet slim">
            {summary.last_scan_ts ? t("site.scan", { ago: ago(summary.last_scan_ts, now) }) : null}
          </p>
        </>
      )}
    </RegistryPart>
  );
}
