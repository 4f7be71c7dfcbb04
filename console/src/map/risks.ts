// What the map colours by besides telemetry: the tenant's own limits, and the risk that the registry gives.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { settingsQuery } from "../api/queries";
import { useWhole } from "../api/session";
import { riskQuery } from "../problems/api";
import { LEAST_RISK, type Limits } from "./measures";

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

/** The chance to fail within a day, by machine, from the lowest class that is coloured; empty where no model says any. */
export function useRisk(site: number, isShown: boolean): Map<number, number> {
  const found = useQuery({ ...riskQuery(site, LEAST_RISK), enabled: isShown }).data;
  return useMemo(() => {
    const risk = new Map<number, number>();
    for (const one of found ?? []) {
      if (one.miner_no === null || one.p_fail_24h === null) continue;
      risk.set(one.miner_no, Math.max(risk.get(one.miner_no) ?? 0, one.p_fail_24h));
    }
    return risk;
  }, [found]);
}
