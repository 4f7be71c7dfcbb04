// Types of the API from its OpenAPI document (standard input) into src/api/schema.d.ts; with --check it only compares.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTypescript, { astToString } from "openapi-typescript";

const place = new URL("../src/api/schema.d.ts", import.meta.url);
const parts = [];
for await (const part of process.stdin) parts.push(part);
const document = JSON.parse(Buffer.concat(parts).toString("utf8"));

strip(document, "");
const head = "// Made by `npm run types` from the OpenAPI document of the server. Do not edit.\n\n";
const made = head + astToString(await openapiTypescript(document));
if (process.argv.includes("--check")) {
  if (readFileSync(place, "utf8") !== made) {
    console.error("src/api/schema.d.ts does not match the server: run `make types`");
    process.exit(1);
  }
} else {
  writeFileSync(place, made);
}

/** Descriptions are for readers of the document; here they would be ten times as long as the types. */
function strip(part, under) {
  if (part === null || typeof part !== "object") return;
  for (const key of Object.keys(part)) {
    const isText = ["example", "examples", "description", "summary", "title"].includes(key);
    if (isText && under !== "properties") delete part[key];
    else strip(part[key], key);
  }
}
