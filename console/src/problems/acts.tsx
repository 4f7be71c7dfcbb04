// What people do about problems: one or many at once, each said in words, told when it was refused.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useReducer, useRef, useState, type FormEvent } from "react";
import { named, t, type Key } from "../i18n";
import { clock, exact, number } from "../i18n/format";
import { outcomeOf, refusal } from "../ui/refusals";
import { Dialog } from "../ui/dialog";
import { Ends } from "../ui/ends";
import { useHere } from "../ui/here";
import { say } from "../ui/toast";
import { useNow } from "../ui/when";
import { act, suppress, unsuppress, type Lifted, type Result, type Verb } from "./api";
import { actOnEach } from "./few";
import type { Problem } from "./types";
import { areBusy, freshOf, type Asked } from "./under_way";

const DONE: Record<Verb, Key> = {
  acknowledge: "pact.acknowledged",
  start: "pact.started",
  assign: "pact.assigned",
  comment: "pact.commented",
  resolve: "pact.resolved",
};

const GONE = new Set(["ALREADY_RESOLVED", "NOT_FOUND"]);

/** Those that are over by this act, or were before it. */
export function overOf(results: Result[]): string[] {
  return results.filter((one) => one.status === "resolved" || GONE.has(one.error_code ?? "")).map((one) => one.id);
}

export function useActs(onOver?: (ids: string[]) => void) {
  const client = useQueryClient();
  const underWay = useRef<Asked[]>([]);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const acts = useMutation({
    mutationFn: ({ problems, verb, said }: Asked) => act(problems.map((one) => one.id), verb, said),
    onSuccess: ({ counts, results }, { verb }) => {
      onOver?.(overOf(results));
      const first = results.find((one) => one.error_code);
      const reason = first ? refusal(first.error_code, first.reason) : null;
      if (!counts.refused) say(t(DONE[verb]));
      else if (!counts.changed && reason) say(t("cmd.failed", { reason }));
      else say(t("problems.bulk.done", { done: number(counts.changed), failed: number(counts.refused) }));
    },
    onError: (error) => say(outcomeOf(error)),
    // not waited for: a dialog closes when the act is done, not when everything has been read again
    onSettled: (_done, _error, asked) => {
      underWay.current = underWay.current.filter((one) => one !== asked);
      drawAgain();
      void client.invalidateQueries({ queryKey: ["problems"] });
    },
  });
  // the second press of a double click comes before the button has been drawn as resting
  const mutate: typeof acts.mutate = (asked, then) => {
    const fresh = { ...asked, problems: freshOf(asked, underWay.current) };
    if (!fresh.problems.length) return;
    underWay.current = [...underWay.current, fresh];
    acts.mutate(fresh, then);
  };
  return { mutate, areBusy: (problems: Problem[]) => areBusy(problems, underWay.current) };
}

const CAUSES = ["repaired", "replaced", "cleaned", "reconfigured", "false_alarm", "accepted", "other"];

type Resolving = { problems: Problem[]; onClose: () => void; onOver?: (ids: string[]) => void };

export function ResolveDialog({ problems, onClose, onOver }: Resolving) {
  const acts = useActs(onOver);
  const n = problems.length;
  const [cause, setCause] = useState("");
  const [action, setAction] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const said = { cause, ...(action.trim() ? { action: action.trim() } : {}) };
    acts.mutate({ problems, verb: "resolve", said }, { onSuccess: onClose });
  };
  return (
    <Dialog title={n > 1 ? t("resolve.title.many", { n: number(n) }) : t("resolve.title")} onClose={onClose}>
      <form onSubmit={submit}>
        <p className="second">{t(n > 1 ? "resolve.words.many" : "resolve.words")}</p>
        <label className="field">
          <span>{t("resolve.cause")}</span>
          <select className="select" required value={cause} onChange={(event) => setCause(event.target.value)}>
            <option value="">{t("param.pick")}</option>
            {CAUSES.map((one) => (
              <option key={one} value={one}>
                {named("why", one)}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t("resolve.action")}</span>
          <input className="input" value={action} maxLength={2000} onChange={(event) => setAction(event.target.value)} />
        </label>
        <Ends onClose={onClose} go={t("resolve.go")} isSending={acts.areBusy(problems)} />
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
  const left = useRef(miners); // after a refusal only these are asked for again
  const client = useQueryClient();
  const here = useHere();
  const [hours, setHours] = useState<number | null>(8);
  const [maintenance, setMaintenance] = useState(false);
  const [reason, setReason] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const [done, setDone] = useState<number | null>(null); // while it is under way
  const name = miners.length === 1 ? (miners[0] ?? "") : t("fleet.machines", { n: number(miners.length) });
  const now = useNow();
  const until = hours === null ? null : new Date(now + hours * 3_600_000);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { until: until?.toISOString() ?? null, maintenance, reason: reason.trim() };
    const before = miners.length - left.current.length;
    setTrouble(null);
    setDone(before);
    const outcome = await actOnEach(left.current, (miner) => suppress(site, miner, body), (n) => setDone(before + n));
    left.current = outcome.left;
    setDone(null);
    void client.invalidateQueries({ queryKey: ["problems"] });
    if (!outcome.left.length) {
      say(
        until
          ? t("pact.suppressed", { miner: name, until: clock(until, zone, true) })
          : t("pact.suppressed.open", { miner: name }),
      );
      if (here.current) onClose();
      return;
    }
    const counts = { done: number(miners.length - outcome.left.length), left: number(outcome.left.length) };
    const why = outcomeOf(outcome.error);
    const words = miners.length === 1 ? why : t("suppress.some", { ...counts, reason: why });
    if (here.current) setTrouble(words);
    else say(`${t("suppress.title", { miner: name })}${t("colon")}${words}`);
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
        <Ends onClose={onClose} go={t("suppress.go")} isSending={done !== null} />
      </form>
    </Dialog>
  );
}

/** What was lifted is the machine's own; what holds for its zone, groups or site goes on. */
function liftedWords({ lifted, still_by: still }: Lifted): string {
  const by = still.map((one) => named("reach", one)).join(t("evidence.comma"));
  if (lifted) return still.length ? t("pact.unsuppressed.still", { by }) : t("pact.unsuppressed");
  return still.length ? t("pact.unsuppressed.none", { by }) : t("pact.unsuppressed.nothing");
}

export function LiftDialog({ site, miner, onClose }: { site: number; miner: string; onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const lift = useMutation({
    mutationFn: () => unsuppress(site, miner, reason.trim() || null),
    onSuccess: (lifted) => {
      say(liftedWords(lifted));
      onClose();
    },
    onError: (error) => say(outcomeOf(error)),
    onSettled: () => void client.invalidateQueries({ queryKey: ["problems"] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!lift.isPending) lift.mutate();
  };
  return (
    <Dialog title={t("lift.title", { miner })} onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{t("lift.reason")}</span>
          <input className="input" value={reason} maxLength={2000} onChange={(event) => setReason(event.target.value)} />
        </label>
        <Ends onClose={onClose} go={t("lift.go")} isSending={lift.isPending} />
      </form>
    </Dialog>
  );
}
