// A number with its unit; a stale one fades, an unknown one is a dash.
import { UNKNOWN, type Quantity } from "../i18n/format";

export function Amount({ of, stale = false }: { of: Quantity; stale?: boolean }) {
  return (
    <span className={stale ? "stale" : undefined}>
      {of.value}
      {of.value === UNKNOWN ? null : <span className="unit">{of.unit}</span>}
    </span>
  );
}

export function Figure({ label, children, hint }: { label: string; children: React.ReactNode; hint?: React.ReactNode }) {
  return (
    <div className="figure">
      <span>{label}</span>
      <strong>{children}</strong>
      {hint ? <span className="quiet">{hint}</span> : null}
    </div>
  );
}
