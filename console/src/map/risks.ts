// What the map colours by besides telemetry: the tenant's own limits, and the risk that the registry gives.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { settingsQuery } from "../api/queries";
import { useWhole } from "../api/session";
import { riskQuery } from "../problems/api";
import { LEAST_RISK, type Limits, type Risk } from "./measures";

const DEFAULTS: Limits = { warn: 75, crit: 85 };

export function useLimits(): Limits {
  const isWhole = useWhole();
  const found = useQuery({ ...settingsQuery, enabled: isWhole }).data as { settings?: Given } | undefined;
  const given = found?.settings?.thresholds;
  const warn = given?.overheat_warn_c ?? DEFAULTS.warn;
  const crit = given?.overheat_crit_c ?? DEFAULTS.crit;
  return useMemo(() => ({ warn, crit }), [warn, crit]);
}

type Given = { thresholds?: { overheat_warn_c?: number; overheat_crit_c?: number } };

/** The chance to fail within a day, by machine, from the lowest class that is coloured.
 *
 * Null where no model says any, undefined until that has been told.
 */
export function useRisk(site: number, isShown: boolean): Risk | null | undefined {
  const found = useQuery({ ...riskQuery(site, LEAST_RISK), enabled: isShown }).data;
  return useMemo(() => {
    if (!found?.judged) return found && null;
    const { miner_no, p_fail_24h } = found.columns;
    return new Map(miner_no.map((no, row) => [no, p_fail_24h[row] ?? 0]));
  }, [found]);
}
