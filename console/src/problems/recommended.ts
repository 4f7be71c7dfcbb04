// What is recommended, and which of it a command can do; the rest is for hands.
import type { Problem } from "./types";

const COMMANDS: Record<string, string> = {
  restart: "restart_mining",
  restart_mining: "restart_mining",
  stop_mining: "disable_hashing",
  power_cycle: "reboot_device",
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

export function recommended(problem: Problem): string[] {
  const health = problem.health_json;
  const named = [
    ...(health?.hypotheses ?? []).flatMap((one) => one.recommended_actions ?? []),
    ...(health?.issues ?? [])
      .filter((one) => one.issue_code === problem.issue_code)
      .flatMap((one) => one.recommended_actions ?? []),
  ];
  return [...new Set(named)];
}
