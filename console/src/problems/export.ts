// The list as a file of the server's own, which keeps a record of who took it; pages that are not in sight are in it, too.
import { download } from "../api/client";
import { t } from "../i18n";
import { troubleOf } from "../ui/refusals";
import { say } from "../ui/toast";
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
    say(troubleOf(error));
  }
}
