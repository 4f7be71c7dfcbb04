// Hashrate, loss and efficiency of a site or of the fleet.
import type { FleetEfficiency } from "../api/types";
import { t } from "../i18n";
import { hashrate, money, number, percent, text } from "../i18n/format";
import type { Prices } from "../problems/prices";
import { Amount, Figure } from "../ui/quantity";
import { hasLossAndSurplus, isNegligible, type Balance } from "./balance";

export function Hashing({ of }: { of: Balance }) {
  const share = of.now !== null && of.known > 0 ? percent(of.now / of.known, 1) : null;
  return (
    <Figure label={t("col.hashrate")} hint={share && of.unknown > 0 ? t("fleet.known", { share }) : share}>
      <Against of={of} />
    </Figure>
  );
}

/** Each with its own unit, where they differ. */
export function Against({ of }: { of: Balance }) {
  const [now, expected] = [hashrate(of.now), hashrate(of.expected)];
  return (
    <>
      {now.unit === expected.unit ? now.value : text(now)} / <Amount of={expected} />
    </>
  );
}

export function Lost({ of, prices }: { of: Balance; prices: Prices | null }) {
  const { lost, unknown, stopped, surplus } = of;
  const hints = [
    hasLossAndSurplus(of) ? t("fleet.lost.surplus", { surplus: text(hashrate(surplus)) }) : null,
    unknown > 0 ? t("fleet.lost.dark", { unknown: text(hashrate(unknown)) }) : null,
    stopped > 0 ? t("fleet.lost.stopped", { stopped: text(hashrate(stopped)) }) : null,
  ].filter(Boolean);
  const words = () => {
    if (isNegligible(of)) return t("fleet.lost.nothing");
    if (lost === null || !prices) return text(hashrate(lost));
    return t("fleet.lost.day", { lost: text(hashrate(lost)), money: money((lost / 1000) * prices.perPhDay, prices.currency) });
  };
  return (
    <Figure label={t("fleet.lost")} hint={hints.length ? hints.join(" · ") : null}>
      {words()}
    </Figure>
  );
}

/** As the server computes it: over the same five minutes, without machines of unknown power. */
export function Efficiency({ of }: { of: FleetEfficiency }) {
  const without = of.efficiency_left_out;
  return (
    <Figure label={t("col.efficiency")} hint={without > 0 ? t("fleet.without", { n: number(without) }) : null}>
      <Amount of={{ value: number(of.efficiency_j_th, 1), unit: "J/TH" }} />
    </Figure>
  );
}
