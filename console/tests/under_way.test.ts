// What is asked for while something else has no answer yet.
import { expect, test } from "vitest";
import type { Problem } from "../src/problems/types";
import { areBusy, freshOf, type Asked } from "../src/problems/under_way";

const [first, second, third] = ["p-1", "p-2", "p-3"].map((id) => ({ id }) as Problem) as [Problem, Problem, Problem];
const taken: Asked = { problems: [first], verb: "acknowledge" };

test("an act on one problem does not keep the same from being done to another", () => {
  expect(freshOf({ problems: [second], verb: "acknowledge" }, [taken])).toEqual([second]);
  expect(areBusy([second], [taken])).toBe(false);
});

test("the second press of a double click asks for nothing, and of many only the rest are asked for", () => {
  expect(freshOf(taken, [taken])).toEqual([]);
  expect(freshOf({ problems: [first, second, third], verb: "acknowledge" }, [taken])).toEqual([second, third]);
  expect(areBusy([second, first], [taken])).toBe(true);
});

test("another act, or another word about the same problem, is another wish", () => {
  expect(freshOf({ problems: [first], verb: "start" }, [taken])).toEqual([first]);
  const comment = (words: string): Asked => ({ problems: [first], verb: "comment", said: { comment: words } });
  expect(freshOf(comment("cold"), [comment("cold")])).toEqual([]);
  expect(freshOf(comment("and dark"), [comment("cold")])).toEqual([first]);
});
