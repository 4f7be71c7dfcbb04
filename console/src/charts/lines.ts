// Lines over time: one measure, its band and what happened, in one look.
import { clock, date, number } from "../i18n/format";
import type { Draw } from "./chart";
import { withGaps, isolated, type Point } from "./points";
import { timesOf } from "./times";

export type Mark = { at: number; text: string };
export type Lines = {
  name: string;
  unit: string;
  digits: number;
  points: Point[];
  start: number;
  end: number;
  zone: string;
  band?: { low: number; high: number } | null;
  course?: [at: number, low: number, high: number][];
  expected?: { value: number; name: string } | null;
  marks?: Mark[];
  isNarrow?: boolean; // room for two times, not for six
};

export function drawLines(of: Lines): Draw {
  const long = of.end - of.start > 36 * 3_600_000;
  const reach = reachOf(of);
  const times = timesOf(of.start, of.end, of.zone, of.isNarrow ? 2 : 5);
  const points = withGaps(of.points);
  const alone = isolated(points);
  return (colour) => ({
    animation: false,
    textStyle: { fontFamily: colour("font"), fontSize: 11 },
    grid: { left: 48, right: 14, top: 24, bottom: 22 },
    tooltip: {
      trigger: "axis",
      renderMode: "richText",
      confine: true,
      backgroundColor: colour("raised"),
      borderColor: colour("line-strong"),
      textStyle: { color: colour("ink"), fontSize: 12 },
      axisPointer: { lineStyle: { color: colour("ink-3") } },
      formatter: (given: unknown) => {
        const point = (given as { seriesName: string; value: [number, number | null] }[]).find(({ seriesName }) => seriesName === of.name);
        if (!point) return "";
        return `${clock(point.value[0], of.zone, long)}  ${number(point.value[1], of.digits)} ${of.unit}`;
      },
    },
    xAxis: {
      type: "time",
      min: of.start,
      max: of.end,
      axisLine: { lineStyle: { color: colour("line-strong") } },
      // ECharts knows the browser's hours alone
      axisTick: { customValues: times },
      axisLabel: { color: colour("ink-3"), hideOverlap: true, customValues: times, formatter: (at: number) => timeOf(at, of, long) },
      splitLine: { show: false },
    },
    yAxis: {
      type: "value",
      scale: true,
      ...reach,
      axisLabel: { color: colour("ink-3"), formatter: (value: number) => number(value, digitsFor(reach)) },
      splitLine: { lineStyle: { color: colour("line") } },
    },
    series: [
      ...courseSeries(of, colour),
      {
        type: "line",
        name: of.name,
        data: points,
        showSymbol: alone.size > 0,
        symbol: "circle",
        symbolSize: (_: unknown, { dataIndex }: { dataIndex: number }) => (alone.has(dataIndex) ? 4 : 0),
        connectNulls: false,
        lineStyle: { width: 1.5, color: colour("series") },
        itemStyle: { color: colour("series") },
        markArea: of.band
          ? {
              silent: true,
              itemStyle: { color: colour("band") },
              data: [[{ yAxis: of.band.low }, { yAxis: of.band.high }]],
            }
          : { data: [] },
        markLine: {
          silent: true,
          symbol: "none",
          label: { color: colour("ink-2"), fontSize: 11, rotate: 0 },
          lineStyle: { color: colour("ink-3"), type: "dashed", width: 1 },
          data: [
            ...(of.expected ? [{ yAxis: of.expected.value, label: { formatter: of.expected.name, position: "insideStartTop" } }] : []),
            ...apart(of).map((mark) => ({ xAxis: mark.at, label: { formatter: mark.text, ...placed(mark.at, of) } })),
          ],
        },
      },
    ],
  });
}

/** A band that moves: its lower edge unseen, and what lies between the edges stacked on it. */
function courseSeries(of: Lines, colour: (name: string) => string) {
  if (!of.course || of.course.length < 2) return [];
  const common = { type: "line", stack: "band", stackStrategy: "all", silent: true, showSymbol: false, lineStyle: { width: 0 } };
  return [
    { ...common, name: "low", data: of.course.map(([at, low]) => [at, low]) },
    {
      ...common,
      name: "high",
      data: of.course.map(([at, low, high]) => [at, high - low]),
      areaStyle: { color: colour("band") },
    },
  ];
}

const STEPS = 4; // of the axis, at least; half as many where there is little room
const LEAST_SHARE = 0.04;
const ROUND = [1, 2, 2.5, 5, 10];

/** From and to round numbers, with all that is drawn between them. What hardly moves is drawn so: a change of less than
 * a twenty-fifth never fills the picture.
 */
export function reachOf({ points, band, course, expected, isNarrow }: Lines): { min: number; max: number; interval: number } {
  const drawn = [
    ...points.map(([, value]) => value),
    ...(course ?? []).flatMap(([, low, high]) => [low, high]),
    ...[band?.low, band?.high, expected?.value],
  ].filter((value) => typeof value === "number");
  const [low, high] = drawn.length ? [Math.min(...drawn), Math.max(...drawn)] : [0, 1];
  const short = Math.max(0, Math.max(Math.abs(high) * LEAST_SHARE, 1e-6) - (high - low));
  const interval = roundUp((high - low + short) / (isNarrow ? STEPS / 2 : STEPS));
  const min = Math.floor((low - short / 2) / interval) * interval;
  return { min: low >= 0 ? Math.max(0, min) : min, max: Math.ceil((high + short / 2) / interval) * interval, interval };
}

function roundUp(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return (ROUND.find((step) => step * power >= rough * 0.999) ?? 10) * power;
}

/** The same for every figure of an axis: as many as its steps need. */
export function digitsFor({ interval }: { interval: number }): number {
  const digits = [0, 1, 2, 3].find((digits) => Math.abs(interval * 10 ** digits - Math.round(interval * 10 ** digits)) < 1e-6);
  return digits ?? 4;
}

/** Above the line, and not beyond the sides. */
function placed(at: number, { start, end }: Lines) {
  const share = (at - start) / (end - start);
  return { position: "end", align: share > 0.85 ? "right" : share < 0.15 ? "left" : "center" };
}

/** Of what happened at nearly the same time only the newest is written out: texts over each other say nothing. */
function apart({ marks, start, end }: Lines): Mark[] {
  const near = (end - start) / 8;
  const inOrder = [...(marks ?? [])].sort((a, b) => b.at - a.at);
  let written = Infinity;
  return inOrder.map((mark) => {
    if (written - mark.at < near) return { ...mark, text: "" };
    written = mark.at;
    return mark;
  });
}

/** The day of the week says nothing where it comes twice. */
function timeOf(at: number, { zone, start, end }: Lines, long: boolean): string {
  return end - start > 8 * 24 * 3_600_000 ? date(at, zone) : clock(at, zone, long);
}
