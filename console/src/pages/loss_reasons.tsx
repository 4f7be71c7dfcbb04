// Lost hashrate: by machines with problems, and not explained yet.
import { gap, wordFor, t } from "../i18n";
import { hashrate, text } from "../i18n/format";
import { hasLossAndSurplus, isNegligible, type Balance } from "./balance";

const TONES = ["var(--ink-2)", "var(--ink-3)", "var(--line-strong)"];

export function Why({ balance }: { balance: Balance }) {
  const { expected, now, unknown, lost, withProblem } = balance;
  const dark = unknown > 0 ? gap() + t("fleet.why.dark", { unknown: text(hashrate(unknown)) }) : "";
  if (now === null) return <p className="second">{t("fleet.why.nobody")}</p>;
  if (lost === null) return null; // no machine has a rating to fall short of
  if (isNegligible(balance)) return <p className="second">{(unknown > 0 ? t("fleet.why.known") : t("fleet.why.none")) + dark}</p>;
  const parts = [
    { cause: "problems", ths: withProblem },
    { cause: "unexplained", ths: Math.max(0, lost - withProblem) },
  ].filter(({ ths }) => ths > 0);
  return (
    <div className="stack">
      <p className="second">
        {t("fleet.why.split", { expected: text(hashrate(expected)), delivered: text(hashrate(now)) })}
        {gap()}
        {withProblem > 0
          ? `${t("fleet.why")}${t("colon")}${parts.map((part) => `${wordFor("loss", part.cause)} ${text(hashrate(part.ths))}`).join(" · ")}`
          : t("fleet.why.unknown", { lost: text(hashrate(lost)) })}
        {hasLossAndSurplus(balance) ? gap() + t("fleet.why.surplus", { surplus: text(hashrate(balance.surplus)) }) : null}
        {dark}
      </p>
      {parts.length > 1 ? (
        <div className="bar" aria-hidden="true">
          {parts.map((part, no) => (
            <span key={part.cause} style={{ width: `${(part.ths / lost) * 100}%`, background: TONES[no % TONES.length] }} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
