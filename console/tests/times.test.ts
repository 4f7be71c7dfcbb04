import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { describe, expect, it } from "vitest";
import "../src/charts/echarts";
import { drawLines } from "../src/charts/lines";
import { timesOf } from "../src/charts/times";
import { clock } from "../src/i18n/format";

const HOUR = 3_600_000;
Object.assign(globalThis, { document: { documentElement: { lang: "en", dataset: {} }, createElement: () => null } });
use([SVGRenderer]);

const shown = (end: string, hours: number, zone: string, most: number) =>
  timesOf(Date.parse(end) - hours * HOUR, Date.parse(end), zone, most).map((at) => clock(at, zone));

describe("the times below a chart", () => {
  it("are round ones of the site's clock", () => {
    expect(shown("2026-06-10T08:20:00Z", 24, "America/Chicago", 2)).toEqual(["12:00", "00:00"]);
    expect(shown("2026-06-10T08:20:00Z", 24, "Asia/Kolkata", 2)).toEqual(["00:00", "12:00"]);
    expect(shown("2026-06-10T08:20:00Z", 24, "Asia/Kathmandu", 5)).toEqual(["18:00", "00:00", "06:00", "12:00"]);
    expect(shown("2026-06-10T08:20:00Z", 6, "UTC", 5)).toEqual(["04:00", "06:00", "08:00"]);
    expect(new Set(shown("2026-06-10T08:20:00Z", 720, "Asia/Shanghai", 5))).toEqual(new Set(["00:00"]));
  });

  it("stay round where the clock is put forward or back", () => {
    expect(shown("2026-03-08T20:00:00Z", 24, "America/Chicago", 5)).toEqual(["18:00", "00:00", "06:00", "12:00"]);
    expect(shown("2026-11-01T20:00:00Z", 24, "America/Chicago", 5)).toEqual(["18:00", "00:00", "06:00", "12:00"]);
    expect(shown("2026-03-08T10:30:00Z", 4, "America/Chicago", 5)).toEqual(["01:00", "03:00", "04:00", "05:00"]);
  });

  it("are written whatever the browser's zone is", () => {
    const end = Date.parse("2026-06-10T08:20:00Z");
    const common = { name: "PH/s", unit: "PH/s", digits: 1, start: end - 24 * HOUR, end, isNarrow: true };
    const points = [20, 10, 1].map((hours): [number, number] => [end - hours * HOUR, 5]);
    const written = (browser: string, zone: string) => {
      process.env["TZ"] = browser;
      expect(new Date(end).getHours()).toBe({ UTC: 8, "Asia/Kolkata": 13, "America/Chicago": 3 }[browser]);
      const chart = init(null, null, { renderer: "svg", ssr: true, width: 400, height: 120 });
      chart.setOption(drawLines({ ...common, points, zone })(() => "#888"));
      const texts = [...chart.renderToSVGString().matchAll(/>(\d\d:\d\d)</g)].map((found) => found[1]);
      chart.dispose();
      return texts;
    };
    const before = process.env["TZ"];
    for (const browser of ["UTC", "Asia/Kolkata", "America/Chicago"]) {
      for (const zone of ["UTC", "Asia/Kolkata", "America/Chicago"]) {
        expect(written(browser, zone).sort(), `${zone} from ${browser}`).toEqual(["00:00", "12:00"]);
      }
    }
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  });
});
