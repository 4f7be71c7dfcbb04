// CSV export by the server: all pages of the list, and an entry in the audit log.
import { download } from "../api/client";
import { t } from "../i18n";
import { failureText } from "../ui/errors";
import { showToast } from "../ui/toast";
import type { Filters } from "./api";

export async function exportCsv(filters: Filters): Promise<void> {
  try {
    const file = await download("/api/v1/problems", { query: { ...filters, format: "csv" } });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `${t("nav.problems")}-${new Date().toISOString().slice(0, 16).replace(":", "")}.csv`;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (error) {
    showToast(failureText(error));
  }
}
