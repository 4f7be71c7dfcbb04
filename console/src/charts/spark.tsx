// A line of 24 hours in the height of a row: drawn as SVG, without axes, with its words for those who cannot see it.
import { t } from "../i18n";
import { hashrate, text } from "../i18n/format";
import { withGaps, type Point } from "./points";

const WIDTH = 120;
const HEIGHT = 22;

type Given = { points: Point[]; start: number; end: number; expected?: number | null };

export function Spark({ points, start, end, expected }: Given) {
  const known = points.map(([, value]) => value).filter((point) => point !== null);
  if (known.length < 2) return <span className="quiet">—</span>;
  const low = Math.min(...known);
  const high = Math.max(...known, expected ?? 0);
  // from three quarters of the highest: a fleet that loses 5 % should look like that, and not like a cliff
  const floor = Math.min(low, high * 0.75);
  const x = (at: number) => ((at - start) / (end - start)) * WIDTH;
  const y = (value: number) => HEIGHT - 2 - ((value - floor) / (high - floor || 1)) * (HEIGHT - 6);
  let path = "";
  let pen = false;
  for (const [at, value] of withGaps(points)) {
    if (value !== null) path += `${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = value !== null;
  }
  const label = `${t("chart.hashrate")}: ${text(hashrate(low))} – ${text(hashrate(Math.max(...known)))}`;
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      {expected ? <line x1="0" x2={WIDTH} y1={y(expected)} y2={y(expected)} className="spark-expected" /> : null}
      <path d={path} className="spark-line" />
    </svg>
  );
}
