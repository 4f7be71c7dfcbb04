import type { ReactNode } from "react";
import type { SiteSums } from "../api/known";
import { t } from "../i18n";

export function MinerProblems({ site, miner }: { site: SiteSums; miner: string }) {
  void site;
  void miner;
  return (
    <section className="panel" aria-labelledby="problems">
      <header>
        <h2 id="problems">{t("miner.problems")}</h2>
      </header>
      <p className="body quiet">{t("miner.problems.none")}</p>
    </section>
  );
}

export function useSuppress(site: SiteSums, miner: string): { button: ReactNode; dialog: ReactNode } {
  void site;
  void miner;
  return { button: null, dialog: null };
}
