// A machine's problems on its own page, and its suppression.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { SiteSums } from "../api/known";
import { useMay } from "../api/session";
import { named, t } from "../i18n";
import { Sev } from "../ui/severity";
import { When } from "../ui/when";
import { LiftDialog, SuppressDialog } from "./acts";
import { healthQuery, minerProblemsQuery } from "./api";
import { RegistryPart } from "./registry_part";

export function MinerProblems({ site, miner }: { site: SiteSums; miner: string }) {
  const found = useQuery(minerProblemsQuery(site.site_id, miner, false));
  return (
    <section className="panel" aria-labelledby="problems">
      <header>
        <h2 id="problems">{t("miner.problems")}</h2>
      </header>
      <RegistryPart of={found} rows={2}>
        {(problems) =>
          problems.length ? (
            <ul className="list">
              {problems.map((one) => (
                <li key={one.id}>
                  <Sev of={one.severity} />
                  <Link className="grow" to="/sites/$site/problems/$problem" params={{ site: site.code, problem: one.id }}>
                    {named("issue", one.issue_code)}
                  </Link>
                  <span className="chip">{named("status", one.status)}</span>
                  <span className="quiet">
                    <When at={one.start_ts} zone={site.timezone} />
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <p className="body quiet">{t("miner.problems.none")}</p>
          )
        }
      </RegistryPart>
    </section>
  );
}

export function useSuppress(site: SiteSums, miner: string): { button: ReactNode; dialog: ReactNode } {
  const may = useMay();
  const [open, setOpen] = useState<"suppress" | "lift" | null>(null);
  const now = useQuery(healthQuery(site.site_id, miner)).data?.suppressions ?? [];
  return {
    button: !may("suppress", site.site_id) ? null : now.length ? (
      <>
        <span className="chip" title={now.map((one) => one.reason).join("; ")}>
          {t("event.suppressed")}
        </span>
        <button type="button" className="button" onClick={() => setOpen("lift")}>
          {t("pact.unsuppress")}
        </button>
      </>
    ) : (
      <button type="button" className="button" onClick={() => setOpen("suppress")}>
        {t("pact.suppress")}
      </button>
    ),
    // not asked whether one may: it stays when the session has ended, until somebody signs in again
    dialog:
      open === "suppress" ? (
        <SuppressDialog site={site.site_id} miners={[miner]} zone={site.timezone} onClose={() => setOpen(null)} />
      ) : open === "lift" ? (
        <LiftDialog site={site.site_id} miner={miner} onClose={() => setOpen(null)} />
      ) : null,
  };
}
