// The consequences of a command in words, before anybody confirms them.
import { t, type Key } from "../i18n";
import { hashrate, number, percent, power, text } from "../i18n/format";
import type { Kind } from "./params";

export type DryRun = {
  machines: number;
  kw: number;
  ths: number;
  share_of_site: number;
  unknown_power: number;
  excluded: { miner_id: string; reason: string }[];
  counts: { excluded: number; supersedes: number };
  needs_approval: boolean;
  approval_reasons: string[];
};

const SHOWN = 4;

export function Effects({ kind, run }: { kind: Kind; run: DryRun }) {
  const n = number(run.machines);
  return (
    <>
      {run.machines === 0 ? (
        <p>{t("cmd.effect.none")}</p>
      ) : (
        <>
          <p>
            <strong>{t(`cmd.effect.${kind.effect}` as Key, { n })}</strong>
          </p>
          <p>
            {t("cmd.effect.size", {
              hashrate: text(hashrate(run.ths)),
              power: text(power(run.kw * 1000)),
              share: percent(run.share_of_site, 1),
            })}
          </p>
          {run.unknown_power ? <p>{t("cmd.effect.unknown", { n: number(run.unknown_power) })}</p> : null}
        </>
      )}
      {run.counts.supersedes ? <p>{t("cmd.effect.supersedes", { n: number(run.counts.supersedes) })}</p> : null}
      {run.counts.excluded ? (
        <>
          <p>{t("cmd.effect.excluded", { n: number(run.counts.excluded) })}</p>
          <ul>
            {run.excluded.slice(0, SHOWN).map((one) => (
              <li key={one.miner_id}>
                {one.miner_id}: {one.reason}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {run.machines ? (
        <p>{run.needs_approval ? t("cmd.approval", { reasons: run.approval_reasons.join("; ") }) : t("cmd.direct")}</p>
      ) : null}
    </>
  );
}
