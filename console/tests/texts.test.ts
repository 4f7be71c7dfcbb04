// Every text in both languages, every key used, and no word on a page that is not in the table.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { fill, texts, type Pair } from "../src/i18n";

const SOURCE = join(import.meta.dirname, "../src");
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
  .map((name) => ({ name, text: readFileSync(join(SOURCE, name), "utf8") }));
const pairs = Object.entries(texts) as [string, Pair][];
const marks = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((found) => found[1]))].sort();

// the same in every language: names, units and the languages' own names
const SAME = new Set(["app.name", "user.english", "user.chinese", "miner.mac", "evidence.z", "map.then", "miner.change"]);
// what is read aloud or shown from an attribute
const SHOWN = new Set(["aria-label", "title", "placeholder", "alt", "label", "hint"]);
// symbols and units that are no language's words
const NEUTRAL = /^[\s\d.,:;·/›≈×%°()\[\]{}+–—|-]*$|^(Ctrl K|J\/TH|TH\/s|°C|rpm)$/;

describe("texts", () => {
  it("are there in both languages, and the Chinese ones are Chinese", () => {
    expect(pairs.length).toBeGreaterThan(200);
    for (const [key, [en, zh]] of pairs) {
      expect(en.trim(), key).not.toBe("");
      if (!SAME.has(key)) expect(zh, key).toMatch(/[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u);
      if (key !== "user.chinese") expect(en, key).not.toMatch(/[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u);
    }
  });

  it("take the same values in both languages", () => {
    for (const [key, [en, zh]] of pairs) expect(marks(zh), key).toEqual(marks(en));
  });

  it("say one machine and many machines", () => {
    expect(fill("{n} {n|machine|machines}", { n: "1" })).toBe("1 machine");
    expect(fill("{n} {n|machine|machines}", { n: "1,200" })).toBe("1,200 machines");
    expect(fill("{n} {n|machine|machines}", { n: 0 })).toBe("0 machines");
  });

  it("are all that a page says: no bare word in any component", () => {
    const bare = files.filter((file) => file.name.endsWith(".tsx")).flatMap(wordsOf);
    expect(bare).toEqual([]);
    expect(wordsOf({ name: "planted.tsx", text: 'const a = <b title="Hello">World</b>;' })).toHaveLength(2);
  });

  it("are each used somewhere, by name or by the beginning of one", () => {
    const all = files.map((file) => (file.name.startsWith("i18n") ? "" : file.text)).join("\n");
    const begun = [...all.matchAll(/wordFor\("(\w+)"|`(\w+(?:\.\w+)*)\.\$\{/g)].map((found) => found[1] ?? found[2]);
    const unused = pairs
      .map(([key]) => key)
      .filter((key) => !all.includes(`"${key}"`) && !begun.some((begin) => key.startsWith(`${begin}.`)))
      .filter((key) => !readFileSync(join(SOURCE, "i18n/format.ts"), "utf8").includes(`"${key}"`));
    expect(unused).toEqual([]);
  });
});

function wordsOf(file: { name: string; text: string }): string[] {
  const found: string[] = [];
  const tree = ts.createSourceFile(file.name, file.text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const note = (text: string) => {
    if (!NEUTRAL.test(text.trim())) found.push(`${file.name}: ${text.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) note(node.text);
    if (ts.isJsxExpression(node) && node.expression && ts.isStringLiteral(node.expression)) note(node.expression.text);
    if (ts.isJsxAttribute(node) && SHOWN.has(node.name.getText(tree))) {
      if (node.initializer && ts.isStringLiteral(node.initializer)) note(node.initializer.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
