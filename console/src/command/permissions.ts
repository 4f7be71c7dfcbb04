// Who may send a command: high risk and more than one machine need their own permission, as on the server.
import type { Permission } from "../api/types";

export function mayCommand(may: (right: Permission) => boolean, machines: number, risk?: string): boolean {
  return may(machines > 1 || risk === "high" ? "command_high" : "command");
}
