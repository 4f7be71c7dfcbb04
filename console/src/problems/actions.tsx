// The actions for the selected problems, and their dialogs.
import type { Permission } from "../api/types";
import { Suspense, useState } from "react";
import { useMay } from "../api/session";
import { CommandDialog } from "../command/lazy_dialog";
import { mayCommand } from "../command/permissions";
import { t } from "../i18n";
import { ResolveDialog, SuppressDialog, useBulkAction } from "./dialogs";
import { AssignDialog } from "./assign";
import type { Row } from "./rows";
import { ConfirmDialog } from "./confirm";

const MANY = 25; // more than a screen shows: confirmed first
export type Open = "resolve" | "suppress" | "command" | "assign";
type Direct = "acknowledge" | "start";
export type ProblemActions = ReturnType<typeof useProblemActions>;

/** `onClosed` gets the ids of those that are closed now. */
export function useProblemActions(targets: Row[], onClosed?: (ids: string[]) => void) {
  const may = useMay();
  const actions = useBulkAction(onClosed);
  const [open, setOpen] = useState<Open | Direct | null>(null);
  const [held, setHeld] = useState<Row[]>([]);
  const machines = [...new Set(held.map((row) => row.miner_id).filter((id) => id !== null))];
  const site = held[0]?.site;
  const isOneSite = targets.length > 0 && targets.every((row) => row.site_id === targets[0]?.site_id);
  const areMachines = isOneSite && targets.every((row) => row.miner_id);
  const machineCount = new Set(targets.map((row) => row.miner_id)).size;
  const mayAll = (permission: Permission) => targets.length > 0 && targets.every((row) => may(permission, row.site_id));
  const allowed: Record<Open | "act", boolean> = {
    act: mayAll("acknowledge"),
    resolve: mayAll("acknowledge"),
    assign: mayAll("acknowledge") && isOneSite,
    suppress: mayAll("suppress") && areMachines,
    command: mayCommand(mayAll, machineCount) && areMachines,
  };
  const show = (what: Open) => {
    if (!allowed[what]) return;
    setHeld(targets);
    setOpen(what);
  };
  const close = () => setOpen(null);
  const run = (action: Direct) => {
    if (!allowed.act) return;
    if (targets.length < MANY) return actions.mutate({ problems: targets, action });
    setHeld(targets);
    setOpen(action);
  };
  const dialogs = (
    <>
      {open === "resolve" ? <ResolveDialog problems={held} onClose={close} {...(onClosed ? { onClosed } : {})} /> : null}
      {open === "acknowledge" || open === "start" ? (
        <ConfirmDialog action={open} problems={held} onClose={close} onClosed={onClosed} />
      ) : null}
      {open === "assign" && site ? <AssignDialog site={site.site_id} problems={held} onClose={close} /> : null}
      {open === "suppress" && site ? (
        <SuppressDialog site={site.site_id} miners={machines} zone={site.timezone} onClose={close} />
      ) : null}
      {open === "command" && site ? (
        <Suspense>
          <CommandDialog
            site={site}
            miners={machines}
            onClose={close}
            {...(held.length === 1 && held[0] ? { problem: held[0].id } : {})}
          />
        </Suspense>
      ) : null}
    </>
  );
  return {
    allowed,
    dialogs,
    show,
    isBusy: actions.arePending(targets),
    acknowledge: () => run("acknowledge"),
    start: () => run("start"),
  };
}

export function ActionButtons({ acting }: { acting: ProblemActions }) {
  const { allowed, show } = acting;
  return (
    <>
      {allowed.act ? (
        <>
          <button type="button" className="button" disabled={acting.isBusy} onClick={acting.acknowledge}>
            {t("action.acknowledge")}
          </button>
          <button type="button" className="button" disabled={acting.isBusy} onClick={acting.start}>
            {t("action.start")}
          </button>
        </>
      ) : null}
      {allowed.assign ? (
        <button type="button" className="button" onClick={() => show("assign")}>
          {t("action.assign")}
        </button>
      ) : null}
      {allowed.resolve ? (
        <button type="button" className="button" onClick={() => show("resolve")}>
          {t("action.resolve")}
        </button>
      ) : null}
      {allowed.suppress ? (
        <button type="button" className="button" onClick={() => show("suppress")}>
          {t("action.suppress")}
        </button>
      ) : null}
      {allowed.command ? (
        <button type="button" className="button primary" onClick={() => show("command")}>
          {t("action.command")}
        </button>
      ) : null}
    </>
  );
}
