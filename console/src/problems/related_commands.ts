// Commands sent for a problem, and those sent without one while it was open.
import { queryOptions } from "@tanstack/react-query";
import { get } from "../api/client";
import type { Command, Problem } from "../api/types";
import { pollWhileOpen } from "../api/queries";

const SHOWN = 20;

/** Newest first. Commands for another problem of the machine are left out. */
export function mergeRelated(ofProblem: Command[], meanwhile: Command[]): Command[] {
  const when = (command: Command) => Date.parse(command.created_at);
  return [...ofProblem, ...meanwhile.filter(({ problem_id }) => problem_id === null)].sort((a, b) => when(b) - when(a));
}

export const relatedCommandsQuery = (site: number, miner: string, { id, start_ts, resolved_ts }: Problem) =>
  queryOptions({
    queryKey: ["commands", site, miner, "tried", id, start_ts, resolved_ts],
    queryFn: async ({ signal }): Promise<Command[]> => {
      const read = async (only: { problem_id: string } | { since: string; until?: string }) => {
        const query = { site_id: site, miner_id: miner, limit: SHOWN, ...only };
        return (await get("/api/admin/v1/commands", { query, signal })).commands;
      };
      const span = { since: start_ts, ...(resolved_ts ? { until: resolved_ts } : {}) };
      return mergeRelated(...(await Promise.all([read({ problem_id: id }), read(span)])));
    },
    refetchInterval: pollWhileOpen,
  });
