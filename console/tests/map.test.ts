import { describe, expect, it } from "vitest";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Cells, PastCells, SiteTotals } from "../src/api/types";
import { HoverCard } from "../src/map/card";
import { cellAt, cellsWithin, endsOf, labelAt, layOut, neighbour, PITCH } from "../src/map/layout";
import { colour, countsOf, isDimmed, loudness, momentColumns, noColumns, nowColumns, onlyOf, type BothLimits, type Limits } from "../src/map/measures";
import { momentOf, stepOf } from "../src/map/replay";
import { rowsOf, select, shownOf, sumOf } from "../src/map/selection";

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
      temp_other_c: all.map(() => null),
      power_w: all.map(() => 3000),
      efficiency_j_th: all.map(() => 30),
      age_sec: all.map(() => 20),
      stopped: [],
    },
    named: {
      zone: word(zones, all.map((no) => no % zones.length)),
      rack: word(Array.from({ length: racks }, (_, no) => `R${no}`), all.map((no) => Math.floor(no / perRack))),
      model: word(["S19"], all.map(() => 0)),
      firmware: word([], all.map(() => -1)),
      data_state: word(["fresh"], all.map(() => 0)),
      data_reason: word(["in_time"], all.map(() => 0)),
      overall_health: word(["ok"], all.map(() => 0)),
      condition: word(["fine"], all.map(() => 0)),
      inferred_mode: word(["normal"], all.map(() => 0)),
      expected_state: word([], all.map(() => -1)),
    },
    _meta: { as_of: "", bucket: null, source: "live", site_id: 1 },
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
    Object.assign(globalThis, { document: { documentElement: { lang: "en", dataset: {} } } });
    const cells = site(3, 3, ["A"]);
    const frame: PastCells = {
      machines: 2,
      columns: {
        miner_no: [102, 100],
        hashrate_ths: [7, 0],
        expected_ths: [10, 10],
        temp_max_c: [1, 2],
        power_w: [3, 4],
        efficiency_j_th: [0.4, 0.4],
        online_ratio: [1, 0],
        stopped: [101],
      },
      _meta: { as_of: "", bucket: "", source: "telemetry_history_5min", site_id: 1 },
    };
    const columns = momentColumns(cells, frame);
    expect(columns.hashrate).toEqual([0, null, 7]);
    expect([...colour("ratio", cells, columns, undefined).of]).toEqual([3, 4, 2]); // offline is 0 %, stopped, 70 %
  });

  it("tells a machine's hashrate of a moment over what was expected then, not over what is expected now", () => {
    const cells = site(1, 1, ["A"]);
    const columns = { ...noColumns(cells), hashrate: [60], expected: [73] };
    const at = "2026-03-01T11:55:00Z";
    const props = { site: { name: "", timezone: "UTC" } as SiteTotals, cells, columns, at, row: 0, x: 0, y: 0, room: undefined };
    expect(renderToStaticMarkup(createElement(HoverCard, props))).toContain("60.0\u00a0TH/s / 73.0\u00a0TH/s");
  });

  it("keeps the same machines selected when the rows move, and drops who is gone or in another zone", () => {
    const before = site(6, 6, ["A", "B"]);
    const chosen = select(new Set(), [before.columns.miner_no[2] ?? 0, before.columns.miner_no[3] ?? 0], "set");
    const after = site(6, 6, ["A", "B"]);
    after.columns.miner_no = [99, 100, 101, 102, 104, 105]; // one came at the front, 103 went
    expect([...shownOf(chosen, rowsOf(before), layOut(before, null))]).toEqual([2, 3]);
    expect([...shownOf(chosen, rowsOf(after), layOut(after, null))]).toEqual([3]); // 102
    expect([...shownOf(chosen, rowsOf(after), layOut(after, "A"))]).toEqual([]);
    expect([...select(chosen, [102, 7], "toggle")]).toEqual([103, 7]);
    expect([...select(chosen, [102, 7], "add")]).toEqual([102, 103, 7]);
  });

  it("sums what is known at the time that is shown, and counts the rest instead of taking it as 0", () => {
    const cells = site(3, 3, ["A"]);
    const cols = cells.columns; // of known and of unknown power, and one that nobody hears of
    [cols.hashrate_ths, cols.power_w] = [[100, 100, null], [3000, null, null]];
    const all = new Set([0, 1, 2]);
    expect(sumOf(nowColumns(cells), all)).toEqual({ hashrate: 200, power: 3000, unknown: 2 });
    cols.hashrate_ths[2] = 0; // offline: it delivers nothing, and that is known
    expect(sumOf(nowColumns(cells), all)).toEqual({ hashrate: 200, power: 3000, unknown: 1 });
    expect(sumOf(noColumns(cells), all)).toEqual({ hashrate: null, power: null, unknown: 3 });
  });

  it("leaves in the background what the legend's filter does not name", () => {
    const classes = ["hot", "fine"].map((key) => ({ key, label: "", colour: "fine" }));
    const coloured = { classes, of: Uint8Array.of(0, 1), figure: () => "" };
    expect([0, 1].map((no) => isDimmed(coloured, new Set(["hot"]), no))).toEqual([false, true]);
    expect([0, 1].map((no) => isDimmed(coloured, new Set(), no))).toEqual([false, false]);
  });

  it("heeds no filter by what the measure shown does not tell apart", () => {
    Object.assign(globalThis, { document: { documentElement: { lang: "en", dataset: {} } } });
    const cells = site(3, 48, ["A"]);
    const limits = new Map<number, BothLimits>();
    const [health, ratio, age] = (["health", "ratio", "age"] as const).map((item) => colour(item, cells, nowColumns(cells), limits));
    expect(onlyOf("fine,unknown", health!)).toEqual(new Set(["fine", "unknown"]));
    expect(onlyOf("fine,unknown", ratio!)).toEqual(new Set(["unknown"]));
    expect(onlyOf("fine", ratio!)).toEqual(new Set());
    expect(onlyOf(age!.classes[1]?.key, age!).size).toBe(1);
    expect(onlyOf(age!.classes[1]?.key, ratio!)).toEqual(new Set()); // the second step of another thing
    expect(onlyOf(undefined, health!)).toEqual(new Set());
  });

  it("stands at the moment itself, which moves away from now, and never at now", () => {
    const now = Date.parse("2026-01-02T12:03:00Z");
    expect(momentOf(288, now)).toBe(null);
    expect(stepOf(null, now)).toBe(288);
    for (const step of [0, 1, 144, 287]) expect(stepOf(momentOf(step, now), now)).toBe(step);
    const at = momentOf(280, now);
    expect(stepOf(at, now + 600_000)).toBe(278);
    expect(stepOf("2026-01-02T12:00:00Z", now)).toBe(287);
    expect(stepOf("2025-12-27T12:00:00Z", now)).toBe(0);
  });

  it("takes nobody for safe where no model says anything, and those that it does not name for fine where one does", () => {
    Object.assign(globalThis, { document: { documentElement: { lang: "en", dataset: {} } } });
    const cells = site(4, 4, ["A"]);
    const of = (risk: Map<number, number> | null) => [...colour("risk", cells, nowColumns(cells), undefined, risk).of];
    expect(of(null)).toEqual([4, 4, 4, 4]);
    expect(of(new Map())).toEqual([0, 0, 0, 0]);
    expect(of(new Map([[101, 0.7], [102, 0.2]]))).toEqual([0, 3, 1, 0]);
  });

  it("paints what is wrong above what is fine, whichever is named first", () => {
    const cells = site(4, 4, ["A"]);
    const louder = (measure: "health" | "temperature") => {
      const { classes } = colour(measure, cells, nowColumns(cells), undefined);
      return [...classes].sort((a, b) => loudness(a) - loudness(b)).map((cls) => cls.colour);
    };
    expect(louder("health")).toEqual(["ink-2", "stopped", "ink-3", "fine", "p3", "p2", "p1", "p0"]);
    expect(louder("temperature").slice(-2)).toEqual(["p1", "p0"]);
  });

  it("names its classes by their limits, each unit once", () => {
    const cells = site(4, 4, ["A"]);
    const labels = (measure: "ratio" | "risk" | "temperature") =>
      colour(measure, cells, nowColumns(cells), undefined).classes.map((cls) => cls.label);
    expect(labels("ratio")).toEqual(["≥ 95%", "85–95%", "50–85%", "< 50%", "stopped", "unknown"]);
    expect(labels("risk")).toEqual(["< 10%", "10–30%", "30–60%", "≥ 60%", "unknown"]);
    expect(labels("temperature")[1]).toBe("within 10 °C of limit");
  });

  it("counts a machine that says it is offline as offline, however fresh its word", () => {
    const cells = site(4, 4, ["A"]);
    cells.named.data_state = { words: ["fresh", "offline", "stale", "unknown"], index: [0, 1, 2, 3] };
    expect([...colour("age", cells, nowColumns(cells), undefined).of]).toEqual([0, 2, 1, 3]);
  });

  it("counts in its legend the machines of the zone that it shows", () => {
    const cells = site(6, 6, ["A", "B"]);
    cells.named.condition = { words: ["P1", "fine", "stopped"], index: [0, 1, 1, 2, 1, 1] };
    const health = colour("health", cells, nowColumns(cells), undefined);
    const told = (zone: string | null) => {
      const counts = countsOf(health, layOut(cells, zone).shown);
      return Object.fromEntries(health.classes.map(({ key }, no) => [key, counts[no]]).filter(([, n]) => n));
    };
    expect(told(null)).toEqual({ P1: 1, fine: 4, stopped: 1 });
    expect(told("A")).toEqual({ P1: 1, fine: 2 });
    expect(told("B")).toEqual({ fine: 2, stopped: 1 });
  });

  it("colours efficiency by the server's own figure, and stopped machines as stopped", () => {
    const cells = site(3, 3, ["A"]);
    cells.columns.power_w = [9000, 20, 20]; // newest watts, which the mean hashrate does not belong to
    cells.columns.efficiency_j_th = [20, 0, 0];
    cells.columns.stopped = [101];
    cells.named.condition = { words: ["fine", "P1", "down"], index: [0, 1, 2] }; // stopped, with a problem all the same
    expect([...colour("efficiency", cells, nowColumns(cells), undefined).of]).toEqual([0, 4, 5]);
  });

  it("colours each machine's temperature by its own limits, and nobody's before they are known", () => {
    const cells = site(5, 5, ["A"]);
    cells.columns.temp_max_c = [89, 89, 60, 111, null];
    const s9 = { warn: 102, crit: 110, other: { warn: 87, crit: 90 } };
    const assumed = { warn: 75, crit: 85, other: { warn: 75, crit: 85 } };
    const limits = new Map([[100, s9], [101, assumed], [102, assumed], [103, s9], [104, s9]]);
    const of = (known: Limits) => [...colour("temperature", cells, nowColumns(cells), known).of];
    expect(of(limits)).toEqual([0, 3, 0, 3, 4]); // 89 °C is normal for an S9
    expect(of(undefined)).toEqual([4, 4, 4, 4, 4]);
    expect(colour("temperature", cells, nowColumns(cells), limits).figure(0)).toBe("89°");
  });

  it("colours a machine by the sensor nearest to its own limit: a board over its limit is not hidden by a cool chip", () => {
    const cells = site(5, 5, ["A"]);
    cells.columns.temp_max_c = [84, 84, 84, 96, null];
    cells.columns.temp_other_c = [81, 74, null, 60, 81];
    const vnish = { warn: 88, crit: 95, other: { warn: 73, crit: 80 } };
    const limits = new Map(cells.columns.miner_no.map((no) => [no, vnish]));
    expect([...colour("temperature", cells, nowColumns(cells), limits).of]).toEqual([3, 2, 1, 3, 3]);
    cells.columns.temp_max_c[0] = cells.columns.temp_other_c[0] = null; // not online: no readings
    expect(colour("temperature", cells, nowColumns(cells), limits).of[0]).toBe(4);
  });
});

describe("a rack's name with little room", () => {
  it("is cut where a word begins, or says that it is cut", () => {
    expect(endsOf("north/a/rack-23")).toEqual(["rack-23", "23"]);
    expect(endsOf("row 2 rack 14")).toEqual(["row 2 rack 14", "2 rack 14", "rack 14", "14"]);
    expect(endsOf("R117")).toEqual(["R117", "…17", "…7"]);
    expect(endsOf("7")).toEqual(["7"]);
  });
});
