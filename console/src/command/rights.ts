// What one may command: as the server has it, high risk and more than one machine take a right of their own.
import type { Right } from "../api/session";

export function mayCommand(may: (right: Right) => boolean, machines: number, risk?: string): boolean {
  return may(machines > 1 || risk === "high" ? "command_high" : "command");
}
