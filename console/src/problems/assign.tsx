// Assigns problems to a user who may act at their site; the caller comes first in the list.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type FormEvent } from "react";
import { useMay, useMe } from "../api/session";
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Dialog } from "../ui/dialog";
import { FormButtons } from "../ui/form_buttons";
import { Part } from "../ui/states";
import { useBulkAction } from "./dialogs";
import { assigneesQuery } from "./api";
import type { Assignee, Problem } from "../api/types";

const NOBODY = "";

export function AssignDialog({ site, problems, onClose }: { site: number; problems: Problem[]; onClose: () => void }) {
  const n = problems.length;
  const me = useMe()?.actor.id ?? null;
  const people = useQuery(assigneesQuery(site));
  const actions = useBulkAction();
  const [picked, setPicked] = useState<string | null>(null);
  const inOrder = (assignees: Assignee[]) => [...assignees].sort((a, b) => Number(b.id === me) - Number(a.id === me));
  const who = picked ?? (people.data?.some((row) => row.id === me) ? (me ?? NOBODY) : NOBODY);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    actions.mutate({ problems, action: "assign", input: { assignee: who || null } }, { onSuccess: onClose });
  };
  return (
    <Dialog title={n > 1 ? t("assign.title.many", { n: number(n) }) : t("assign.title")} onClose={onClose}>
      <form onSubmit={submit}>
        <Part of={people} rows={2}>
          {(assignees) => (
            <label className="field">
              <span>{t("assign.who")}</span>
              <select className="select" value={who} onChange={(event) => setPicked(event.target.value)}>
                {inOrder(assignees).map((user) => (
                  <option key={user.id} value={user.id}>
                    {user.id === me ? t("assign.you", { name: user.name }) : user.name}
                  </option>
                ))}
                <option value={NOBODY}>{t("assign.nobody")}</option>
              </select>
            </label>
          )}
        </Part>
        <FormButtons onClose={onClose} go={t("assign.go")} isSending={actions.arePending(problems)} isReady={people.data !== undefined} />
      </form>
    </Dialog>
  );
}

/** What people are called, of those whom problems of these sites can be given to. */
export function useUserNames(sites: number[]): (id: string | null) => string {
  const may = useMay();
  const me = useMe()?.actor.id ?? null;
  const wanted = [...new Set(sites)].filter((site) => may("acknowledge", site)).sort((a, b) => a - b);
  const answers = useQueries({ queries: wanted.map((site) => assigneesQuery(site)) });
  const stamp = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const names = useMemo(
    () => new Map(answers.flatMap(({ data }) => data ?? []).map(({ id, name }) => [id, name])),
    [stamp, wanted.join()],
  );
  return useCallback((id) => (id === null ? "—" : id === me ? t("who.you") : (names.get(id) ?? t("who.other"))), [names, me]);
}
