// Giving a problem to somebody who may act at its site, picked from a list; oneself comes first.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState, type FormEvent } from "react";
import { useMay, useMe } from "../api/session";
import { t } from "../i18n";
import { number } from "../i18n/format";
import { Dialog } from "../ui/dialog";
import { Ends } from "../ui/ends";
import { Part } from "../ui/states";
import { useActs } from "./acts";
import { assigneesQuery, type Person } from "./api";
import type { Problem } from "./types";

const NOBODY = "";

export function AssignDialog({ site, problems, onClose }: { site: number; problems: Problem[]; onClose: () => void }) {
  const n = problems.length;
  const me = useMe()?.actor.id ?? null;
  const people = useQuery(assigneesQuery(site));
  const acts = useActs();
  const [picked, setPicked] = useState<string | null>(null);
  const inOrder = (found: Person[]) => [...found].sort((a, b) => Number(b.id === me) - Number(a.id === me));
  const who = picked ?? (people.data?.some((one) => one.id === me) ? (me ?? NOBODY) : NOBODY);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    acts.mutate({ problems, verb: "assign", said: { assignee: who || null } }, { onSuccess: onClose });
  };
  return (
    <Dialog title={n > 1 ? t("assign.title.many", { n: number(n) }) : t("assign.title")} onClose={onClose}>
      <form onSubmit={submit}>
        <Part of={people} rows={2}>
          {(found) => (
            <label className="field">
              <span>{t("assign.who")}</span>
              <select className="select" value={who} onChange={(event) => setPicked(event.target.value)}>
                {inOrder(found).map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.id === me ? t("assign.you", { name: one.name }) : one.name}
                  </option>
                ))}
                <option value={NOBODY}>{t("assign.nobody")}</option>
              </select>
            </label>
          )}
        </Part>
        <Ends onClose={onClose} go={t("assign.go")} isSending={acts.areBusy(problems)} isReady={people.data !== undefined} />
      </form>
    </Dialog>
  );
}

/** What people are called, of those whom problems of these sites can be given to. */
export function useNames(sites: number[]): (id: string | null) => string {
  const may = useMay();
  const me = useMe()?.actor.id ?? null;
  const wanted = [...new Set(sites)].filter((site) => may("acknowledge", site)).sort((a, b) => a - b);
  const found = useQueries({ queries: wanted.map((site) => assigneesQuery(site)) });
  const stamp = found.map((one) => one.dataUpdatedAt).join();
  const names = useMemo(
    () => new Map(found.flatMap((one) => one.data ?? []).map((one) => [one.id, one.name])),
    [stamp, wanted.join()],
  );
  return useCallback((id) => (id === null ? "—" : id === me ? t("who.you") : (names.get(id) ?? t("who.other"))), [names, me]);
}
