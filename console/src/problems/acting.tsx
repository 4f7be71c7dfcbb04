// What can be done with these rows, and the dialogs that belong to it.
import { lazy, Suspense, useState } from "react";
import { useMay } from "../api/session";
import { t } from "../i18n";
import { AssignDialog } from "./assign";
import { ResolveDialog, SuppressDialog, useActs } from "./acts";
import type { Row } from "./rows";

const CommandDialog = lazy(() => import("../command/dialog"));
export type Open = "resolve" | "suppress" | "command" | "assign";
export type Acting = ReturnType<typeof useActing>;

export function useActing(targets: Row[]) {
  const may = useMay();
  const acts = useActs();
  const [open, setOpen] = useState<Open | null>(null);
  const [held, setHeld] = useState<Row[]>([]);
  const machines = [...new Set(held.map((row) => row.miner_id).filter((id) => id !== null))];
  const site = held[0]?.site;
  const isOneSite = targets.length > 0 && targets.every((row) => row.site_id === targets[0]?.site_id);
  const areMachines = isOneSite && targets.every((row) => row.miner_id);
  const allowed: Record<Open | "act", boolean> = {
    act: may("acknowledge") && targets.length > 0,
    resolve: may("acknowledge") && targets.length > 0,
    assign: may("acknowledge") && isOneSite,
    suppress: may("suppress") && areMachines,
    command: may("command") && areMachines,
  };
  const show = (what: Open) => {
    if (!allowed[what]) return;
    setHeld(targets);
    setOpen(what);
  };
  const close = () => setOpen(null);
  const dialogs = (
    <>
      {open === "resolve" ? <ResolveDialog problems={held} onClose={close} /> : null}
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
    acknowledge: () => allowed.act && acts.mutate({ problems: targets, verb: "acknowledge" }),
    start: () => allowed.act && acts.mutate({ problems: targets, verb: "start" }),
  };
}

export function ActButtons({ acting }: { acting: Acting }) {
  const { allowed, show } = acting;
  return (
    <>
      {allowed.act ? (
        <>
          <button type="button" className="button" onClick={() => acting.acknowledge()}>
            {t("pact.acknowledge")}
          </button>
          <button type="button" className="button" onClick={() => acting.start()}>
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
