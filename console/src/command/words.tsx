// Where a command stands, in words: why it failed, what it waits for, or why somebody asked for it.
import type { CommandRow } from "../api/known";
import { named, t } from "../i18n";
import { failure } from "../ui/refusals";

export function CommandWords({ command }: { command: CommandRow }) {
  const { error_code: code, error_message: said, wait_reason: waits, created_reason: why } = command;
  const words = code || said ? failure(code, said) : waits ? t("cmd.waits", { reason: named("wait", waits) }) : why;
  // the machine's own words are for those who know its maker's manual
  return (
    <span className="second grow" title={said ?? undefined}>
      {words}
    </span>
  );
}
