import { expect, test } from "vitest";
import type { Command } from "../src/api/types";
import { mergeRelated } from "../src/problems/related_commands";

const command = (id: string, problem: string | null, hour: number) =>
  ({ command_id: id, problem_id: problem, created_at: `2026-10-01T0${hour}:00:00Z` }) as Command;

test("what was tried names this problem, or none at all while it lasted", () => {
  const named = [command("late", "p-1", 9), command("early", "p-1", 2)];
  const meanwhile = [command("of another", "p-2", 5), command("by hand", null, 4), command("early", "p-1", 2)];
  expect(mergeRelated(named, meanwhile).map((item) => item.command_id)).toEqual(["late", "by hand", "early"]);
});
