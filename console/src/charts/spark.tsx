// A line of 24 hours in the height of a row: drawn as SVG, without axes, with its words for those who cannot see it.
import { t } from "../i18n";
import { hashrate, text } from "../i18n/format";

const WIDTH = 120;
const HEIGHT = 22;

export function Spark({ values, expected }: { values: (number | null)[]; expected?: number | null }) {
  const known = values.filter((one) => one !== null);
  if (known.length < 2) return <span className="quiet">—</span>;
  const low = Math.min(...known);
  const high = Math.max(...known, expected ?? 0);
  // from three quarters of the highest: a fleet that loses 5 % should look like that, and not like a cliff
  const floor = Math.min(low, high * 0.75);
  const x = (no: number) => (no / (values.length - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - 2 - ((value - floor) / (high - floor || 1)) * (HEIGHT - 6);
  let path = "";
  let pen = false;
  values.forEach((value, no) => {
    if (value === null) {
      pen = false;
      return;
    }
    path += `${pen ? "L" : "M"}${x(no).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = true;
  });
  const label = `${t("chart.hashrate")}: ${text(hashrate(low))} – ${text(hashrate(Math.max(...known)))}`;
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      {expected ? <line x1="0" x2={WIDTH} y1={y(expected)} y2={y(expected)} className="spark-expected" /> : null}
      <path d={path} className="spark-line" />
    </svg>
  );
}
