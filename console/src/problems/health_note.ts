// Which sites have no current problem counts, and why.
import type { SiteTotals } from "../api/types";
import { gap, t } from "../i18n";
import { ago } from "../i18n/format";
import type { SiteHealth } from "./health";

export function healthNote({ failed, unscanned, outdated }: SiteHealth, now: number): string | null {
  const list = (names: string[]) => ({ sites: names.join(t("evidence.comma")) });
  const names = (sites: SiteTotals[]) => list(sites.map(({ name }) => name));
  const ages = outdated.map(({ site, at }) => t("fleet.old.one", { site: site.name, ago: ago(at, now) }));
  const notes = [
    failed.length ? t("fleet.silent", names(failed)) : "",
    unscanned.length ? t("fleet.unscanned", names(unscanned)) : "",
    ages.length ? t("fleet.old", list(ages)) : "",
  ];
  return notes.filter(Boolean).join(gap()) || null;
}
