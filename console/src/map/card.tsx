// Hover card of a machine.
import type { Cells, SiteTotals } from "../api/types";
import { wordFor, t } from "../i18n";
import { clock, hashrate, number, power, span, text, UNKNOWN } from "../i18n/format";
import { Sev } from "../ui/severity";
import type { Room } from "./layout";
import type { Columns } from "./measures";

type Props = {
  site: SiteTotals;
  cells: Cells;
  columns: Columns; // of the time that the map shows
  at: string | null;
  row: number;
  x: number;
  y: number;
  room: Room | undefined;
};
const WIDE = 230;
const HIGH = 150;

export function HoverCard({ site, cells, columns, at, row, x, y, room }: Props) {
  const { columns: now, named: words } = cells;
  const word = (name: keyof Cells["named"]) => words[name].words[words[name].index[row] ?? -1] ?? null;
  const state = word("data_state");
  const place = [site.name, word("zone"), word("rack"), now.position[row]].filter(Boolean).join(" · ");
  const temperature = columns.temperature[row];
  const inferred = word("inferred_mode");
  const mode = inferred && inferred !== "unknown" ? wordFor("mode", inferred) : null;
  // on the other side of the pointer where it would leave the map
  const over = (at: number, size: number, most: number | undefined) => most !== undefined && at + 14 + size > most + 24;
  const style = {
    left: over(x, WIDE, room?.w) ? Math.max(0, x - WIDE - 6) : x + 14,
    top: over(y, HIGH, room?.h) ? Math.max(0, y - HIGH - 6) : y + 14,
  };
  return (
    <div className="hover-card stack" style={style}>
      <div className="row">
        <strong>{now.miner_id[row]}</strong>
        {at === null ? <Sev of={word("condition")} /> : null}
      </div>
      <div className="quiet">{place}</div>
      <div className="quiet">{[word("model"), word("firmware"), mode].filter(Boolean).join(" · ")}</div>
      {at === null && word("expected_state") ? <div>{wordFor("expected", word("expected_state"))}</div> : null}
      <div>
        {text(hashrate(columns.hashrate[row]))}
        {columns.stopped(row) ? null : ` / ${text(hashrate(columns.expected[row]))}`}
      </div>
      <div>
        {temperature === null || temperature === undefined ? UNKNOWN : `${number(temperature, 1)} °C`} ·{" "}
        {text(power(columns.power[row]))}
      </div>
      <div className="quiet">
        {at === null
          ? `${[wordFor("data", state), wordFor("reason", word("data_reason"))].join(t("colon"))} · ${span(now.age_sec[row])}`
          : clock(at, site.timezone, true)}
      </div>
    </div>
  );
}
