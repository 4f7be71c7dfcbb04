// What was tried against a problem: commands that name it, and those that name none while it lasted.
import { queryOptions } from "@tanstack/react-query";
import { get } from "../api/client";
import type { CommandRow } from "../api/known";
import { whileOpen } from "../api/queries";
import type { Problem } from "./types";

const SHOWN = 20;

/** Newest first. What was done about another problem of the machine is that one's. */
export function triedOf(named: CommandRow[], meanwhile: CommandRow[]): CommandRow[] {
  const when = (one: CommandRow) => Date.parse(String(one.created_at));
  return [...named, ...meanwhile.filter((one) => one.problem_id === null)].sort((a, b) => when(b) - when(a));
}

export const triedQuery = (site: number, miner: string, { id, start_ts, resolved_ts }: Problem) =>
  queryOptions({
    queryKey: ["commands", site, miner, "tried", id, start_ts, resolved_ts],
    queryFn: async ({ signal }): Promise<CommandRow[]> => {
      const read = async (only: { problem_id: string } | { since: string; until?: string }) => {
        const query = { site_id: site, miner_id: miner, limit: SHOWN, ...only };
        return (await get("/api/admin/v1/commands", { query, signal })).commands as CommandRow[];
      };
      const span = { since: start_ts, ...(resolved_ts ? { until: resolved_ts } : {}) };
      return triedOf(...(await Promise.all([read({ problem_id: id }), read(span)])));
    },
    refetchInterval: whileOpen,
  });
