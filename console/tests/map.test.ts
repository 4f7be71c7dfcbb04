import { describe, expect, it } from "vitest";
import type { Cells, Frame } from "../src/api/known";
import { cellAt, cellsWithin, labelAt, layOut, neighbour, PITCH } from "../src/map/layout";
import { momentColumns } from "../src/map/measures";

function site(machines: number, perRack: number, zones: string[]): Cells {
  const all = Array.from({ length: machines }, (_, no) => no);
  const word = (words: string[], index: number[]) => ({ words, index });
  const racks = Math.ceil(machines / perRack);
  return {
    machines,
    columns: {
      miner_no: all.map((no) => no + 100),
      miner_id: all.map((no) => `m-${machines - no}`),
      position: all.map((no) => String((no % perRack) + 1)),
      online: all.map(() => true),
      boards_healthy: all.map(() => 3),
      boards_total: all.map(() => 3),
      hashrate_ths: all.map(() => 100),
      expected_ths: all.map(() => 104),
      temp_max_c: all.map(() => 70),
      power_w: all.map(() => 3000),
      efficiency_j_th: all.map(() => 30),
      age_sec: all.map(() => 20),
    },
    named: {
      zone: word(zones, all.map((no) => no % zones.length)),
      rack: word(Array.from({ length: racks }, (_, no) => `R${no}`), all.map((no) => Math.floor(no / perRack))),
      model: word(["S19"], all.map(() => 0)),
      firmware: word([], all.map(() => -1)),
      data_state: word(["fresh"], all.map(() => 0)),
      data_reason: word(["in_time"], all.map(() => 0)),
      overall_health: word(["ok"], all.map(() => 0)),
    },
    _meta: { as_of: "", source: "live", site_id: 1 },
  };
}

describe("the map", () => {
  it("gives every machine a place of its own", () => {
    const layout = layOut(site(20_000, 48, ["A", "B", "C"]), null);
    expect(layout.shown.length).toBe(20_000);
    expect(new Set([...layout.shown].map((no) => `${layout.x[no]}:${layout.y[no]}`)).size).toBe(20_000);
    expect(layout.width / layout.height).toBeGreaterThan(0.6);
    expect(layout.width / layout.height).toBeLessThan(4);
  });

  it("fills the room that it is given, whatever its form", () => {
    for (const room of [{ w: 800, h: 500 }, { w: 360, h: 600 }, { w: 1600, h: 300 }]) {
      for (const cells of [site(40, 24, ["A", "B"]), site(2000, 48, ["A", "B", "C"]), site(20_000, 48, ["A", "B"])]) {
        const layout = layOut(cells, null, room);
        const scale = Math.min(room.w / layout.width, room.h / layout.height);
        const used = (layout.width * scale) / room.w + (layout.height * scale) / room.h;
        expect(used, `${cells.machines} in ${room.w}`).toBeGreaterThan(1.5); // of 2: full in one way, and half or more in the other
      }
    }
  });

  it("finds the machine and the rack below the pointer", () => {
    const layout = layOut(site(500, 20, ["A"]), null);
    for (const no of layout.shown) {
      expect(cellAt(layout, (layout.x[no] ?? 0) + PITCH / 2, (layout.y[no] ?? 0) + PITCH / 2)).toBe(no);
    }
    const rack = layout.racks[3];
    expect(rack && labelAt(layout, rack.x + 2, rack.y + 2)).toBe(rack);
    expect(cellAt(layout, -50, -50)).toBe(-1);
  });

  it("shows one zone alone, and takes all of its machines into a lasso around it", () => {
    const cells = site(300, 20, ["A", "B"]);
    const layout = layOut(cells, "B");
    expect(layout.shown.length).toBe(150);
    const box = { x0: layout.width + 10, y0: layout.height + 10, x1: -10, y1: -10 };
    expect(cellsWithin(layout, box).length).toBe(150);
    expect(cellsWithin(layout, { x0: -9, y0: -9, x1: -8, y1: -8 })).toEqual([]);
  });

  it("walks to the neighbour by the arrow keys and stays at the edge", () => {
    const layout = layOut(site(40, 40, ["A"]), null);
    const first = layout.shown[0] ?? -1;
    const right = neighbour(layout, first, 1, 0);
    expect((layout.x[right] ?? 0) - (layout.x[first] ?? 0)).toBe(PITCH);
    expect(neighbour(layout, right, -1, 0)).toBe(first);
    expect(neighbour(layout, first, -1, 0)).toBe(first);
  });

  it("puts a moment's columns in the order of the machines, with nothing for those that sent nothing", () => {
    const cells = site(3, 3, ["A"]);
    const frame: Frame = {
      machines: 2,
      columns: { miner_no: [102, 100], hashrate_ths: [7, 9], temp_max_c: [1, 2], power_w: [3, 4], online_ratio: [1, 0] },
      _meta: { as_of: "", bucket: "" },
    };
    const columns = momentColumns(cells, frame);
    expect(columns.hashrate).toEqual([9, null, 7]);
    expect([0, 1, 2].map(columns.present)).toEqual([false, false, true]);
  });
});
