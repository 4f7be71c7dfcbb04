// Data for map colours besides telemetry: temperature limits and failure risk.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { riskQuery, temperatureLimitsQuery } from "../problems/api";
import { LEAST_RISK, type Limits, type Risk } from "./measures";

/** The limits that problems are judged by, of each machine's own make, model and sensor. */
export function useLimits(site: number, isShown: boolean): Limits {
  const answer = useQuery({ ...temperatureLimitsQuery(site), enabled: isShown }).data;
  return useMemo(() => {
    if (!answer) return undefined;
    const pairs = answer.limits.map(({ warn_c, crit_c, other }) => ({
      warn: warn_c,
      crit: crit_c,
      other: { warn: other.warn_c, crit: other.crit_c },
    }));
    const { miner_no, limit } = answer.columns;
    return new Map(miner_no.flatMap((no, row) => {
      const pair = pairs[limit[row] ?? -1];
      return pair ? [[no, pair] as const] : [];
    }));
  }, [answer]);
}

/** The chance to fail within a day, by machine, from the lowest class that is coloured.
 *
 * Null without a risk model, undefined while loading.
 */
export function useRisk(site: number, isShown: boolean): Risk | null | undefined {
  const risks = useQuery({ ...riskQuery(site, LEAST_RISK), enabled: isShown }).data;
  return useMemo(() => {
    if (!risks?.judged) return risks && null;
    const { miner_no, p_fail_24h } = risks.columns;
    return new Map(miner_no.map((no, row) => [no, p_fail_24h[row] ?? 0]));
  }, [risks]);
}
