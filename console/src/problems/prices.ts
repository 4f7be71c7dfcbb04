// Daily revenue per PH/s, for those who may read the tenant's settings; others see losses in TH/s only.
import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "../api/queries";
import { useIsWholeTenant } from "../api/session";

export type Prices = { perPhDay: number; currency: string };

export function usePrices(): Prices | null {
  const isWholeTenant = useIsWholeTenant();
  const prices = useQuery({ ...settingsQuery, enabled: isWholeTenant }).data?.settings.prices;
  return prices ? { perPhDay: prices.hashrate_per_ph_day, currency: prices.currency } : null;
}
