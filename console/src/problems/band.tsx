// The machine's own line with its normal band and what happened to it, so that people can look rather than read.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Point, SiteSums } from "../api/known";
import { commandsQuery, historyQuery, type Range } from "../api/queries";
import { Chart } from "../charts/chart";
import { labelOf } from "../charts/label";
import { drawLines, type Mark } from "../charts/lines";
import { named, t, useLanguage } from "../i18n";
import { number } from "../i18n/format";
import { Part } from "../ui/states";
import { normalOf, rangeOf, type Normal, type Shown } from "./normal";
import { newest, type Problem, type Story } from "./types";
import { metricOf, valueOf } from "./words";

type Picture = Shown & { name: string; unit: string; digits: number; pick: (point: Point) => number | null };

const DAY = 86_400_000;
const LIMITED = /^(overheat|reject_rate_high)/; // judged by a limit in the unit of their picture

export function BandPanel({ site, story, miner }: { site: SiteSums; story: Story; miner: string }) {
  const { problem } = story;
  const range: Range = Date.now() - Date.parse(problem.start_ts) > 1.5 * DAY ? "7d" : "24h";
  const history = useQuery(historyQuery(site.site_id, miner, range));
  const commands = useQuery(commandsQuery(site.site_id, miner)).data;
  const language = useLanguage();
  const reference = story.machine?.reference_ths ?? null;
  const picture = useMemo(() => pictureOf(metricOf(problem), reference), [problem, reference, language]);
  const marks = useMemo(() => marksOf(problem, commands ?? []), [problem, commands, language]);
  const normal = useMemo(() => normalOf(story, picture), [story, picture]);
  return (
    <section className="panel" aria-labelledby="band">
      <header>
        <h2 id="band">
          {picture.name} <span className="unit">{picture.unit}</span>
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
          {(found) =>
            found.points.length ? (
              <BandChart found={found} picture={picture} normal={normal} story={story} zone={site.timezone} marks={marks} miner={miner} />
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
  normal: Normal | null;
  story: Story;
  zone: string;
  marks: Mark[];
  miner: string;
}) {
  const { found, picture, normal, story, zone, marks, miner } = props;
  const points = useMemo(
    () => found.points.map((one): [number, number | null] => [Date.parse(String(one.ts)), picture.pick(one)]),
    [found, picture],
  );
  const draw = useMemo(() => {
    const { name, unit, digits } = picture;
    const common = { start: found.start, end: found.end, zone, marks, points };
    const band = { band: normal?.flat ?? null, course: normal?.course ?? [] };
    return drawLines({ ...common, ...band, name, unit, digits, expected: lineOf(story, picture) });
  }, [points, found, picture, normal, zone, marks, story]);
  const range = normal && rangeOf(normal);
  const label = labelOf({
    what: picture.name,
    miner,
    values: points.map(([, value]) => value),
    amount: (value) => `${number(value, picture.digits)} ${picture.unit}`,
    normal: range && { ...range, whose: normal.whose },
  });
  return <Chart draw={draw} label={label} height={250} />;
}

/** What is kept over time is drawn as it is; of anything else one looks at the hashrate, with the hashrate's own normal,
 * which was learnt as a share of its reference hashrate.
 */
export function pictureOf(metric: string, reference: number | null): Picture {
  switch (metric) {
    case "temp_max":
      return { metric, name: t("chart.temperature"), unit: "°C", digits: 1, pick: (one) => one.temp_max_c, scale: 1 };
    case "efficiency":
      return { metric, name: t("miner.efficiency"), unit: "J/TH", digits: 1, pick: (one) => one.efficiency_j_th, scale: 1 };
    case "reject_rate":
      return { metric, name: t("miner.rejects"), unit: "%", digits: 2, pick: rejectsOf, scale: 100 };
  }
  const pick = (one: Point) => one.hashrate_ths;
  return { metric: "hashrate_ratio", name: t("chart.hashrate"), unit: "TH/s", digits: 1, pick, scale: reference ?? 0 };
}

const rejectsOf = (one: Point) => (one.reject_rate === null ? null : one.reject_rate * 100);

/** What it is judged against: the limit that it passed, or what it should hash now, in its mode. */
export function lineOf(story: Story, picture: Picture): { value: number; name: string } | null {
  const limit = newest(story.problem)?.threshold ?? null;
  if (LIMITED.test(story.problem.issue_code) && limit !== null) {
    return { value: limit * picture.scale, name: t("evidence.limit", { limit: valueOf(picture.metric, limit, true) }) };
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
