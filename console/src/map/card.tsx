// What a machine is doing, beside the pointer.
import type { Cells, SiteSums } from "../api/known";
import { named, t } from "../i18n";
import { hashrate, number, power, span, text, UNKNOWN } from "../i18n/format";
import { Sev } from "../ui/severity";
import type { Room } from "./layout";

type Props = { site: SiteSums; cells: Cells; cell: number; x: number; y: number; room: Room | undefined };
const WIDE = 230;
const HIGH = 150;

export function HoverCard({ site, cells, cell, x, y, room }: Props) {
  const { columns, named: words } = cells;
  const word = (name: keyof Cells["named"]) => words[name].words[words[name].index[cell] ?? -1] ?? null;
  const state = word("data_state");
  const place = [site.name, word("zone"), word("rack"), columns.position[cell]].filter(Boolean).join(" · ");
  const temperature = columns.temp_max_c[cell];
  // on the other side of the pointer where it would leave the map
  const over = (at: number, size: number, most: number | undefined) => most !== undefined && at + 14 + size > most + 24;
  const style = {
    left: over(x, WIDE, room?.w) ? Math.max(0, x - WIDE - 6) : x + 14,
    top: over(y, HIGH, room?.h) ? Math.max(0, y - HIGH - 6) : y + 14,
  };
  return (
    <div className="hover-card stack" style={style}>
      <div className="row">
        <strong>{columns.miner_id[cell]}</strong>
        <Sev of={word("overall_health")} />
      </div>
      <div className="quiet">{place}</div>
      <div className="quiet">{[word("model"), word("firmware")].filter(Boolean).join(" · ")}</div>
      <div>
        {text(hashrate(columns.hashrate_ths[cell]))} / {text(hashrate(columns.expected_ths[cell]))}
      </div>
      <div>
        {temperature === null || temperature === undefined ? UNKNOWN : `${number(temperature, 1)} °C`} ·{" "}
        {text(power(columns.power_w[cell]))}
      </div>
      <div className="quiet">
        {[named("data", state), named("reason", word("data_reason"))].join(t("colon"))} · {span(columns.age_sec[cell])}
      </div>
    </div>
  );
}
