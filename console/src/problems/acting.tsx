// What can be done with these rows, and the dialogs that belong to it.
import { Suspense, useState } from "react";
import { useMay, type Right } from "../api/session";
import { CommandDialog } from "../command/late";
import { mayCommand } from "../command/rights";
import { t } from "../i18n";
import { ResolveDialog, SuppressDialog, useActs } from "./acts";
import { AssignDialog } from "./assign";
import type { Row } from "./rows";
import { SureDialog } from "./sure";

const MANY = 25; // from here on one is asked first: more than a screen shows
export type Open = "resolve" | "suppress" | "command" | "assign";
type Taking = "acknowledge" | "start";
export type Acting = ReturnType<typeof useActing>;

/** `onOver` is told which of them need no selection any more. */
export function useActing(targets: Row[], onOver?: (ids: string[]) => void) {
  const may = useMay();
  const acts = useActs(onOver);
  const [open, setOpen] = useState<Open | Taking | null>(null);
  const [held, setHeld] = useState<Row[]>([]);
  const machines = [...new Set(held.map((row) => row.miner_id).filter((id) => id !== null))];
  const site = held[0]?.site;
  const isOneSite = targets.length > 0 && targets.every((row) => row.site_id === targets[0]?.site_id);
  const areMachines = isOneSite && targets.every((row) => row.miner_id);
  const reached = new Set(targets.map((row) => row.miner_id)).size;
  const mayAll = (right: Right) => targets.length > 0 && targets.every((row) => may(right, row.site_id));
  const allowed: Record<Open | "act", boolean> = {
    act: mayAll("acknowledge"),
    resolve: mayAll("acknowledge"),
    assign: mayAll("acknowledge") && isOneSite,
    suppress: mayAll("suppress") && areMachines,
    command: mayCommand(mayAll, reached) && areMachines,
  };
  const show = (what: Open) => {
    if (!allowed[what]) return;
    setHeld(targets);
    setOpen(what);
  };
  const close = () => setOpen(null);
  const take = (verb: Taking) => {
    if (!allowed.act) return;
    if (targets.length < MANY) return acts.mutate({ problems: targets, verb });
    setHeld(targets);
    setOpen(verb);
  };
  const dialogs = (
    <>
      {open === "resolve" ? <ResolveDialog problems={held} onClose={close} {...(onOver ? { onOver } : {})} /> : null}
      {open === "acknowledge" || open === "start" ? (
        <SureDialog verb={open} problems={held} onClose={close} onOver={onOver} />
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
    isBusy: acts.areBusy(targets),
    acknowledge: () => take("acknowledge"),
    start: () => take("start"),
  };
}

export function ActButtons({ acting }: { acting: Acting }) {
  const { allowed, show } = acting;
  return (
    <>
      {allowed.act ? (
        <>
          <button type="button" className="button" disabled={acting.isBusy} onClick={acting.acknowledge}>
            {t("pact.acknowledge")}
          </button>
          <button type="button" className="button" disabled={acting.isBusy} onClick={acting.start}>
            {t("pact.start")}
          </button>
        </>
      ) : null}
      {allowed.assign ? (
        <button type="button" className="button" onClick={() => show("assign")}>
          {t("pact.assign")}
        </button>
      ) : null}
      {allowed.resolve ? (
        <button type="button" className="button" onClick={() => show("resolve")}>
          {t("pact.resolve")}
        </button>
      ) : null}
      {allowed.suppress ? (
        <button type="button" className="button" onClick={() => show("suppress")}>
          {t("pact.suppress")}
        </button>
      ) : null}
      {allowed.command ? (
        <button type="button" className="button primary" onClick={() => show("command")}>
          {t("pact.command")}
        </button>
      ) : null}
    </>
  );
}
