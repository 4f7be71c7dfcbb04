// Types of the API from its OpenAPI document (standard input) into src/api/schema.d.ts; with --check it only compares.
//
// Answers that the server encodes by itself carry an example and no schema: a schema is made from the example, in which
// every plain value may be null, because the API says null for what nobody knows.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTypescript, { astToString } from "openapi-typescript";

const place = new URL("../src/api/schema.d.ts", import.meta.url);
const parts = [];
for await (const part of process.stdin) parts.push(part);
const document = JSON.parse(Buffer.concat(parts).toString("utf8"));

for (const item of Object.values(document.paths)) {
  for (const operation of Object.values(item)) {
    for (const answer of Object.values(operation.responses ?? {})) {
      const content = answer.content?.["application/json"];
      if (content?.example !== undefined && isEmpty(content.schema)) content.schema = schemaOf(content.example);
    }
  }
}

strip(document, "");
const head = "// Made by `npm run types` from the OpenAPI document of the server. Do not edit.\n\n";
const made = head + astToString(await openapiTypescript(document));
if (process.argv.includes("--check")) {
  if (readFileSync(place, "utf8") !== made) {
    console.error("src/api/schema.d.ts is not what the server offers: run `make types`");
    process.exit(1);
  }
} else {
  writeFileSync(place, made);
}

/** Words are for the document's readers; in types they are ten times as long as the types. */
function strip(part, under) {
  if (part === null || typeof part !== "object") return;
  for (const key of Object.keys(part)) {
    const isWord = ["example", "examples", "description", "summary", "title"].includes(key);
    if (isWord && under !== "properties") delete part[key];
    else strip(part[key], key);
  }
}

/** FastAPI gives an answer without a model either no schema or one that says nothing. */
function isEmpty(schema) {
  if (schema === undefined) return true;
  return Object.keys(schema).every((key) => key === "title" || key === "type" || key === "additionalProperties") &&
    schema.properties === undefined && (schema.type === undefined || schema.type === "object" || schema.type === "string");
}

function schemaOf(value) {
  if (value === null) return { type: ["string", "number", "boolean", "null"] };
  if (Array.isArray(value)) return { type: "array", items: value.length ? schemaOf(value[0]) : {} };
  if (typeof value === "object") {
    const properties = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, schemaOf(one)]));
    return { type: "object", properties, required: Object.keys(properties) };
  }
  return { type: [typeof value, "null"] };
}
