// The times that stand below a chart: round ones of the site's clock, whatever the browser's says. Pure.
const HOUR = 3_600_000;
const STEPS = [0.25, 0.5, 1, 2, 3, 4, 6, 12, 24, 48, 168, 336].map((hours) => hours * HOUR);

/** About as many as asked for and never more than one more, in equal steps of the zone's own clock. */
export function timesOf(start: number, end: number, zone: string, most: number): number[] {
  const step = STEPS.find((step) => step >= (end - start) / most) ?? Math.ceil((end - start) / most / HOUR) * HOUR;
  const times: number[] = [];
  // the clock's own time, as if it were UTC: there a step is the same all year
  for (let shown = Math.floor((start + ahead(start, zone)) / step) * step; ; shown += step) {
    const guess = shown - ahead(shown, zone);
    const at = shown - ahead(guess, zone);
    if (at > end) return times;
    if (at >= start && at !== times.at(-1)) times.push(at); // skip the hour that daylight saving time leaves out
  }
}

/** By how much the zone's clock is ahead of UTC then. */
function ahead(at: number, zone: string): number {
  const whole = Math.floor(at / 1000) * 1000;
  const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const dateParts = new Intl.DateTimeFormat("en-US", { ...parts, hourCycle: "h23", timeZone: zone }).formatToParts(whole);
  const of = (type: string) => Number(dateParts.find((part) => part.type === type)?.value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")) - whole;
}
