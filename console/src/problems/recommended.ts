// What is recommended, and which of it a command can do; the rest is for hands.
import type { Right } from "../api/session";
import type { Kind } from "../command/params";
import { mayCommand } from "../command/rights";
import type { Story } from "./types";

const COMMANDS: Record<string, string> = {
  restart: "restart_mining",
  restart_mining: "restart_mining",
  stop_mining: "disable_hashing",
  reboot: "reboot_device",
  reboot_device: "reboot_device",
  set_power_mode: "set_power_mode",
  set_pool: "set_pool",
  set_fan: "set_fan",
  set_frequency: "set_frequency",
};

export function commandFor(action: string): string | null {
  return COMMANDS[action] ?? null;
}

export function recommended(story: Story): string[] {
  const named = [
    ...(story.problem.health_json?.hypotheses ?? []).flatMap((one) => one.recommended_actions ?? []),
    ...(story.rule?.recommended_actions ?? []),
  ];
  return [...new Set(named)];
}

/** The first of it that one may command; what the catalogue has not told yet may be of high risk. */
export function bestOf(story: Story, kinds: Pick<Kind, "command_type" | "risk">[], may: (right: Right) => boolean): string | null {
  const risks = new Map(kinds.map((one) => [one.command_type, one.risk]));
  const isOffered = (one: string | null) => one !== null && mayCommand(may, 1, risks.get(one) ?? "high");
  return recommended(story).map(commandFor).find(isOffered) ?? null;
}
