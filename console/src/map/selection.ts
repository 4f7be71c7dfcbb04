// Which machines are selected: by their own numbers, because rows move whenever a machine comes or goes. Pure.
import type { Cells } from "../api/types";
import type { Layout } from "./layout";
import type { Columns } from "./measures";

export type How = "set" | "toggle" | "add";

export function select(before: Set<number>, chosen: number[], how: How): Set<number> {
  if (how === "set") return new Set(chosen);
  const next = new Set(before);
  for (const no of chosen) {
    if (how === "toggle" && next.has(no)) next.delete(no);
    else next.add(no);
  }
  return next;
}

/** The row of each machine as of this answer. */
export function rowsOf(cells: Cells): Map<number, number> {
  return new Map(cells.columns.miner_no.map((no, row) => [no, row]));
}

/** The rows of those selected that are on the map now; what is gone or belongs to another zone is not meant. */
export function shownOf(selected: Set<number>, rows: Map<number, number>, layout: Layout): Set<number> {
  const shown = new Set<number>();
  for (const no of selected) {
    const row = rows.get(no);
    if (row !== undefined && !Number.isNaN(layout.x[row] ?? NaN)) shown.add(row);
  }
  return shown;
}

export type Sums = { hashrate: number | null; power: number | null; unknown: number };

/** Over what is known at the time that is shown; machines without a figure are counted, not taken as 0. */
export function sumOf(columns: Columns, rows: Set<number>): Sums {
  const sums: Sums = { hashrate: null, power: null, unknown: 0 };
  for (const row of rows) {
    const ths = columns.hashrate[row] ?? null;
    const watts = columns.power[row] ?? null;
    if (ths !== null) sums.hashrate = (sums.hashrate ?? 0) + ths;
    if (watts !== null) sums.power = (sums.power ?? 0) + watts;
    if (ths === null || (watts === null && ths > 0)) sums.unknown++; // one that is offline delivers nothing: that is known
  }
  return sums;
}
