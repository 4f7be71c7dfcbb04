// One command to some machines: what, why, and in words what will happen, before it does.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { call, Unreachable } from "../api/client";
import type { Made, SiteSums } from "../api/known";
import { useKeyFor } from "../api/once";
import { catalogueQuery } from "../api/queries";
import { useMay } from "../api/session";
import { named, t } from "../i18n";
import { number } from "../i18n/format";
import { isUnsure, outcomeOf, refusal, troubleOf } from "../ui/refusals";
import { Dialog } from "../ui/dialog";
import { Ends } from "../ui/ends";
import { useHere } from "../ui/here";
import { say } from "../ui/toast";
import { Effects, type DryRun } from "./effects";
import { emptyParams, paramsOf, ParamFields, type Kind } from "./params";
import { mayCommand } from "./rights";

const AGAIN_MS = 3000;

type Props = {
  site: Pick<SiteSums, "site_id" | "code" | "name">;
  miners: string[];
  onClose: () => void;
  problem?: string;
  first?: string;
};

type Sent = { type: string; contents: string };

export default function CommandDialog({ onClose, ...opened }: Props) {
  const may = useMay();
  // whatever is read anew behind it, it goes to those it was opened for, with the rights of whoever opened it
  const [{ site, miners, problem, first, isHigh }] = useState(() => ({ ...opened, isHigh: may("command_high", opened.site.site_id) }));
  const client = useQueryClient();
  const known = (useQuery(catalogueQuery).data?.types ?? []) as unknown as Kind[];
  const kinds = known.filter((one) => mayCommand((right) => right === "command" || isHigh, miners.length, one.risk));
  const [type, setType] = useState(first ?? "");
  const [given, setGiven] = useState<Record<string, string>>({});
  const [reason, setReason] = useState("");
  const kind = kinds.find((one) => one.command_type === type);
  const params = useMemo(() => (kind ? paramsOf(kind, given) : null), [kind, given]);
  const asked = useMemo(() => {
    if (params === null) return null;
    const of = problem ? { problem_id: problem } : {};
    return JSON.stringify({ site_id: site.site_id, miner_ids: miners, command_type: type, params, ...of });
  }, [site.site_id, miners, type, params, problem]);
  const run = useDryRun(asked);
  const keyFor = useKeyFor();
  const here = useHere();

  const send = useMutation({
    mutationFn: async ({ contents }: Sent) => {
      const headers = { "Idempotency-Key": keyFor(contents) };
      return (await call("post", "/api/admin/v1/commands", { body: JSON.parse(contents), headers })) as unknown as Made;
    },
    onSuccess: (made, sent) => {
      const waits = made.commands.some((one) => one.approval_state === "required");
      const n = number(made.counts.created);
      say(t(waits ? "cmd.sent.waits" : "cmd.sent", { what: named("cmdtype", sent.type), n }));
      const refused = made.refused[0];
      if (refused) say(t("cmd.refused", { n: number(made.counts.refused), reason: refusal(refused.error_code, refused.reason) }));
      void client.invalidateQueries({ queryKey: ["commands"] });
    },
    onError: (error, sent) => {
      if (!here.current) say(`${named("cmdtype", sent.type)}${t("colon")}${outcomeOf(error)}`);
    },
  });
  const dry = run.told;
  const reaches = dry?.machines ?? 0;
  const contents = asked === null ? "" : JSON.stringify({ ...(JSON.parse(asked) as object), reason: reason.trim() });
  // what may have been done already is no longer told by a dry run; under its key it is done once
  const repeats = isUnsure(send.error) && contents === send.variables?.contents;
  const isReady = contents !== "" && reason.trim() !== "" && (reaches > 0 || repeats);
  const what = named("cmdtype", type);
  const n = number(reaches);
  const go = !kind ? t("cmd.title") : repeats ? t("cmd.again") : !dry ? what : t(dry.needs_approval ? "cmd.send.approval" : "cmd.send", { what, n });

  return (
    <Dialog title={t("cmd.title")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // told to this dialog alone: once it is closed, another may stand in its place
          if (isReady && !send.isPending) send.mutate({ type, contents }, { onSuccess: onClose });
        }}
      >
        <p className="second">
          {miners.length === 1
            ? t("cmd.one", { miner: miners[0] ?? "", site: site.name })
            : t("cmd.whom", { n: number(miners.length), site: site.name })}
        </p>
        <label className="field">
          <span>{t("cmd.what")}</span>
          <select
            className="select"
            value={type}
            required
            onChange={(event) => {
              setType(event.target.value);
              setGiven(emptyParams(kinds.find((one) => one.command_type === event.target.value)));
            }}
          >
            <option value="">{t("param.pick")}</option>
            {kinds.map((one) => (
              <option key={one.command_type} value={one.command_type}>
                {named("cmdtype", one.command_type)} · {named("risk", one.risk)}
              </option>
            ))}
          </select>
        </label>
        {kind ? <ParamFields kind={kind} given={given} setGiven={setGiven} /> : null}
        <label className="field">
          <span>{t("cmd.reason")}</span>
          <textarea
            className="textarea"
            required
            maxLength={2000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          {reason.trim() ? null : <span className="hint">{t("cmd.reason.needed")}</span>}
        </label>
        <div className="effects" aria-live="polite">
          <h2>{t("cmd.effect")}</h2>
          {!kind ? <p className="quiet">{t("cmd.need")}</p> : null}
          {run.isAsking ? <p className="quiet">{t("cmd.asking")}</p> : null}
          {run.error ? <p className="note bad">{troubleOf(run.error)}</p> : null}
          {kind && dry && !repeats ? <Effects kind={kind} run={dry} /> : null}
        </div>
        <div role="alert">
          {send.error ? (
            <p className="note bad">
              {isUnsure(send.error) ? t("cmd.unsure") : troubleOf(send.error)}
            </p>
          ) : null}
        </div>
        <Ends onClose={onClose} go={go} isSending={send.isPending} isReady={isReady} />
      </form>
    </Dialog>
  );
}

/** What exactly this would come to: asked anew a moment after the last change, and untold until its own answer is there. */
function useDryRun(asked: string | null) {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(asked), 250);
    return () => window.clearTimeout(timer);
  }, [asked]);
  const run = useQuery({
    queryKey: ["dry-run", settled],
    queryFn: async (): Promise<DryRun> => {
      const body = { ...(JSON.parse(settled ?? "{}") as object), dry_run: true };
      return (await call("post", "/api/admin/v1/commands", { body })) as unknown as DryRun;
    },
    enabled: settled !== null,
    retry: false,
    // a click that brings the window back must still find its button
    refetchOnWindowFocus: false,
    refetchInterval: (query) => (query.state.error instanceof Unreachable ? AGAIN_MS : false),
    staleTime: 0,
    gcTime: 0,
  });
  const isAsking = asked !== null && (asked !== settled || run.isFetching);
  const isTold = asked !== null && !isAsking;
  return {
    isAsking,
    told: isTold && !run.isError ? run.data : undefined,
    error: isTold ? run.error : null,
  };
}
