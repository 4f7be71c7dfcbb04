// What a PH/s earns in a day, where the tenant's settings may be read; without it losses are told in TH/s.
import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "../api/queries";
import { useWhole } from "../api/session";

export type Prices = { perPhDay: number; currency: string };

export function usePrices(): Prices | null {
  const isWhole = useWhole();
  const found = useQuery({ ...settingsQuery, enabled: isWhole }).data;
  const prices = (found?.settings ?? found) as { prices?: { hashrate_per_ph_day: number; currency: string } } | undefined;
  if (!prices?.prices) return null;
  return { perPhDay: prices.prices.hashrate_per_ph_day, currency: prices.prices.currency };
}
