// The slider over the last 24 hours, in steps of five minutes; its right end is now.
import { useEffect, useRef, useState } from "react";
import { t } from "../i18n";
import { ago, clock } from "../i18n/format";
import { useNow } from "../ui/when";

const STEP = 300_000;
const STEPS = 288;

export function Replay({
  at,
  zone,
  onAt,
}: {
  at: string | null;
  zone: string;
  onAt: (at: string | null) => void;
}) {
  const now = useNow();
  const newest = Math.floor(now / STEP) * STEP;
  const given = at === null ? STEPS : STEPS - Math.round((newest - Date.parse(at)) / STEP);
  const [value, setValue] = useState(Math.max(0, Math.min(STEPS, given)));
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (at === null) setValue(STEPS);
  }, [at]);
  const moment = newest - (STEPS - value) * STEP;
  const slide = (to: number) => {
    setValue(to);
    // one read when the hand rests, not one a step
    window.clearTimeout(timer.current);
    const chosen = newest - (STEPS - to) * STEP;
    timer.current = window.setTimeout(() => onAt(to >= STEPS ? null : new Date(chosen).toISOString()), 120);
  };
  const shown = value >= STEPS ? t("map.now") : t("map.then", { time: clock(moment, zone, true), ago: ago(moment, now) });
  return (
    <div className="replay">
      <input
        type="range"
        min={0}
        max={STEPS}
        value={value}
        aria-label={t("map.replay")}
        aria-valuetext={shown}
        onChange={(event) => slide(Number(event.target.value))}
      />
      <output>{shown}</output>
      {value < STEPS ? (
        <button type="button" className="button" onClick={() => slide(STEPS)}>
          {t("map.now")}
        </button>
      ) : null}
    </div>
  );
}
