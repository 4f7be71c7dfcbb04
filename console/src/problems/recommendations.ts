// Recommended actions, and which of them a command can do; the rest is physical work.
import type { CommandType, Permission, ProblemDetails } from "../api/types";
import { mayCommand } from "../command/permissions";

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

export function recommended(story: ProblemDetails): string[] {
  const actions = [
    ...(story.problem.health_json?.hypotheses ?? []).flatMap(({ recommended_actions }) => recommended_actions ?? []),
    ...(story.rule?.recommended_actions ?? []),
  ];
  return [...new Set(actions)];
}

/** The first recommended command that is allowed; a type that is not loaded yet counts as high risk. */
export function bestCommand(story: ProblemDetails, types: Pick<CommandType, "command_type" | "risk">[], may: (permission: Permission) => boolean): string | null {
  const risks = new Map<string, CommandType["risk"]>(types.map(({ command_type, risk }) => [command_type, risk]));
  const isOffered = (type: string | null) => type !== null && mayCommand(may, 1, risks.get(type) ?? "high");
  return recommended(story).map(commandFor).find(isOffered) ?? null;
}
