// What is offered to those who may command a little, and to those who may command all.
import { expect, test } from "vitest";
import type { Right } from "../src/api/session";
import { mayCommand } from "../src/command/rights";
import { bestOf } from "../src/problems/recommended";
import type { Story } from "../src/problems/types";

const technician = (right: Right) => right === "command";
const operator = (right: Right) => right === "command" || right === "command_high";
const KINDS = [
  { command_type: "reboot_device", risk: "high" },
  { command_type: "restart_mining", risk: "medium" },
];
const advising = (...actions: string[]) => ({ problem: {}, rule: { recommended_actions: actions } }) as unknown as Story;

test("high risk and many machines take a right of their own", () => {
  expect(mayCommand(technician, 1)).toBe(true);
  expect(mayCommand(technician, 1, "medium")).toBe(true);
  expect(mayCommand(technician, 1, "high")).toBe(false);
  expect(mayCommand(technician, 2)).toBe(false);
  expect(mayCommand(operator, 27, "high")).toBe(true);
  expect(mayCommand(() => false, 1)).toBe(false);
});

test("what is recommended is offered to those who may do it", () => {
  expect(bestOf(advising("reboot", "restart"), KINDS, operator)).toBe("reboot_device");
  expect(bestOf(advising("reboot", "restart"), KINDS, technician)).toBe("restart_mining");
  expect(bestOf(advising("reboot"), KINDS, technician)).toBeNull();
  expect(bestOf(advising("restart"), [], technician)).toBeNull(); // nobody has said yet how risky it is
});
