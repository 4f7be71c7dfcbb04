// Commands in a list: what, where it stands, in words, and when.
import type { CommandRow } from "../api/known";
import { named } from "../i18n";
import { When } from "../ui/when";
import { CommandWords } from "./words";

type Given = { commands: CommandRow[]; when: "created_at" | "updated_at"; zone: string; none: string };

export function CommandList({ commands, when, zone, none }: Given) {
  if (!commands.length) return <p className="body quiet">{none}</p>;
  return (
    <ul className="list">
      {commands.map((one) => (
        <li key={String(one.command_id)}>
          <strong>{named("cmdtype", String(one.command_type))}</strong>
          <span className="chip">{named("cmdstate", String(one.state))}</span>
          <CommandWords command={one} />
          <span className="quiet">
            <When at={one[when]} zone={zone} />
          </span>
        </li>
      ))}
    </ul>
  );
}
