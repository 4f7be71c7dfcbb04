// Severity: a colour, a shape and a letter, always all three.
import { t, type Key } from "../i18n";
import { number, UNKNOWN } from "../i18n/format";

export const SEVERITIES = ["P0", "P1", "P2", "P3"] as const;
export type Severity = (typeof SEVERITIES)[number];

const SHAPES: Record<string, string> = {
  P0: "M5 0.5 9.8 9.5H0.2Z",
  P1: "M5 0 10 5 5 10 0 5Z",
  P2: "M5 0.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9Z",
  P3: "M5 0.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9Zm0 1.6a2.9 2.9 0 1 1 0 5.8a2.9 2.9 0 0 1 0-5.8Z",
  unknown: "M0 8 8 0H10L0 10ZM0 3 3 0H5L0 5ZM5 10 10 5V7L7 10Z",
  ok: "M2.5 2.5h5v5h-5Z",
  down: "M0 3.5h10v3H0Z",
  stopped: "M1.5 1h2.6v8H1.5ZM5.9 1h2.6v8H5.9Z",
};

export function Shape({ of }: { of: string }) {
  return (
    <svg className="shape" viewBox="0 0 10 10" aria-hidden="true">
      <path d={SHAPES[of] ?? SHAPES["unknown"]} fill="currentColor" />
    </svg>
  );
}

export function Sev({ of, word = false }: { of: string | null | undefined; word?: boolean }) {
  const known = of === "fine" ? "ok" : of && of in SHAPES ? of : "unknown";
  const text = t(`sev.${known}` as Key);
  return (
    <span className={`sev ${known}`} title={text}>
      <Shape of={known} />
      {known.startsWith("P") ? known : word ? text : <span className="hidden-label">{text}</span>}
      {word && known.startsWith("P") ? ` ${text}` : null}
    </span>
  );
}

const OTHERS = ["down", "stopped", "unknown"] as const;

/** ▲2 ◆14 ●41 ○23, and machines that have no problem and are not fine: ▬1 down ‖3 stopped ▨36 unknown. Only what there is. */
export function Counts({ of, others }: { of: Partial<Record<string, number>> | undefined; others?: Record<(typeof OTHERS)[number], number> }) {
  const shown = SEVERITIES.filter((severity) => (of?.[severity] ?? 0) > 0);
  const rest = OTHERS.filter((other) => (others?.[other] ?? 0) > 0);
  return (
    <span className="row counts">
      {shown.length ? null : <span className="quiet">{of ? t("sev.none") : UNKNOWN}</span>}
      {shown.map((severity) => (
        <span key={severity} className={`sev ${severity}`} title={`${severity} ${t(`sev.${severity}`)}`}>
          <Shape of={severity} />
          <span className="hidden-label">{severity}</span>
          {number(of?.[severity])}
        </span>
      ))}
      {rest.map((condition) => (
        <span key={condition} className={`sev ${condition}`}>
          <Shape of={condition} />
          {number(others?.[condition])} {t(`sev.${condition}`)}
        </span>
      ))}
    </span>
  );
}
