// Of which sites nothing is known, and why.
import type { SiteSums } from "../api/known";
import { gap, t } from "../i18n";
import { ago } from "../i18n/format";
import type { Healths } from "./health";

export function silentOf({ failed, unjudged, old }: Healths, now: number): string | null {
  const all = (names: string[]) => ({ sites: names.join(t("evidence.comma")) });
  const names = (sites: SiteSums[]) => all(sites.map((one) => one.name));
  const ages = old.map(({ site, at }) => t("fleet.old.one", { site: site.name, ago: ago(at, now) }));
  const said = [
    failed.length ? t("fleet.silent", names(failed)) : "",
    unjudged.length ? t("fleet.unjudged", names(unjudged)) : "",
    ages.length ? t("fleet.old", all(ages)) : "",
  ];
  return said.filter(Boolean).join(gap()) || null;
}
