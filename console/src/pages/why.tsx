// Where the hashrate went: one bar whose parts add up to what is lost, each said in words.
import type { SiteSums } from "../api/known";
import { named, t } from "../i18n";
import { hashrate, text } from "../i18n/format";
import type { Health } from "../problems/health";

const TONES = ["var(--ink-2)", "var(--ink-3)", "var(--line-strong)", "var(--p3)", "var(--fine)"];

export function Why({ sites, health }: { sites: SiteSums[]; health: Map<number, Health> }) {
  const expected = sites.reduce((all, one) => all + (one.expected_ths ?? 0), 0);
  const now = sites.reduce((all, one) => all + (one.hashrate_ths ?? 0), 0);
  const parts = causes(health);
  const lost = parts.reduce((all, one) => all + one.ths, 0);
  if (expected - now < expected * 0.001 && !parts.length) return <p className="second">{t("fleet.why.none")}</p>;
  if (!parts.length) {
    return (
      <p className="second">
        {t("fleet.why.split", { expected: text(hashrate(expected)), delivered: text(hashrate(now)) })}
      </p>
    );
  }
  return (
    <div className="stack">
      <p className="second">
        {t("fleet.why")}:{" "}
        {parts.map((one) => `${named("loss", one.cause)} ${text(hashrate(one.ths))}`).join(" · ")}
      </p>
      <div className="bar" aria-hidden="true">
        {parts.map((one, no) => (
          <span key={one.cause} style={{ width: `${(one.ths / lost) * 100}%`, background: TONES[no % TONES.length] }} />
        ))}
      </div>
    </div>
  );
}

function causes(health: Map<number, Health>): { cause: string; ths: number }[] {
  const all = new Map<string, number>();
  for (const site of health.values()) {
    for (const [cause, ths] of Object.entries(site.loss_by_cause)) all.set(cause, (all.get(cause) ?? 0) + ths);
  }
  return [...all]
    .map(([cause, ths]) => ({ cause, ths }))
    .filter((one) => one.ths > 0)
    .sort((a, b) => b.ths - a.ths);
}
