import { expect, test } from "vitest";
import { mayCommand } from "../src/command/permissions";
import { bestCommand } from "../src/problems/recommendations";
import type { CommandType, Permission, ProblemDetails } from "../src/api/types";

const technician = (permission: Permission) => permission === "command";
const operator = (permission: Permission) => permission === "command" || permission === "command_high";
const TYPES: Pick<CommandType, "command_type" | "risk">[] = [
  { command_type: "reboot_device", risk: "high" },
  { command_type: "restart_mining", risk: "medium" },
];
const detailsAdvising = (...actions: string[]) => ({ problem: {}, rule: { recommended_actions: actions } }) as ProblemDetails;

test("high risk and many machines need command_high", () => {
  expect(mayCommand(technician, 1)).toBe(true);
  expect(mayCommand(technician, 1, "medium")).toBe(true);
  expect(mayCommand(technician, 1, "high")).toBe(false);
  expect(mayCommand(technician, 2)).toBe(false);
  expect(mayCommand(operator, 27, "high")).toBe(true);
  expect(mayCommand(() => false, 1)).toBe(false);
});

test("recommended commands are offered to those who may send them", () => {
  expect(bestCommand(detailsAdvising("reboot", "restart"), TYPES, operator)).toBe("reboot_device");
  expect(bestCommand(detailsAdvising("reboot", "restart"), TYPES, technician)).toBe("restart_mining");
  expect(bestCommand(detailsAdvising("reboot"), TYPES, technician)).toBeNull();
  expect(bestCommand(detailsAdvising("restart"), [], technician)).toBeNull(); // its risk is not known yet
});
