// The classes of a measure with their counts; choosing some dims the rest.
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Shape } from "../ui/severity";
import type { Coloured } from "./measures";

export function Legend({
  coloured,
  counts,
  only,
  onOnly,
}: {
  coloured: Coloured;
  counts: number[]; // of the machines on the map
  only: Set<string>;
  onOnly: (only: Set<string>) => void;
}) {
  const toggle = (key: string) => {
    const next = new Set(only);
    if (!next.delete(key)) next.add(key);
    onOnly(next);
  };
  return (
    <div className="legend" role="group" aria-label={t("map.legend")}>
      {coloured.classes.map((cls, no) => (
        <button
          key={cls.key}
          type="button"
          className="button"
          aria-pressed={only.has(cls.key)}
          onClick={() => toggle(cls.key)}
        >
          {cls.severity ? (
            <span className={`sev ${cls.severity}`}>
              <Shape of={cls.severity} />
            </span>
          ) : (
            <span className={`swatch ${cls.hatched ? "hatched" : ""}`} style={{ background: `var(--${cls.colour})` }} />
          )}
          {cls.label} <strong>{number(counts[no] ?? 0)}</strong>
        </button>
      ))}
    </div>
  );
}
