// Where the hashrate went: what machines that are off lack, what problems cost, and what nobody explains yet.
import { gap, named, t } from "../i18n";
import { hashrate, text } from "../i18n/format";
import type { Healths } from "../problems/health";
import { isNothing, type Balance } from "./balance";

const TONES = ["var(--ink-2)", "var(--ink-3)", "var(--line-strong)"];

export function Why({ balance, health }: { balance: Balance; health: Healths }) {
  const { expected, now, unknown, lost } = balance;
  const dark = unknown > 0 ? gap() + t("fleet.why.dark", { unknown: text(hashrate(unknown)) }) : "";
  if (lost === null) return <p className="second">{t("fleet.why.nobody")}</p>;
  if (isNothing(balance)) return <p className="second">{(unknown > 0 ? t("fleet.why.known") : t("fleet.why.none")) + dark}</p>;
  // without the answer of every site nobody knows what is explained
  const told = health.isWhole ? [...health.of.values()].reduce((all, one) => all + (one.loss?.ths ?? 0), 0) : 0;
  const explained = Math.min(told, lost);
  const parts = [
    { cause: "problems", ths: explained },
    { cause: "unexplained", ths: lost - explained },
  ].filter((one) => one.ths > 0);
  return (
    <div className="stack">
      <p className="second">
        {t("fleet.why.split", { expected: text(hashrate(expected)), delivered: text(hashrate(now)) })}
        {gap()}
        {explained > 0
          ? `${t("fleet.why")}${t("colon")}${parts.map((one) => `${named("loss", one.cause)} ${text(hashrate(one.ths))}`).join(" · ")}`
          : t("fleet.why.unknown", { lost: text(hashrate(lost)) })}
        {dark}
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
