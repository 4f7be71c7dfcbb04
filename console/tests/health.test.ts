// Who is unknown at a site, and what of the advice a command can do.
import { expect, test } from "vitest";
import type { SiteSums } from "../src/api/known";
import type { Summary } from "../src/problems/api";
import { unknownOf } from "../src/problems/health";
import { commandFor } from "../src/problems/recommended";

const site = { unknown: 0 } as SiteSums;

test("machines that the registry could not judge are unknown, though their data are fresh", () => {
  expect(unknownOf(site, { unknown_miners: 666 } as Summary)).toBe(666);
  expect(unknownOf({ ...site, unknown: 36 }, undefined)).toBe(36);
});

test("no command is offered for what takes hands: an offline machine hears none", () => {
  expect(commandFor("power_cycle")).toBeNull();
  expect(commandFor("check_network")).toBeNull();
  expect(commandFor("reboot")).toBe("reboot_device");
});
