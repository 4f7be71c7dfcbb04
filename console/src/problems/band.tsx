// The machine's own line with its normal band and what happened to it, so that people can look rather than read.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Point, SiteSums } from "../api/known";
import { commandsQuery, historyQuery, type Range } from "../api/queries";
import { Chart } from "../charts/chart";
import { drawLines, type Mark } from "../charts/lines";
import { named, t, useLanguage } from "../i18n";
import { number } from "../i18n/format";
import { Part } from "../ui/states";
import { newest, type Problem, type Story } from "./types";
import { metricOf, valueOf } from "./words";

type Picture = { name: string; unit: string; digits: number; pick: (point: Point) => number | null; scale: number };

const DAY = 86_400_000;

export function BandPanel({ site, story, miner }: { site: SiteSums; story: Story; miner: string }) {
  const { problem } = story;
  const range: Range = Date.now() - Date.parse(problem.start_ts) > 1.5 * DAY ? "7d" : "24h";
  const history = useQuery(historyQuery(site.site_id, miner, range));
  const commands = useQuery(commandsQuery(site.site_id, miner)).data;
  const language = useLanguage();
  const expected = story.machine?.expected_ths ?? null;
  const picture = useMemo(() => pictureOf(metricOf(problem), expected), [problem, expected, language]);
  const marks = useMemo(() => marksOf(problem, commands ?? []), [problem, commands, language]);
  const hasBand = flatBand(story, picture) !== null || courseOf(story, picture).length > 1;
  return (
    <section className="panel" aria-labelledby="band">
      <header>
        <h2 id="band">
          {picture.name} <span className="unit">{picture.unit}</span>
        </h2>
        <span className="grow" />
        {hasBand ? (
          <>
            <span className="swatch band-swatch" />
            <span className="quiet">{t("miner.baseline")}</span>
          </>
        ) : null}
      </header>
      <div className="body">
        <Part of={history} rows={5}>
          {(found) =>
            found.points.length ? (
              <BandChart found={found} picture={picture} story={story} zone={site.timezone} marks={marks} miner={miner} />
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
  found: { points: Point[]; start: number; end: number };
  picture: Picture;
  story: Story;
  zone: string;
  marks: Mark[];
  miner: string;
}) {
  const { found, picture, story, zone, marks, miner } = props;
  const points = useMemo(
    () => found.points.map((one): [number, number | null] => [Date.parse(String(one.ts)), picture.pick(one)]),
    [found, picture],
  );
  const draw = useMemo(() => {
    const { name, unit, digits } = picture;
    const common = { start: found.start, end: found.end, zone, marks, points };
    return drawLines({ ...common, name, unit, digits, band: flatBand(story, picture), course: courseOf(story, picture), expected: lineOf(story, picture) });
  }, [points, found, picture, zone, marks, story]);
  const known = points.map(([, value]) => value).filter((value) => value !== null);
  const amount = (value: number) => `${number(value, picture.digits)} ${picture.unit}`;
  const label = t("miner.chart.label", {
    what: picture.name,
    miner,
    n: points.length,
    low: amount(Math.min(...known)),
    high: amount(Math.max(...known)),
  });
  return <Chart draw={draw} label={label} height={250} />;
}

function pictureOf(metric: string, expected: number | null): Picture {
  if (metric.startsWith("temp")) {
    return { name: t("chart.temperature"), unit: "°C", digits: 1, pick: (one) => one.temp_max_c, scale: 1 };
  }
  if (metric === "efficiency") {
    return { name: t("miner.efficiency"), unit: "J/TH", digits: 1, pick: (one) => one.efficiency_j_th, scale: 1 };
  }
  return { name: t("chart.hashrate"), unit: "TH/s", digits: 1, pick: (one) => one.hashrate_ths, scale: expected ?? 0 };
}

/** Its own normal as it was cycle by cycle, three deviations to each side. */
function courseOf(story: Story, picture: Picture): [number, number, number][] {
  const metric = metricOf(story.problem);
  const sigma = story.baseline?.metrics[metric]?.sigma;
  if (!picture.scale || sigma === null || sigma === undefined) return [];
  const half = 3 * sigma * picture.scale;
  return story.history.flatMap((one): [number, number, number][] => {
    const middle = one.expected?.[metric];
    if (middle === null || middle === undefined) return [];
    return [[Date.parse(one.ts), middle * picture.scale - half, middle * picture.scale + half]];
  });
}

/** Where it has no course yet: its normal as it is now, else what eight of ten peers run at. */
function flatBand(story: Story, picture: Picture): { low: number; high: number } | null {
  const metric = metricOf(story.problem);
  if (!picture.scale || courseOf(story, picture).length > 1) return null;
  const own = story.baseline?.metrics[metric];
  if (own && own.expected !== null && own.sigma !== null) {
    const half = 3 * own.sigma;
    return { low: (own.expected - half) * picture.scale, high: (own.expected + half) * picture.scale };
  }
  const peer = story.problem.peer_metrics_json?.[metric];
  if (!peer || peer.p10 === null || peer.p90 === null) return null;
  return { low: peer.p10 * picture.scale, high: peer.p90 * picture.scale };
}

/** What it is judged against: the limit that it passed, or what its maker promises. */
function lineOf(story: Story, picture: Picture): { value: number; name: string } | null {
  const limit = newest(story.problem)?.threshold ?? null;
  if (story.problem.issue_code.startsWith("overheat") && limit !== null) {
    return { value: limit, name: t("evidence.limit", { limit: valueOf("temp_max", limit, true) }) };
  }
  const expected = story.machine?.expected_ths ?? null;
  return picture.unit === "TH/s" && expected !== null ? { value: expected, name: t("miner.expected") } : null;
}

function marksOf(problem: Problem, commands: { finished_at: string | null; command_type: unknown }[]): Mark[] {
  const told = commands
    .filter((one) => one.finished_at)
    .slice(0, 5)
    .map((one): Mark => ({ at: Date.parse(String(one.finished_at)), text: named("cmdtype", String(one.command_type)) }));
  const ended = problem.resolved_ts ? [{ at: Date.parse(problem.resolved_ts), text: t("event.resolved") }] : [];
  return [{ at: Date.parse(problem.start_ts), text: named("issue", problem.issue_code) }, ...ended, ...told];
}
