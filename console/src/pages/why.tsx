// Where the hashrate went: what machines that are off lack, what problems cost, and what nobody explains yet.
import type { SiteSums } from "../api/known";
import { named, t } from "../i18n";
import { hashrate, text } from "../i18n/format";
import type { Summary } from "../problems/api";

const TONES = ["var(--ink-2)", "var(--ink-3)", "var(--line-strong)"];

export function Why({ sites, health }: { sites: SiteSums[]; health: Map<number, Summary> }) {
  const expected = sites.reduce((all, one) => all + (one.expected_ths ?? 0), 0);
  const now = sites.reduce((all, one) => all + (one.hashrate_ths ?? 0), 0);
  const lost = expected - now;
  const told = [...health.values()].reduce((all, one) => all + (one.loss?.ths ?? 0), 0);
  if (lost < expected * 0.0005) return <p className="second">{t("fleet.why.none")}</p>;
  const explained = Math.min(told, lost);
  const parts = [
    { cause: "problems", ths: explained },
    { cause: "unexplained", ths: lost - explained },
  ].filter((one) => one.ths > 0);
  return (
    <div className="stack">
      <p className="second">
        {t("fleet.why.split", { expected: text(hashrate(expected)), delivered: text(hashrate(now)) })}{" "}
        {explained > 0
          ? `${t("fleet.why")}${t("colon")}${parts.map((one) => `${named("loss", one.cause)} ${text(hashrate(one.ths))}`).join(" · ")}`
          : t("fleet.why.unknown", { lost: text(hashrate(lost)) })}
      </p>
      {parts.length > 1 ? (
        <div className="bar" aria-hidden="true">
          {parts.map((one, no) => (
            <span key={one.cause} style={{ width: `${(one.ths / lost) * 100}%`, background: TONES[no % TONES.length] }} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
