// The history of the metric with the machine's normal band, its commands and the problem.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Command, Point, SiteName, Problem, ProblemDetails } from "../api/types";
import { commandsQuery, historyQuery, type Range } from "../api/queries";
import { Chart } from "../charts/chart";
import { labelOf } from "../charts/label";
import { drawLines, type Mark } from "../charts/lines";
import { wordFor, t, useLanguage } from "../i18n";
import { number } from "../i18n/format";
import { Part } from "../ui/states";
import { normalBandOf, rangeOf, type ChartMetric, type NormalBand } from "./normal_band";
import { newest, metricOf, valueOf } from "./evidence";

type ChartSpec = ChartMetric & { name: string; unit: string; digits: number; pick: (point: Point) => number | null };

const DAY = 86_400_000;
const LIMITED = /^(overheat|reject_rate_high)/; // their limit has the unit of the chart

export function BandPanel({ site, story, miner }: { site: SiteName; story: ProblemDetails; miner: string }) {
  const { problem } = story;
  const range: Range = Date.now() - Date.parse(problem.start_ts) > 1.5 * DAY ? "7d" : "24h";
  const history = useQuery(historyQuery(site.site_id, miner, range));
  const commands = useQuery(commandsQuery(site.site_id, miner)).data;
  const language = useLanguage();
  const reference = story.machine?.reference_ths ?? null;
  const chart = useMemo(() => chartFor(metricOf(problem), reference), [problem, reference, language]);
  const marks = useMemo(() => marksOf(problem, commands ?? []), [problem, commands, language]);
  const normal = useMemo(() => normalBandOf(story, chart), [story, chart]);
  return (
    <section className="panel" aria-labelledby="band">
      <header>
        <h2 id="band">
          {chart.name} <span className="unit">{chart.unit}</span>
        </h2>
        <span className="grow" />
        {normal ? (
          <>
            <span className="swatch band-swatch" />
            <span className="quiet">{t(normal.whose === "own" ? "miner.baseline" : "problem.band.peers")}</span>
          </>
        ) : null}
      </header>
      <div className="body">
        <Part of={history} rows={5}>
          {(history) =>
            history.points.length ? (
              <BandChart history={history} chart={chart} normal={normal} story={story} zone={site.timezone} marks={marks} miner={miner} />
            ) : (
              <p className="quiet">{t("miner.chart.empty")}</p>
            )
          }
        </Part>
      </div>
    </section>
  );
}

function BandChart(props: {
  history: { points: Point[]; start: number; end: number };
  chart: ChartSpec;
  normal: NormalBand | null;
  story: ProblemDetails;
  zone: string;
  marks: Mark[];
  miner: string;
}) {
  const { history, chart, normal, story, zone, marks, miner } = props;
  const points = useMemo(
    () => history.points.map((point): [number, number | null] => [Date.parse(point.ts), chart.pick(point)]),
    [history, chart],
  );
  const draw = useMemo(() => {
    const { name, unit, digits } = chart;
    const common = { start: history.start, end: history.end, zone, marks, points };
    const band = { band: normal?.now ?? null, course: normal?.history ?? [] };
    return drawLines({ ...common, ...band, name, unit, digits, expected: lineOf(story, chart) });
  }, [points, history, chart, normal, zone, marks, story]);
  const range = normal && rangeOf(normal);
  const label = labelOf({
    what: chart.name,
    miner,
    values: points.map(([, value]) => value),
    amount: (value) => `${number(value, chart.digits)} ${chart.unit}`,
    normal: range && { ...range, whose: normal.whose },
  });
  return <Chart draw={draw} label={label} height={250} />;
}

/** A metric without a history of its own shows the hashrate, whose baseline is a ratio of the reference hashrate. */
export function chartFor(metric: string, reference: number | null): ChartSpec {
  switch (metric) {
    case "temp_max":
      return { metric, name: t("chart.temperature"), unit: "°C", digits: 1, pick: (point) => point.temp_max_c, scale: 1 };
    case "efficiency":
      return { metric, name: t("miner.efficiency"), unit: "J/TH", digits: 1, pick: (point) => point.efficiency_j_th, scale: 1 };
    case "reject_rate":
      return { metric, name: t("miner.rejects"), unit: "%", digits: 2, pick: rejectsOf, scale: 100 };
  }
  const pick = (point: Point) => point.hashrate_ths;
  return { metric: "hashrate_ratio", name: t("chart.hashrate"), unit: "TH/s", digits: 1, pick, scale: reference ?? 0 };
}

const rejectsOf = (point: Point) => (point.reject_rate === null ? null : point.reject_rate * 100);

type LineDetails = { problem: Problem; machine: Pick<NonNullable<ProblemDetails["machine"]>, "expected_ths"> | null };

/** The limit that it passed, or the hashrate expected now in its mode. */
export function lineOf(details: LineDetails, chart: ChartSpec): { value: number; name: string } | null {
  const limit = newest(details.problem)?.threshold ?? null;
  if (LIMITED.test(details.problem.issue_code) && limit !== null) {
    return { value: limit * chart.scale, name: t("evidence.limit", { limit: valueOf(chart.metric, limit, true) }) };
  }
  const expected = details.machine?.expected_ths ?? null;
  return chart.unit === "TH/s" && expected !== null ? { value: expected, name: t("miner.expected") } : null;
}

function marksOf(problem: Problem, commands: Command[]): Mark[] {
  const commandMarks = commands
    .filter(({ finished_at }) => finished_at !== null)
    .slice(0, 5)
    .map(({ finished_at, command_type }): Mark => ({ at: Date.parse(finished_at ?? ""), text: wordFor("cmdtype", command_type) }));
  const ended = problem.resolved_ts ? [{ at: Date.parse(problem.resolved_ts), text: t("event.resolved") }] : [];
  return [{ at: Date.parse(problem.start_ts), text: wordFor("issue", problem.issue_code) }, ...ended, ...commandMarks];
}
