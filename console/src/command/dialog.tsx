// Send one command to machines: the reason, and the effects before it goes out.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { call, Unreachable } from "../api/client";
import type { DryRun, SiteTotals } from "../api/types";
import { useIdempotencyKey } from "../api/idempotency";
import { catalogueQuery } from "../api/queries";
import { useMay } from "../api/session";
import { wordFor, t } from "../i18n";
import { number } from "../i18n/format";
import { isOutcomeUnknown, outcomeText, errorText, failureText } from "../ui/errors";
import { Dialog } from "../ui/dialog";
import { FormButtons } from "../ui/form_buttons";
import { useMounted } from "../ui/mounted";
import { showToast } from "../ui/toast";
import { Effects } from "./effects";
import { emptyParams, paramsOf, ParamFields } from "./params";
import { mayCommand } from "./permissions";

const AGAIN_MS = 3000;

type Props = {
  site: Pick<SiteTotals, "site_id" | "code" | "name">;
  miners: string[];
  onClose: () => void;
  problem?: string;
  first?: string;
};

type Sent = { type: string; contents: string };

export default function CommandDialog({ onClose, ...opened }: Props) {
  const may = useMay();
  // fixed when the dialog opens: machines and permissions do not change below an open dialog
  const [{ site, miners, problem, first, isHigh }] = useState(() => ({ ...opened, isHigh: may("command_high", opened.site.site_id) }));
  const client = useQueryClient();
  const catalogue = useQuery(catalogueQuery).data?.types ?? [];
  const types = catalogue.filter(({ risk }) => mayCommand((right) => right === "command" || isHigh, miners.length, risk));
  const [type, setType] = useState(first ?? "");
  const [given, setGiven] = useState<Record<string, string>>({});
  const [reason, setReason] = useState("");
  const kind = types.find(({ command_type }) => command_type === type);
  const params = useMemo(() => (kind ? paramsOf(kind, given) : null), [kind, given]);
  const request = useMemo(() => {
    if (params === null) return null;
    const of = problem ? { problem_id: problem } : {};
    return JSON.stringify({ site_id: site.site_id, miner_ids: miners, command_type: type, params, ...of });
  }, [site.site_id, miners, type, params, problem]);
  const run = useDryRun(request);
  const keyFor = useIdempotencyKey();
  const mounted = useMounted();

  const send = useMutation({
    mutationFn: async ({ contents }: Sent) => {
      const headers = { "Idempotency-Key": keyFor(contents) };
      const created = await call("post", "/api/admin/v1/commands", { body: JSON.parse(contents), headers });
      if (!("batch_id" in created)) throw new Error("a dry run");
      return created;
    },
    onSuccess: (created, sent) => {
      const waits = created.commands.some(({ approval_state }) => approval_state === "required");
      const n = number(created.counts.created);
      showToast(t(waits ? "cmd.sent.waits" : "cmd.sent", { what: wordFor("cmdtype", sent.type), n }));
      const refused = created.refused[0];
      if (refused) showToast(t("cmd.refused", { n: number(created.counts.refused), reason: errorText(refused.error_code, refused.reason) }));
      void client.invalidateQueries({ queryKey: ["commands"] });
    },
    onError: (error, sent) => {
      if (!mounted.current) showToast(`${wordFor("cmdtype", sent.type)}${t("colon")}${outcomeText(error)}`);
    },
  });
  const dry = run.result;
  const machines = dry?.machines ?? 0;
  const contents = request === null ? "" : JSON.stringify({ ...(JSON.parse(request) as object), reason: reason.trim() });
  // after a lost answer a dry run says nothing; sent again under its key it runs once
  const repeats = isOutcomeUnknown(send.error) && contents === send.variables?.contents;
  const isReady = contents !== "" && reason.trim() !== "" && (machines > 0 || repeats);
  const what = wordFor("cmdtype", type);
  const n = number(machines);
  const go = !kind ? t("cmd.title") : repeats ? t("cmd.again") : !dry ? what : t(dry.needs_approval ? "cmd.send.approval" : "cmd.send", { what, n });

  return (
    <Dialog title={t("cmd.title")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // only this dialog closes: another one may be open by then
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
              setGiven(emptyParams(types.find(({ command_type }) => command_type === event.target.value)));
            }}
          >
            <option value="">{t("param.pick")}</option>
            {types.map(({ command_type, risk }) => (
              <option key={command_type} value={command_type}>
                {wordFor("cmdtype", command_type)} · {wordFor("risk", risk)}
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
          {run.isLoading ? <p className="quiet">{t("cmd.asking")}</p> : null}
          {run.error ? <p className="note bad">{failureText(run.error)}</p> : null}
          {kind && dry && !repeats ? <Effects kind={kind} run={dry} /> : null}
        </div>
        <div role="alert">
          {send.error ? (
            <p className="note bad">
              {isOutcomeUnknown(send.error) ? t("cmd.unsure") : failureText(send.error)}
            </p>
          ) : null}
        </div>
        <FormButtons onClose={onClose} go={go} isSending={send.isPending} isReady={isReady} />
      </form>
    </Dialog>
  );
}

/** The dry run of the request: sent a moment after the last change, shown once its own answer is there. */
function useDryRun(request: string | null) {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(request), 250);
    return () => window.clearTimeout(timer);
  }, [request]);
  const run = useQuery({
    queryKey: ["dry-run", settled],
    queryFn: async (): Promise<DryRun> => {
      const body = { ...(JSON.parse(settled ?? "{}") as object), dry_run: true };
      const run = await call("post", "/api/admin/v1/commands", { body });
      if (!("needs_approval" in run)) throw new Error("not a dry run");
      return run;
    },
    enabled: settled !== null,
    retry: false,
    // a click that focuses the window must still hit its button
    refetchOnWindowFocus: false,
    refetchInterval: (query) => (query.state.error instanceof Unreachable ? AGAIN_MS : false),
    staleTime: 0,
    gcTime: 0,
  });
  const isLoading = request !== null && (request !== settled || run.isFetching);
  const isDone = request !== null && !isLoading;
  return {
    isLoading,
    result: isDone && !run.isError ? run.data : undefined,
    error: isDone ? run.error : null,
  };
}
