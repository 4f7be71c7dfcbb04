// Where each machine is drawn: zones below each other, racks beside each other, one cell a machine. Pure.
import type { Cells } from "../api/types";

export const PITCH = 10; // of a cell, with the gap to the next
export const CELL = 8.6;
// in pixels of the whole picture: names must be readable whatever a cell's size is
const RACK_NAME = 13;
const ZONE_NAME = 20;
const GAP_PX = { rack: 2, zone: 12 };
const NAMED_FROM = 4.5; // with smaller cells a rack has no room for its name
const FORMS = [2, 3, 1.4, 4.5, 1, 7, 0.6] as const; // how many times higher than wide; of equals the first
const LARGEST = 60;
const SMALLEST = 0.8;
const TRIES = 16;

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
  rackName: number; // what is kept free above a rack and above a zone for their names
  zoneName: number;
};
export type Room = { w: number; h: number };
const ROOM: Room = { w: 1200, h: 630 };

const natural = new Intl.Collator("en", { numeric: true });

/** In the room that there is, with cells as large as fit. */
export function layOut(cells: Cells, only: string | null, room: Room = ROOM): Layout {
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
  return largest(cells, zones, room);
}

/** The form of racks and the size of cells with which the site fills its room best. */
function largest(cells: Cells, zones: Map<number, Block[]>, room: Room): Layout {
  const ordered = inNames(cells, zones);
  let best: { pitch: number; form: number } = { pitch: SMALLEST, form: FORMS[0] };
  for (const form of FORMS) {
    let [low, high] = [best.pitch, LARGEST];
    if (!fits(ordered, sizesFor(low, form, room), low, room)) continue;
    for (let n = 0; n < TRIES; n++) {
      const pitch = Math.sqrt(low * high);
      if (fits(ordered, sizesFor(pitch, form, room), pitch, room)) low = pitch;
      else high = pitch;
    }
    if (low > best.pitch * 1.02) best = { pitch: low, form };
  }
  return place(cells, ordered, sizesFor(best.pitch, best.form, room));
}

function fits(ordered: Ordered, sizes: Sizes, pitch: number, room: Room): boolean {
  const { width, height } = measured(ordered, sizes);
  return (width * pitch) / PITCH <= room.w && (height * pitch) / PITCH <= room.h;
}

type Sizes = { wanted: number; form: number; rackGap: number; zoneGap: number; rackName: number; zoneName: number };

/** For cells of so many pixels. */
function sizesFor(pitch: number, form: number, room: Room): Sizes {
  const units = (pixels: number) => (pixels * PITCH) / pitch;
  return {
    wanted: units(room.w),
    form,
    rackGap: Math.max(units(GAP_PX.rack), PITCH * 0.6),
    zoneGap: Math.max(units(GAP_PX.zone), PITCH * 1.4),
    rackName: pitch >= NAMED_FROM ? units(RACK_NAME) : 0,
    zoneName: units(ZONE_NAME),
  };
}

function inOrder(members: number[], cells: Cells): number[] {
  const { position, miner_id } = cells.columns;
  const key = (no: number) => `${position[no] ?? ""}\u0000${miner_id[no] ?? ""}`;
  return members.sort((a, b) => natural.compare(key(a), key(b)));
}

type Block = { rack: number; cells: number[] };
type Ordered = { zone: number; racks: Block[] }[];

function inNames(cells: Cells, found: Map<number, Block[]>): Ordered {
  const { zone, rack } = cells.named;
  const name = (words: string[], no: number) => words[no] ?? "\uffff";
  return [...found]
    .sort(([a], [b]) => natural.compare(name(zone.words, a), name(zone.words, b)))
    .map(([no, racks]) => ({
      zone: no,
      racks: racks.sort((a, b) => natural.compare(name(rack.words, a.rack), name(rack.words, b.rack))),
    }));
}

type Spot = { x: number; y: number; w: number; h: number };
type Measured = { width: number; height: number; zones: (Spot & { racks: (Spot & { columns: number })[] })[] };

/** Where zones and racks stand: zones beside each other while they fit, racks in lines within their zone. */
function measured(ordered: Ordered, sizes: Sizes): Measured {
  const made: Measured = { width: 0, height: 0, zones: [] };
  let [left, top, tallest] = [0, 0, 0];
  for (const { racks } of ordered) {
    const inside = lined(racks, sizes);
    if (left > 0 && left + inside.w > sizes.wanted) {
      top += tallest + sizes.zoneGap;
      [left, tallest] = [0, 0];
    }
    const [x, y] = [left, top];
    made.zones.push({ x, y, w: inside.w, h: inside.h, racks: inside.racks.map((rack) => ({ ...rack, x: rack.x + x, y: rack.y + y })) });
    made.width = Math.max(made.width, left + inside.w);
    tallest = Math.max(tallest, inside.h);
    made.height = top + tallest;
    left += inside.w + sizes.zoneGap;
  }
  return made;
}

function lined(racks: Block[], { wanted, form, rackGap, rackName, zoneName }: Sizes) {
  const spots: (Spot & { columns: number })[] = [];
  let [x, y, tallest, right] = [0, zoneName, 0, 0];
  for (const rack of racks) {
    const columns = columnsOf(rack.cells.length, rack.rack < 0, wanted, form);
    const w = columns * PITCH;
    const h = Math.ceil(rack.cells.length / columns) * PITCH + rackName;
    if (x > 0 && x + w > wanted + 1) {
      y += tallest + rackGap;
      [x, tallest] = [0, 0];
    }
    spots.push({ x, y, w, h, columns });
    right = Math.max(right, x + w);
    tallest = Math.max(tallest, h);
    x += w + rackGap;
  }
  return { racks: spots, w: right, h: y + tallest };
}

function place(cells: Cells, ordered: Ordered, sizes: Sizes): Layout {
  const { zone, rack } = cells.named;
  const spots = measured(ordered, sizes);
  const { rackName, zoneName } = sizes;
  const x = new Float32Array(cells.machines).fill(NaN);
  const y = new Float32Array(cells.machines).fill(NaN);
  const shown: number[] = [];
  const racks: Rack[] = [];
  const zones = ordered.map((zoneItem, no): Zone => {
    const spot = spots.zones[no] ?? { x: 0, y: 0, w: 0, h: 0, racks: [] };
    const name = zone.words[zoneItem.zone] ?? null;
    zoneItem.racks.forEach((block, n) => {
      const at = spot.racks[n] ?? { x: 0, y: 0, w: 0, h: 0, columns: 1 };
      block.cells.forEach((cell, index) => {
        x[cell] = at.x + (index % at.columns) * PITCH;
        y[cell] = at.y + rackName + Math.floor(index / at.columns) * PITCH;
        shown.push(cell);
      });
      const { columns: _, ...box } = at;
      racks.push({ name: rack.words[block.rack] ?? null, zone: name, ...box, cells: Int32Array.from(block.cells) });
    });
    return { name, x: spot.x, y: spot.y, w: spot.w, h: spot.h };
  });
  const { width, height } = spots;
  return { x, y, shown: Int32Array.from(shown), racks, zones, width, height, rackName, zoneName };
}

/** A rack is so many times higher than wide; what stands in no rack fills the line. */
function columnsOf(machines: number, loose: boolean, wanted: number, form: number): number {
  if (loose) return Math.max(1, Math.min(machines, Math.floor(wanted / PITCH)));
  return Math.max(1, Math.min(machines, Math.round(Math.sqrt(machines / form))));
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
    (rack) => px >= rack.x && px < rack.x + Math.max(rack.w, 30) && py >= rack.y - 2 && py < rack.y + layout.rackName,
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

/** A rack's name and its ends, the longest first: the end tells racks apart, and is cut where a word begins. */
export function endsOf(name: string): string[] {
  const last = name.slice(name.lastIndexOf("/") + 1);
  const words = [...last.matchAll(/[-_. ]+(?=\S)/g)].map((found) => last.slice(found.index + found[0].length));
  const letters = [...last.slice(1)].map((_, no) => `…${last.slice(no + 2)}`).slice(0, -1);
  return words.length ? [last, ...words] : [last, ...letters];
}
