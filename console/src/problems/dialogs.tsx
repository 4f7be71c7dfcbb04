// Actions on problems, one or many at once, and their dialogs.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useReducer, useRef, useState, type FormEvent } from "react";
import { wordFor, t, type Key } from "../i18n";
import { clock, exact, number } from "../i18n/format";
import { outcomeText, errorText } from "../ui/errors";
import { Dialog } from "../ui/dialog";
import { FormButtons } from "../ui/form_buttons";
import { useMounted } from "../ui/mounted";
import { showToast } from "../ui/toast";
import { useNow } from "../ui/time";
import { actOnProblems, suppress, unsuppress, type ActionInput } from "./api";
import { runPerMachine } from "./per_machine";
import type { BulkResult, Problem, ProblemAction, Unsuppressed } from "../api/types";
import { arePending, notPending, type ActionRequest } from "./pending";

const DONE: Record<ProblemAction, Key> = {
  acknowledge: "action.acknowledged",
  start: "action.started",
  assign: "action.assigned",
  comment: "action.commented",
  resolve: "action.resolved",
};

const CLOSED = new Set(["ALREADY_RESOLVED", "NOT_FOUND"]);

/** Those that this action resolved, or that were gone before. */
export function closedIds(results: BulkResult["results"]): string[] {
  return results.filter((result) => (result.changed ? result.status === "resolved" : CLOSED.has(result.error_code))).map(({ id }) => id);
}

export function useBulkAction(onClosed?: (ids: string[]) => void) {
  const client = useQueryClient();
  const pending = useRef<ActionRequest[]>([]);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const mutation = useMutation({
    mutationFn: ({ problems, action, input }: ActionRequest) => actOnProblems(problems.map(({ id }) => id), action, input),
    onSuccess: ({ counts, results }, { action }) => {
      onClosed?.(closedIds(results));
      const refused = results.find((result) => !result.changed);
      const reason = refused ? errorText(refused.error_code, refused.reason) : null;
      if (!counts.refused) showToast(t(DONE[action]));
      else if (!counts.changed && reason) showToast(t("cmd.failed", { reason }));
      else showToast(t("problems.bulk.done", { done: number(counts.changed), failed: number(counts.refused) }));
    },
    onError: (error) => showToast(outcomeText(error)),
    // not awaited: a dialog closes when the action is done, not when all queries are
    onSettled: (_result, _error, request) => {
      pending.current = pending.current.filter((other) => other !== request);
      drawAgain();
      void client.invalidateQueries({ queryKey: ["problems"] });
    },
  });
  // the second press of a double click comes before the button is drawn disabled
  const mutate: typeof mutation.mutate = (request, options) => {
    const rest = { ...request, problems: notPending(request, pending.current) };
    if (!rest.problems.length) return;
    pending.current = [...pending.current, rest];
    mutation.mutate(rest, options);
  };
  return { mutate, arePending: (problems: Problem[]) => arePending(problems, pending.current) };
}

const CAUSES = ["repaired", "replaced", "cleaned", "reconfigured", "false_alarm", "accepted", "other"] as const;

type Resolving = { problems: Problem[]; onClose: () => void; onClosed?: (ids: string[]) => void };

export function ResolveDialog({ problems, onClose, onClosed }: Resolving) {
  const actions = useBulkAction(onClosed);
  const n = problems.length;
  const [cause, setCause] = useState<ActionInput["cause"]>();
  const [measure, setMeasure] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = { cause: cause ?? null, action: measure.trim() || null };
    actions.mutate({ problems, action: "resolve", input }, { onSuccess: onClose });
  };
  return (
    <Dialog title={n > 1 ? t("resolve.title.many", { n: number(n) }) : t("resolve.title")} onClose={onClose}>
      <form onSubmit={submit}>
        <p className="second">{t(n > 1 ? "resolve.words.many" : "resolve.words")}</p>
        <label className="field">
          <span>{t("resolve.cause")}</span>
          <select className="select" required value={cause ?? ""} onChange={(event) => setCause(CAUSES.find((name) => name === event.target.value))}>
            <option value="">{t("param.pick")}</option>
            {CAUSES.map((name) => (
              <option key={name} value={name}>
                {wordFor("resolution", name)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t("resolve.action")}</span>
          <input className="input" value={measure} maxLength={2000} onChange={(event) => setMeasure(event.target.value)} />
        </label>
        <FormButtons onClose={onClose} go={t("resolve.go")} isSending={actions.arePending(problems)} />
      </form>
    </Dialog>
  );
}

const SPANS: [Key, number | null][] = [
  ["suppress.1h", 1],
  ["suppress.8h", 8],
  ["suppress.24h", 24],
  ["suppress.7d", 168],
  ["suppress.lifted", null],
];

type SuppressProps = { site: number; miners: string[]; zone: string; onClose: () => void };

export function SuppressDialog({ onClose, ...opened }: SuppressProps) {
  const [{ site, miners, zone }] = useState(opened);
  const left = useRef(miners); // after a failure only these are sent again
  const client = useQueryClient();
  const mounted = useMounted();
  const [hours, setHours] = useState<number | null>(8);
  const [maintenance, setMaintenance] = useState(false);
  const [reason, setReason] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const [done, setDone] = useState<number | null>(null); // null: nothing is being sent
  const name = miners.length === 1 ? (miners[0] ?? "") : t("fleet.machines", { n: number(miners.length) });
  const now = useNow();
  const until = hours === null ? null : new Date(now + hours * 3_600_000);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { until: until?.toISOString() ?? null, maintenance, reason: reason.trim() };
    const before = miners.length - left.current.length;
    setTrouble(null);
    setDone(before);
    const outcome = await runPerMachine(left.current, (miner) => suppress(site, miner, body), (n) => setDone(before + n));
    left.current = outcome.left;
    setDone(null);
    void client.invalidateQueries({ queryKey: ["problems"] });
    if (!outcome.left.length) {
      showToast(
        until
          ? t("action.suppressed", { miner: name, until: clock(until, zone, true) })
          : t("action.suppressed.open", { miner: name }),
      );
      if (mounted.current) onClose();
      return;
    }
    const counts = { done: number(miners.length - outcome.left.length), left: number(outcome.left.length) };
    const why = outcomeText(outcome.error);
    const words = miners.length === 1 ? why : t("suppress.some", { ...counts, reason: why });
    if (mounted.current) setTrouble(words);
    else showToast(`${t("suppress.title", { miner: name })}${t("colon")}${words}`);
  };
  return (
    <Dialog title={t("suppress.title", { miner: name })} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p className="second">{t("suppress.words", { n: miners.length })}</p>
        <label className="field">
          <span>{t("suppress.for")}</span>
          <select
            className="select"
            value={hours ?? ""}
            onChange={(event) => setHours(event.target.value ? Number(event.target.value) : null)}
          >
            {SPANS.map(([key, value]) => (
              <option key={key} value={value ?? ""}>
                {t(key)}
              </option>
            ))}
          </select>
          <span className="hint">{until ? t("suppress.until", { until: exact(until, zone) }) : t("suppress.open")}</span>
        </label>
        <label className="row">
          <input type="checkbox" checked={maintenance} onChange={(event) => setMaintenance(event.target.checked)} />
          {t("suppress.maintenance")}
        </label>
        <label className="field">
          <span>{t("suppress.reason")}</span>
          <input className="input" required value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        <div role="alert">{trouble ? <p className="note bad">{trouble}</p> : null}</div>
        {done !== null && miners.length > 1 ? (
          <p className="quiet" role="status">
            {t("suppress.under_way", { done: number(done), n: number(miners.length) })}
          </p>
        ) : null}
        <FormButtons onClose={onClose} go={t("suppress.go")} isSending={done !== null} />
      </form>
    </Dialog>
  );
}

/** Only the machine's own suppression ends; those of its zone, groups or site go on. */
function unsuppressedText({ lifted, still_by: still }: Unsuppressed): string {
  const by = still.map((kind) => wordFor("scope", kind)).join(t("evidence.comma"));
  if (lifted) return still.length ? t("action.unsuppressed.still", { by }) : t("action.unsuppressed");
  return still.length ? t("action.unsuppressed.none", { by }) : t("action.unsuppressed.nothing");
}

export function UnsuppressDialog({ site, miner, onClose }: { site: number; miner: string; onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const mutation = useMutation({
    mutationFn: () => unsuppress(site, miner, reason.trim() || null),
    onSuccess: (result) => {
      showToast(unsuppressedText(result));
      onClose();
    },
    onError: (error) => showToast(outcomeText(error)),
    onSettled: () => void client.invalidateQueries({ queryKey: ["problems"] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!mutation.isPending) mutation.mutate();
  };
  return (
    <Dialog title={t("unsuppress.title", { miner })} onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{t("unsuppress.reason")}</span>
          <input className="input" value={reason} maxLength={2000} onChange={(event) => setReason(event.target.value)} />
        </label>
        <FormButtons onClose={onClose} go={t("unsuppress.go")} isSending={mutation.isPending} />
      </form>
    </Dialog>
  );
}
