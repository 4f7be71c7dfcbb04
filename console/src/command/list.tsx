// Commands in a list: type, state, the reason for it, and when.
import type { Command } from "../api/types";
import { wordFor, t } from "../i18n";
import { commandErrorText } from "../ui/errors";
import { When } from "../ui/time";

type Props = { commands: Command[]; when: "created_at" | "updated_at"; zone: string; none: string };

export function CommandList({ commands, when, zone, none }: Props) {
  if (!commands.length) return <p className="body quiet">{none}</p>;
  return (
    <ul className="list">
      {commands.map((command) => (
        <li key={command.command_id}>
          <strong>{wordFor("cmdtype", command.command_type)}</strong>
          <span className="chip">{wordFor("cmdstate", command.state)}</span>
          {/* the machine's own message helps those who know its manual */}
          <span className="second grow" title={command.error_message ?? undefined}>
            {reasonFor(command)}
          </span>
          <span className="quiet">
            <When at={command[when]} zone={zone} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Why it failed, what it waits for, or why somebody requested it. */
function reasonFor({ error_code: code, error_message: message, wait_reason: wait, created_reason: reason }: Command): string {
  if (code || message) return commandErrorText(code, message);
  return wait ? t("cmd.waits", { reason: wordFor("wait", wait) }) : reason;
}
