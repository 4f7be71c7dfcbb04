// Where each machine is drawn: zones below each other, racks beside each other, one cell a machine. Pure.
import type { Cells } from "../api/known";

export const PITCH = 10; // of a cell, with the gap to the next
export const CELL = 8.6;
const RACK_GAP = 12;
const RACK_LABEL = 12;
const ZONE_LABEL = 22;
const ZONE_GAP = 26;
const ASPECT = 1.9;

export type Rack = { name: string | null; zone: string | null; x: number; y: number; w: number; h: number; cells: Int32Array };
export type Zone = { name: string | null; x: number; y: number; w: number; h: number };
export type Layout = {
  x: Float32Array; // by cell; NaN for what is not drawn
  y: Float32Array;
  shown: Int32Array;
  racks: Rack[];
  zones: Zone[];
  width: number;
  height: number;
};

const natural = new Intl.Collator("en", { numeric: true });

export function layOut(cells: Cells, only: string | null): Layout {
  const { zone, rack } = cells.named;
  const n = cells.machines;
  const blocks = new Map<string, number[]>();
  for (let no = 0; no < n; no++) {
    const z = zone.index[no] ?? -1;
    if (only !== null && zone.words[z] !== only) continue;
    const key = `${z}:${rack.index[no] ?? -1}`;
    const block = blocks.get(key);
    if (block) block.push(no);
    else blocks.set(key, [no]);
  }
  const zones = new Map<number, { rack: number; cells: number[] }[]>();
  for (const [key, members] of blocks) {
    const [z = -1, r = -1] = key.split(":").map(Number);
    const list = zones.get(z) ?? [];
    list.push({ rack: r, cells: inOrder(members, cells) });
    zones.set(z, list);
  }
  return place(cells, zones);
}

function inOrder(members: number[], cells: Cells): number[] {
  const { position, miner_id } = cells.columns;
  const key = (no: number) => `${position[no] ?? ""}\u0000${miner_id[no] ?? ""}`;
  return members.sort((a, b) => natural.compare(key(a), key(b)));
}

type Block = { rack: number; cells: number[] };

function place(cells: Cells, found: Map<number, Block[]>): Layout {
  const { zone, rack } = cells.named;
  const total = [...found.values()].flat().reduce((all, one) => all + one.cells.length, 0);
  // wide enough that the whole site has about the form of a screen
  const about = Math.max(Math.sqrt(total * PITCH * PITCH * 2.4 * ASPECT), 24 * PITCH);
  const lines = [...found.values()].map((list) => widthOf(list, about)).filter((one) => one <= about * 1.35);
  const wanted = Math.max(about, ...lines);
  const made: Layout = {
    x: new Float32Array(cells.machines).fill(NaN),
    y: new Float32Array(cells.machines).fill(NaN),
    shown: new Int32Array(),
    racks: [],
    zones: [],
    width: 0,
    height: 0,
  };
  const shown: number[] = [];
  let left = 0;
  let top = 0;
  let tallest = 0;
  const ordered = [...found].sort(([a], [b]) => natural.compare(zone.words[a] ?? "\uffff", zone.words[b] ?? "\uffff"));
  for (const [z, list] of ordered) {
    list.sort((a, b) => natural.compare(rack.words[a.rack] ?? "\uffff", rack.words[b.rack] ?? "\uffff"));
    const wide = Math.min(widthOf(list, wanted), wanted);
    if (left > 0 && left + wide > wanted) {
      top += tallest + ZONE_GAP;
      left = 0;
      tallest = 0;
    }
    const name = zone.words[z] ?? null;
    const box = placeZone(made, shown, list, name, (no) => rack.words[no] ?? null, { left, top, wanted });
    made.zones.push({ name, x: left, y: top, ...box });
    made.width = Math.max(made.width, left + box.w);
    tallest = Math.max(tallest, box.h);
    made.height = top + tallest;
    left += box.w + ZONE_GAP;
  }
  return { ...made, shown: Int32Array.from(shown) };
}

/** Of a zone whose racks all stand in one line. */
function widthOf(list: Block[], wanted: number): number {
  const wide = list.map((one) => columnsOf(one.cells.length, one.rack < 0, wanted) * PITCH + RACK_GAP);
  return wide.reduce((all, one) => all + one, -RACK_GAP);
}

function placeZone(
  made: Layout,
  shown: number[],
  list: Block[],
  zone: string | null,
  nameOf: (rack: number) => string | null,
  at: { left: number; top: number; wanted: number },
): { w: number; h: number } {
  let x = 0;
  let y = ZONE_LABEL;
  let tallest = 0;
  let right = 0;
  for (const one of list) {
    const wide = columnsOf(one.cells.length, one.rack < 0, at.wanted);
    const w = wide * PITCH;
    const h = Math.ceil(one.cells.length / wide) * PITCH + RACK_LABEL;
    if (x > 0 && x + w > at.wanted + 1) {
      y += tallest + RACK_GAP;
      x = 0;
      tallest = 0;
    }
    one.cells.forEach((no, n) => {
      made.x[no] = at.left + x + (n % wide) * PITCH;
      made.y[no] = at.top + y + RACK_LABEL + Math.floor(n / wide) * PITCH;
      shown.push(no);
    });
    const cells = Int32Array.from(one.cells);
    made.racks.push({ name: nameOf(one.rack), zone, x: at.left + x, y: at.top + y, w, h, cells });
    x += w + RACK_GAP;
    right = Math.max(right, x - RACK_GAP);
    tallest = Math.max(tallest, h);
  }
  return { w: right, h: y + tallest };
}

/** A rack is drawn a few machines wide and higher than wide; what stands in no rack fills the line. */
function columnsOf(machines: number, loose: boolean, wanted: number): number {
  if (loose) return Math.max(1, Math.min(machines, Math.floor(wanted / PITCH)));
  return Math.max(1, Math.min(8, Math.ceil(Math.sqrt(machines / 2))));
}

/** The machine at a point of the map, or −1. Racks first: a site has fewer of them than machines. */
export function cellAt(layout: Layout, px: number, py: number): number {
  for (const rack of layout.racks) {
    if (px < rack.x || py < rack.y || px >= rack.x + rack.w || py >= rack.y + rack.h) continue;
    for (const no of rack.cells) {
      const x = layout.x[no] ?? NaN;
      const y = layout.y[no] ?? NaN;
      if (px >= x && px < x + PITCH && py >= y && py < y + PITCH) return no;
    }
  }
  return -1;
}

/** The rack whose name is at a point. */
export function labelAt(layout: Layout, px: number, py: number): Rack | null {
  const found = layout.racks.find(
    (rack) => px >= rack.x && px < rack.x + Math.max(rack.w, 30) && py >= rack.y - 2 && py < rack.y + RACK_LABEL,
  );
  return found ?? null;
}

export function cellsWithin(layout: Layout, box: { x0: number; y0: number; x1: number; y1: number }): number[] {
  const [left, right] = [Math.min(box.x0, box.x1), Math.max(box.x0, box.x1)];
  const [upper, lower] = [Math.min(box.y0, box.y1), Math.max(box.y0, box.y1)];
  const found: number[] = [];
  for (const no of layout.shown) {
    const x = layout.x[no] ?? NaN;
    const y = layout.y[no] ?? NaN;
    if (x + CELL >= left && x <= right && y + CELL >= upper && y <= lower) found.push(no);
  }
  return found;
}

/** The next machine in a direction, for the arrow keys: the nearest one within a cone. */
export function neighbour(layout: Layout, from: number, dx: number, dy: number): number {
  const x0 = layout.x[from];
  const y0 = layout.y[from];
  if (x0 === undefined || y0 === undefined || Number.isNaN(x0)) return layout.shown[0] ?? -1;
  let best = -1;
  let least = Infinity;
  for (const no of layout.shown) {
    const ax = (layout.x[no] ?? NaN) - x0;
    const ay = (layout.y[no] ?? NaN) - y0;
    const ahead = ax * dx + ay * dy;
    const aside = Math.abs(ax * dy) + Math.abs(ay * dx);
    if (ahead <= 0.5 || aside > ahead * 2) continue;
    const far = ahead + aside * 3;
    if (far < least) {
      least = far;
      best = no;
    }
  }
  return best < 0 ? from : best;
}
