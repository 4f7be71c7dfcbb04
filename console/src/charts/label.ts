// A chart in words, for who cannot see it: how far its line reaches, and what is normal for the machine.
import { t } from "../i18n";

type Range = { low: number; high: number };
export type Words = {
  what: string;
  miner: string;
  values: (number | null)[];
  amount: (value: number) => string;
  normal?: (Range & { whose: "own" | "peers" }) | null;
};

export function labelOf({ what, miner, values, amount, normal }: Words): string {
  const known = values.filter((value) => value !== null);
  const [low, high] = [amount(Math.min(...known)), amount(Math.max(...known))];
  const label = t("miner.chart.label", { what, miner, n: values.length, low, high });
  if (!normal) return label;
  return t(`miner.chart.${normal.whose}`, { label, low: amount(normal.low), high: amount(normal.high) });
}
