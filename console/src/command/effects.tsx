// The effects of a command, shown before it is confirmed.
import { t, texts, type Key } from "../i18n";
import { hashrate, number, percent, power, text } from "../i18n/format";
import { errorText } from "../ui/errors";
import type { CommandType, DryRun } from "../api/types";

const SHOWN = 4;
const LEAST_SHARE = 0.001;

/** A few of many thousands are not 0 %. */
function shareOf(share: number): string {
  return share > 0 && share < LEAST_SHARE ? `< ${percent(LEAST_SHARE, 1)}` : percent(share, 1);
}

function causeText({ code, value, limit, window_min }: DryRun["approval_causes"][number]): string {
  const key = `because.${code}`;
  return key in texts ? t(key as Key, { value: number(value), limit: number(limit), minutes: number(window_min) }) : code;
}

/** Whether the site's cap on machines down holds some back, or an emergency exceeds it. */
function capText(radius: NonNullable<DryRun["blast_radius"]>): string | null {
  const figures = { n: number(radius.would_wait), down: number(radius.down_now), cap: number(radius.cap) };
  if (radius.exceeds_cap) return t("cmd.effect.over_cap", figures);
  return radius.would_wait ? t("cmd.effect.would_wait", figures) : null;
}

export function Effects({ kind, run }: { kind: CommandType; run: DryRun }) {
  const n = number(run.machines);
  const held = run.blast_radius ? capText(run.blast_radius) : null;
  return (
    <>
      {run.machines === 0 ? (
        <p>{t("cmd.effect.none")}</p>
      ) : (
        <>
          <p>
            <strong>{t(`cmd.effect.${kind.effect}`, { n })}</strong>
          </p>
          <p>
            {t("cmd.effect.size", {
              hashrate: text(hashrate(run.ths)),
              power: text(power(run.kw * 1000)),
              share: shareOf(run.share_of_site),
            })}
          </p>
          {run.unknown_power ? <p>{t("cmd.effect.unknown", { n: number(run.unknown_power) })}</p> : null}
        </>
      )}
      {held ? <p>{held}</p> : null}
      {run.counts.supersedes ? <p>{t("cmd.effect.supersedes", { n: number(run.counts.supersedes) })}</p> : null}
      {run.counts.excluded ? (
        <>
          <p>{t("cmd.effect.excluded", { n: number(run.counts.excluded) })}</p>
          <ul>
            {run.excluded.slice(0, SHOWN).map(({ miner_id, error_code, reason }) => (
              <li key={miner_id}>
                {miner_id}: {errorText(error_code, reason)}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {run.machines ? (
        <p>{run.needs_approval ? t("cmd.approval", { reasons: run.approval_causes.map(causeText).join(t("cmd.and")) }) : t("cmd.direct")}</p>
      ) : null}
    </>
  );
}
