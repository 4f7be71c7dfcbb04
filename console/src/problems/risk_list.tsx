import type { SiteSums } from "../api/known";
import { t } from "../i18n";

export function RiskList({ site }: { site: SiteSums }) {
  void site;
  return <p className="body quiet">{t("site.risks.none")}</p>;
}
