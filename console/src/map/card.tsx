// What a machine is doing, beside the pointer.
import type { Cells, SiteSums } from "../api/known";
import { named } from "../i18n";
import { hashrate, number, power, span, text, UNKNOWN } from "../i18n/format";
import { Sev } from "../ui/severity";

export function HoverCard({ site, cells, cell, x, y }: { site: SiteSums; cells: Cells; cell: number; x: number; y: number }) {
  const { columns, named: words } = cells;
  const word = (name: keyof Cells["named"]) => words[name].words[words[name].index[cell] ?? -1] ?? null;
  const state = word("data_state");
  const place = [site.name, word("zone"), word("rack"), columns.position[cell]].filter(Boolean).join(" · ");
  const temperature = columns.temp_max_c[cell];
  // to the left of the pointer on the right half, so that it stays inside
  const style = { left: x + 14, top: y + 14 };
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
        {named("data", state)}: {named("reason", word("data_reason"))} · {span(columns.age_sec[cell])}
      </div>
    </div>
  );
}
