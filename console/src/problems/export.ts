// What is listed as CSV, made in the browser from the rows that are on the page; no cell begins like a formula.
import { t } from "../i18n";
import type { Row } from "./rows";
import { sentence } from "./words";

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(rows: Row[]): string {
  const head = ["id", "site", "machine", "severity", "issue_code", "what", "status", "since", "last_seen", "lost_ths"];
  const more = ["p_fail_24h", "model", "firmware", "zone", "assigned_to"];
  const lines = rows.map((row) =>
    [
      row.id,
      row.site.code,
      row.miner_id,
      row.severity,
      row.issue_code,
      sentence(row),
      row.status,
      row.start_ts,
      row.last_seen_ts,
      row.loss_ths,
      row.p_fail_24h,
      row.model,
      row.firmware,
      row.zone,
      row.assigned_to,
    ].map(cell),
  );
  return [[...head, ...more], ...lines].map((line) => line.join(",")).join("\r\n") + "\r\n";
}

export function save(rows: Row[]): void {
  const file = new Blob([`\ufeff${csvOf(rows)}`], { type: "text/csv;charset=utf-8" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${t("nav.problems")}-${new Date().toISOString().slice(0, 16).replace(":", "")}.csv`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

