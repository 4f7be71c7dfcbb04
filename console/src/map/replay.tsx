// The slider over the last 24 hours, in steps of five minutes; its right end is now.
import { useEffect, useRef, useState } from "react";
import { t } from "../i18n";
import { ago, clock } from "../i18n/format";
import { useNow } from "../ui/time";

const STEP = 300_000;
const STEPS = 288;
const REST_MS = 120; // one read when the hand rests, not one a step

/** The selected time: of the slider while it moves, otherwise of the address. */
export function useReplay(at: string | null, onAt: (at: string | null) => void) {
  const [held, setHeld] = useState<{ at: string | null } | null>(null);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => setHeld(null), [at]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const slide = (to: string | null) => {
    setHeld({ at: to });
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => (to === at ? setHeld(null) : onAt(to)), REST_MS);
  };
  return { moment: held ? held.at : at, isMoving: held !== null, slide };
}

/** Slider position of a time; only now is at its end. */
export function stepOf(at: string | null, now: number): number {
  if (at === null) return STEPS;
  const newest = Math.floor(now / STEP) * STEP;
  const back = Math.round((newest - Date.parse(at)) / STEP);
  return Math.max(0, Math.min(STEPS - 1, STEPS - back));
}

export function momentOf(step: number, now: number): string | null {
  if (step >= STEPS) return null;
  return new Date(Math.floor(now / STEP) * STEP - (STEPS - step) * STEP).toISOString();
}

type Props = { at: string | null; zone: string; onSlide: (at: string | null) => void };

export function Replay({ at, zone, onSlide }: Props) {
  const now = useNow();
  const shown = at === null ? t("map.now") : t("map.then", { time: clock(at, zone, true), ago: ago(at, now) });
  return (
    <div className="replay">
      <input
        type="range"
        min={0}
        max={STEPS}
        value={stepOf(at, now)}
        aria-label={t("map.replay")}
        aria-valuetext={shown}
        onChange={(event) => onSlide(momentOf(Number(event.target.value), now))}
      />
      <output>{shown}</output>
      {at !== null ? (
        <button type="button" className="button" onClick={() => onSlide(null)}>
          {t("map.now")}
        </button>
      ) : null}
    </div>
  );
}
