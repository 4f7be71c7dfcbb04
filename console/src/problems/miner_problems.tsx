// A machine's problems on its own page, and its suppression.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { SiteName } from "../api/types";
import { useMay } from "../api/session";
import { wordFor, t } from "../i18n";
import { Sev } from "../ui/severity";
import { When } from "../ui/time";
import { UnsuppressDialog, SuppressDialog } from "./dialogs";
import { healthQuery, minerProblemsQuery } from "./api";
import { RegistryPart } from "./registry_part";

export function MinerProblems({ site, miner }: { site: SiteName; miner: string }) {
  const problems = useQuery(minerProblemsQuery(site.site_id, miner, false));
  return (
    <section className="panel" aria-labelledby="problems">
      <header>
        <h2 id="problems">{t("miner.problems")}</h2>
      </header>
      <RegistryPart of={problems} rows={2}>
        {(problems) =>
          problems.length ? (
            <ul className="list">
              {problems.map((problem) => (
                <li key={problem.id}>
                  <Sev of={problem.severity} />
                  <Link className="grow" to="/sites/$site/problems/$problem" params={{ site: site.code, problem: problem.id }}>
                    {wordFor("issue", problem.issue_code)}
                  </Link>
                  <span className="chip">{wordFor("status", problem.status)}</span>
                  <span className="quiet">
                    <When at={problem.start_ts} zone={site.timezone} />
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

export function useSuppress(site: SiteName, miner: string): { button: ReactNode; dialog: ReactNode } {
  const may = useMay();
  const [open, setOpen] = useState<"suppress" | "lift" | null>(null);
  const now = useQuery(healthQuery(site.site_id, miner)).data?.suppressions ?? [];
  return {
    button: !may("suppress", site.site_id) ? null : now.length ? (
      <>
        <span className="chip" title={now.map((suppression) => suppression.reason).join("; ")}>
          {t("event.suppressed")}
        </span>
        <button type="button" className="button" onClick={() => setOpen("lift")}>
          {t("action.unsuppress")}
        </button>
      </>
    ) : (
      <button type="button" className="button" onClick={() => setOpen("suppress")}>
        {t("action.suppress")}
      </button>
    ),
    // shown without a permission check: it stays open when the session has ended
    dialog:
      open === "suppress" ? (
        <SuppressDialog site={site.site_id} miners={[miner]} zone={site.timezone} onClose={() => setOpen(null)} />
      ) : open === "lift" ? (
        <UnsuppressDialog site={site.site_id} miner={miner} onClose={() => setOpen(null)} />
      ) : null,
  };
}
