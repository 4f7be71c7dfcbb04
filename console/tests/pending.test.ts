import { expect, test } from "vitest";
import type { Problem } from "../src/api/types";
import { arePending, notPending, type ActionRequest } from "../src/problems/pending";

const [first, second, third] = ["p-1", "p-2", "p-3"].map((id) => ({ id }) as Problem) as [Problem, Problem, Problem];
const taken: ActionRequest = { problems: [first], action: "acknowledge" };

test("an action on one problem does not block the same action on another", () => {
  expect(notPending({ problems: [second], action: "acknowledge" }, [taken])).toEqual([second]);
  expect(arePending([second], [taken])).toBe(false);
});

test("a second press sends nothing, and a larger selection sends only the rest", () => {
  expect(notPending(taken, [taken])).toEqual([]);
  expect(notPending({ problems: [first, second, third], action: "acknowledge" }, [taken])).toEqual([second, third]);
  expect(arePending([second, first], [taken])).toBe(true);
});

test("another action or another comment on the same problem is sent", () => {
  expect(notPending({ problems: [first], action: "start" }, [taken])).toEqual([first]);
  const comment = (text: string): ActionRequest => ({ problems: [first], action: "comment", input: { comment: text } });
  expect(notPending(comment("cold"), [comment("cold")])).toEqual([]);
  expect(notPending(comment("and dark"), [comment("cold")])).toEqual([first]);
});
