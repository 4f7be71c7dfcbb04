// Lines over time: one measure, its band and what happened, in one look.
import { clock, compact, number } from "../i18n/format";
import type { Draw } from "./chart";

export type Mark = { at: number; text: string };
export type Lines = {
  name: string;
  unit: string;
  digits: number;
  points: [number, number | null][];
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
        const one = (given as { seriesName: string; value: [number, number | null] }[]).find((found) => found.seriesName === of.name);
        if (!one) return "";
        return `${clock(one.value[0], of.zone, long)}  ${number(one.value[1], of.digits)} ${of.unit}`;
      },
    },
    xAxis: {
      type: "time",
      min: of.start,
      max: of.end,
      axisLine: { lineStyle: { color: colour("line-strong") } },
      axisLabel: { color: colour("ink-3"), hideOverlap: true, formatter: (at: number) => timeOf(at, of, long) },
      splitLine: { show: false },
      minInterval: (of.end - of.start) / 5,
    },
    yAxis: {
      type: "value",
      scale: true,
      axisLabel: { color: colour("ink-3"), formatter: compact },
      splitLine: { lineStyle: { color: colour("line") } },
      splitNumber: 3,
    },
    series: [
      ...courseSeries(of, colour),
      ...reached(of),
      {
        type: "line",
        name: of.name,
        data: of.points,
        showSymbol: false,
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

/** The axis reaches to what is expected, also when nothing is near it. */
function reached({ expected, start, end }: Lines) {
  if (!expected) return [];
  const data = [[start, expected.value], [end, expected.value]];
  return [{ type: "line", name: "reach", data, silent: true, showSymbol: false, lineStyle: { width: 0 } }];
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

function timeOf(at: number, { zone, isNarrow }: Lines, long: boolean): string {
  const shown = clock(at, zone, long);
  return !isNarrow || /^(00|12):00$/.test(shown) ? shown : "";
}
