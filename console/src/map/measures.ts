// What a cell's colour means: each measure cuts its values into a few classes, each with a colour and a count. Pure.
import type { Cells, PastCells } from "../api/types";
import { t, type Key } from "../i18n";
import { number, percent } from "../i18n/format";

export const MEASURES = ["health", "temperature", "ratio", "efficiency", "risk", "age"] as const;
export type Measure = (typeof MEASURES)[number];
const OF_A_MOMENT = new Set<Measure>(["temperature", "ratio", "efficiency"]);

export const LEAST_RISK = 0.1; // below it a machine is fine
const NEAR_LIMIT_C = 10;

export type Class = { key: string; label: string; colour: string; hatched?: boolean; severity?: string };
export type Coloured = { classes: Class[]; of: Uint8Array; figure: (no: number) => string };
type Limit = { warn: number; crit: number };
/** Of the sensor that the hottest reading comes from, and of the other kind. */
export type BothLimits = Limit & { other: Limit };
/** The temperature limits of each machine, by its number; undefined until they have been read. */
export type Limits = Map<number, BothLimits> | undefined;
/** The chance to fail, by machine; null without a risk model. */
export type Risk = Map<number, number>;

/** The columns that the map is drawn from: current, or of a past moment in the same order.
 *
 * As the server sends them: an offline machine delivers 0 and has no readings; null is unknown.
 */
export type Columns = {
  hashrate: (number | null)[];
  expected: (number | null)[];
  efficiency: (number | null)[]; // as the server says it: watts and hashrate of the same time
  temperature: (number | null)[];
  other: (number | null)[]; // the other kind of sensor's temperature; of a past moment nobody keeps it
  power: (number | null)[];
  stopped: (no: number) => boolean; // on purpose
};

export function nowColumns(cells: Cells): Columns {
  const { hashrate_ths, expected_ths, efficiency_j_th, temp_max_c, temp_other_c, power_w } = cells.columns;
  const stopped = new Set(cells.columns.stopped);
  return {
    hashrate: hashrate_ths,
    expected: expected_ths,
    efficiency: efficiency_j_th,
    temperature: temp_max_c,
    other: temp_other_c,
    power: power_w,
    stopped: (no) => stopped.has(cells.columns.miner_no[no] ?? -1),
  };
}

export function momentColumns(cells: Cells, frame: PastCells): Columns {
  const at = new Map<number, number>();
  frame.columns.miner_no.forEach((no, row) => at.set(no, row));
  const rows = cells.columns.miner_no.map((no) => at.get(no) ?? -1);
  const column = (values: (number | null)[]) => rows.map((row) => (row < 0 ? null : (values[row] ?? null)));
  const stopped = new Set(frame.columns.stopped);
  return {
    hashrate: column(frame.columns.hashrate_ths),
    expected: column(frame.columns.expected_ths),
    efficiency: column(frame.columns.efficiency_j_th),
    temperature: column(frame.columns.temp_max_c),
    other: [],
    power: column(frame.columns.power_w),
    stopped: (no) => stopped.has(cells.columns.miner_no[no] ?? -1),
  };
}

/** A moment that has not been read, or was refused: nothing is known of anybody. */
export function noColumns(cells: Cells): Columns {
  const nothing = new Array<null>(cells.machines).fill(null);
  const readings = { hashrate: nothing, expected: nothing, efficiency: nothing, temperature: nothing, other: nothing, power: nothing };
  return { ...readings, stopped: () => false };
}

/** Of what the address asks for, the classes that this measure has: those of another one would fade the whole map. */
export function onlyOf(asked: string | undefined, { classes }: Coloured): Set<string> {
  const known = new Set(classes.map((cls) => cls.key));
  return new Set(asked?.split(",").filter((key) => known.has(key)));
}

/** Whether the legend's filter leaves a machine in the background. */
export function isDimmed({ classes, of }: Coloured, only: Set<string>, no: number): boolean {
  return only.size > 0 && !only.has(classes[of[no] ?? -1]?.key ?? "");
}

const LOUD = ["p3", "p2", "p1", "p0"];

/** How loud a class is: what is wrong lies above what is fine or unknown, and the worst above all. 0 is quiet. */
export function loudness({ colour }: Class): number {
  return LOUD.indexOf(colour) + 1;
}

export function measureFor(wanted: Measure, ofAMoment: boolean): Measure {
  return ofAMoment && !OF_A_MOMENT.has(wanted) ? "ratio" : wanted;
}

const FINE: Omit<Class, "label"> = { key: "fine", colour: "fine" };
const UNKNOWN: Omit<Class, "label"> = { key: "unknown", colour: "ink-3", hatched: true, severity: "unknown" };
const STOPPED: Omit<Class, "label"> = { key: "stopped", colour: "stopped", severity: "stopped" };
const DOWN: Omit<Class, "label"> = { key: "down", colour: "ink-2", severity: "down" };

export function colour(measure: Measure, cells: Cells, columns: Columns, limits: Limits, risk?: Risk | null): Coloured {
  const n = cells.machines;
  const { classes, pick, figure } = CUTS[measure](cells, columns, limits, risk);
  const of = new Uint8Array(n);
  for (let no = 0; no < n; no++) of[no] = pick(no);
  return { classes, of, figure };
}

/** How many of these machines each class has: of those that are on the map, which may be those of one zone. */
export function countsOf({ classes, of }: Coloured, shown: Iterable<number>): number[] {
  const counts = classes.map(() => 0);
  for (const no of shown) {
    const cls = of[no] ?? -1;
    if (cls in counts) counts[cls] = (counts[cls] ?? 0) + 1;
  }
  return counts;
}

type Cut = (cells: Cells, columns: Columns, limits: Limits, risk?: Risk | null) => Cutting;
type Cutting = { classes: Class[]; pick: (no: number) => number; figure: (no: number) => string };

const unknown = (): Class => ({ ...UNKNOWN, label: t("class.unknown") });
const stopped = (): Class => ({ ...STOPPED, label: t("class.stopped") });

/** Steps from good to bad; then, where the measure is of hashing, who was stopped; what has no value is unknown, the last class. */
function steps(
  name: Measure, // a key means one measure's class alone
  value: (no: number) => number | null,
  limits: number[],
  labels: string[],
  colours: string[],
  show: (value: number) => string,
  isStopped?: (no: number) => boolean,
): Cutting {
  const classes = labels.map((label, no) => ({ key: `${name}${no}`, label, colour: colours[no] ?? "fine" }));
  const others = isStopped ? [stopped(), unknown()] : [unknown()];
  return {
    classes: [...classes, ...others],
    pick: (no) => {
      if (isStopped?.(no)) return classes.length;
      const figure = value(no);
      if (figure === null) return classes.length + others.length - 1;
      let cls = 0;
      while (cls < limits.length && figure >= (limits[cls] ?? Infinity)) cls++;
      return cls;
    },
    figure: (no) => {
      const figure = value(no);
      return figure === null ? "" : show(figure);
    },
  };
}

/** Signs rather than words: the same in every language, and short enough for one line. */
function ranges(limits: number[], show: (value: number) => string, unit: string): string[] {
  const end = unit === "%" ? unit : ` ${unit}`;
  const middle = limits.slice(1).map((to, no) => `${show(limits[no] ?? 0)}–${show(to)}${end}`);
  return [`< ${show(limits[0] ?? 0)}${end}`, ...middle, `≥ ${show(limits.at(-1) ?? 0)}${end}`];
}

const CUTS: Record<Measure, Cut> = {
  health: (cells) => {
    const { words, index } = cells.named.condition;
    const order = ["P0", "P1", "P2", "P3"];
    const classes: Class[] = order.map((severity) => ({
      key: severity,
      label: `${severity} ${t(`sev.${severity}` as Key)}`,
      colour: severity.toLowerCase(),
      severity: severity,
    }));
    classes.push({ ...DOWN, label: t("class.down") }, stopped(), unknown(), { ...FINE, label: t("class.fine") });
    const place = new Map(classes.map(({ key }, cls) => [key, cls]));
    const otherwise = place.get(UNKNOWN.key) ?? 0;
    return {
      classes,
      pick: (no) => place.get(words[index[no] ?? -1] ?? "") ?? otherwise,
      figure: (no) => cells.columns.position[no] ?? "",
    };
  },
  temperature: (cells, columns, limits) => {
    const temperature = (no: number) => columns.temperature[no] ?? null;
    const nearness = (now: number | null | undefined, { warn, crit }: Limit) => {
      if (now === null || now === undefined) return -1;
      return now >= crit ? 3 : now >= warn ? 2 : now >= warn - NEAR_LIMIT_C ? 1 : 0;
    };
    // as problems are judged: by the sensor nearest to its own limit, so that a cool chip hides no hot board
    const level = (no: number) => {
      const limit = limits?.get(cells.columns.miner_no[no] ?? -1);
      if (!limit) return null;
      const nearest = Math.max(nearness(columns.temperature[no], limit), nearness(columns.other[no], limit.other));
      return nearest < 0 ? null : nearest;
    };
    const labels = (["class.cool", "class.near", "class.hot", "class.critical"] as const).map((key) => t(key, { n: NEAR_LIMIT_C }));
    const cut = steps("temperature", level, [1, 2, 3], labels, ["fine", "warm", "p1", "p0"], number);
    const figure = (no: number) => {
      const now = temperature(no);
      return now === null ? "" : `${number(now)}°`;
    };
    return { ...cut, figure };
  },
  ratio: (_, columns) => {
    const value = (no: number) => {
      const of = columns.expected[no];
      const now = columns.hashrate[no];
      return of && now !== null && now !== undefined ? 1 - now / of : null;
    };
    const cuts = [0.05, 0.15, 0.5];
    const labels = ranges(cuts.map((cut) => 100 - 100 * cut).reverse(), number, "%").reverse();
    return steps("ratio", value, cuts, labels, ["fine", "p3", "p2", "p1"], (cut) => number((1 - cut) * 100), columns.stopped);
  },
  efficiency: (_, columns) => {
    const value = (no: number) => columns.efficiency[no] || null; // 0: it does not hash
    const cuts = [25, 32, 40];
    const colours = ["fine", "warm", "p3", "p2"];
    return steps("efficiency", value, cuts, ranges(cuts, number, "J/TH"), colours, (cut) => number(cut), columns.stopped);
  },
  risk: (cells, _, __, risk) => {
    const value = (no: number) => {
      const state = cells.named.data_state;
      if (!risk) return null;
      const known = risk.get(cells.columns.miner_no[no] ?? -1);
      return known ?? (state.words[state.index[no] ?? -1] === "fresh" ? 0 : null);
    };
    const cuts = [LEAST_RISK, 0.3, 0.6];
    return steps("risk", value, cuts, ranges(cuts.map((cut) => 100 * cut), number, "%"), ["fine", "p3", "p2", "p1"], (cut) => percent(cut));
  },
  age: (cells) => {
    // by the state of the data, not its age alone: a machine reported offline has fresh data
    const { words, index } = cells.named.data_state;
    const order = ["fresh", "stale", "offline"];
    const value = (no: number) => {
      const state = order.indexOf(words[index[no] ?? -1] ?? "");
      return state < 0 ? null : state;
    };
    const labels = [t("class.fresh"), t("class.stale"), t("class.offline")];
    const cut = steps("age", value, [1, 2], labels, ["fine", "p3", "p2"], number);
    return { ...cut, figure: (no) => (value(no) === null ? "" : number(cells.columns.age_sec[no])) };
  },
};
