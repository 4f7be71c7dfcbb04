// Problems: everything open, worst first; facets left, table right, a preview of what is marked.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { RowSelectionState } from "@tanstack/react-table";
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react";
import type { SiteSums } from "../api/known";
import { sitesQuery } from "../api/queries";
import { useMay, useMe } from "../api/session";
import { t } from "../i18n";
import { number } from "../i18n/format";
import { ResolveDialog, SuppressDialog, useActs } from "../problems/acts";
import { save } from "../problems/export";
import { Facets } from "../problems/facets";
import { Preview } from "../problems/preview";
import { usePrices } from "../problems/prices";
import { isOff } from "../problems/registry_part";
import { passing, useRows, type Row } from "../problems/rows";
import { ProblemTable } from "../problems/table";
import { Views } from "../problems/views";
import type { ProblemSearch } from "../router";
import { useKeys } from "../ui/keys";
import { Bones, Empty, Failed } from "../ui/states";
import { useNow } from "../ui/when";

const CommandDialog = lazy(() => import("../command/dialog"));
const NONE: SiteSums[] = [];
type Open = "resolve" | "suppress" | "command" | null;

export function ProblemsPage() {
  const sites = useQuery(sitesQuery).data?.sites;
  return <Problems sites={sites ?? NONE} />;
}

function Problems({ sites }: { sites: SiteSums[] }) {
  const search = useSearch({ from: "/problems" });
  const navigate = useNavigate({ from: "/problems" });
  const now = useNow();
  const prices = usePrices();
  const found = useRows(sites, search);
  const [selection, setSelection] = useState<RowSelectionState>({});
  const [text, setText] = useState(search.text ?? "");
  const deferred = useDeferredValue(search);

  const change = (to: Partial<Record<keyof ProblemSearch, string | undefined>>) =>
    void navigate({ search: (old: ProblemSearch) => clean({ ...old, ...to }), replace: true });
  const rows = useMemo(() => passing(found.rows, deferred, now), [found.rows, deferred, now]);
  const marked = rows.find((row) => row.id === search.at);
  const chosen = rows.filter((row) => selection[row.id]);
  const filtered = Object.keys(search).some((name) => name !== "at");
  const targets = chosen.length ? chosen : marked ? [marked] : [];

  const step = (by: number) => {
    const at = rows.findIndex((row) => row.id === search.at);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next) change({ at: next.id });
  };
  const acting = useActing(targets);
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => marked && setSelection((old) => ({ ...old, [marked.id]: !old[marked.id] })),
    Enter: () =>
      marked &&
      void navigate({ to: "/sites/$site/problems/$problem", params: { site: marked.site.code, problem: marked.id } }),
    a: () => acting.acknowledge(),
    c: () => acting.setOpen("command"),
    Escape: () => (chosen.length ? setSelection({}) : change({ at: undefined })),
  });

  return (
    <main className="page fill problems-page" id="content">
      <div className="pagehead">
        <h1>{t("problems.title")}</h1>
        <span className="second" role="status">
          {found.isLoading ? null : t("problems.count", { n: number(rows.length) })}
          {found.isCut ? ` · ${t("problems.cut", { n: number(found.rows.length), total: number(found.total) })}` : null}
        </span>
        <input
          className="input search"
          data-search
          type="search"
          aria-label={t("problems.search")}
          placeholder={t("problems.search")}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            change({ text: event.target.value || undefined });
          }}
        />
        <Views
          search={search}
          onView={(view) => {
            setText(view.text ?? "");
            void navigate({ search: view });
          }}
        />
        <button type="button" className="button" disabled={!rows.length} onClick={() => save(rows)}>
          {t("list.export")}
        </button>
      </div>
      <div className={marked ? "problems-grid with-preview" : "problems-grid"}>
        <Facets rows={found.rows} search={search} now={now} change={change} />
        <section className="panel problems-list">
          {chosen.length ? <BulkBar chosen={chosen} acting={acting} onClear={() => setSelection({})} /> : null}
          {found.isLoading ? (
            <Bones rows={12} />
          ) : found.error ? (
            <NoRegistry error={found.error} />
          ) : rows.length ? (
            <ProblemTable
              rows={rows}
              prices={prices}
              at={search.at}
              onAt={(row) => change({ at: row.id === search.at ? undefined : row.id })}
              selection={selection}
              onSelection={setSelection}
            />
          ) : filtered ? (
            <Empty title={t("problems.none")} hint={t("problems.none.hint")}>
              <Link to="/problems" search={{}} className="button">
                {t("problems.reset")}
              </Link>
            </Empty>
          ) : (
            <Empty title={t("problems.empty")} hint={t("problems.empty.hint")} />
          )}
        </section>
        {marked ? <Preview row={marked} acting={acting} onClose={() => change({ at: undefined })} /> : null}
      </div>
      {acting.dialogs}
    </main>
  );
}

export type Acting = ReturnType<typeof useActing>;

/** What can be done with these rows, and the dialogs that belong to it. */
function useActing(targets: Row[]) {
  const may = useMay();
  const me = useMe();
  const acts = useActs();
  const [open, setOpen] = useState<Open>(null);
  const [held, setHeld] = useState<Row[]>([]);
  const user = me?.user as { email?: string | null } | null | undefined;
  const machines = held.map((row) => row.miner_id).filter((id) => id !== null);
  const site = held[0]?.site;
  const oneSite = targets.length > 0 && targets.every((row) => row.site_id === targets[0]?.site_id && row.miner_id);
  const allowed = {
    act: may("acknowledge") && targets.length > 0,
    suppress: may("suppress") && oneSite,
    command: may("command") && oneSite,
  };
  const show = (what: Open) => {
    const right = what === "resolve" ? allowed.act : what === "suppress" ? allowed.suppress : allowed.command;
    if (!right) return;
    setHeld(targets);
    setOpen(what);
  };
  const close = () => setOpen(null);
  const dialogs = (
    <>
      {open === "resolve" ? <ResolveDialog problems={held} onClose={close} /> : null}
      {open === "suppress" && site ? (
        <SuppressDialog site={site.site_id} miners={[...new Set(machines)]} zone={site.timezone} onClose={close} />
      ) : null}
      {open === "command" && site ? (
        <Suspense>
          <CommandDialog
            site={site}
            miners={[...new Set(machines)]}
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
    setOpen: show,
    acknowledge: () => allowed.act && acts.mutate({ problems: targets, verb: "acknowledge" }),
    start: () => allowed.act && acts.mutate({ problems: targets, verb: "start" }),
    assign: () => allowed.act && acts.mutate({ problems: targets, verb: "assign", said: { assignee: user?.email ?? null } }),
  };
}

/** A server whose registry is not there yet says 404: that is no missing page. */
function NoRegistry({ error }: { error: unknown }) {
  if (isOff(error)) {
    return <Empty title={t("problems.off")} hint={t("problems.off.hint")} />;
  }
  return <Failed error={error} />;
}

function BulkBar({ chosen, acting, onClear }: { chosen: Row[]; acting: Acting; onClear: () => void }) {
  return (
    <div className="bulk first" role="toolbar" aria-label={t("list.selected", { n: number(chosen.length) })}>
      <strong>{t("list.selected", { n: number(chosen.length) })}</strong>
      <button type="button" className="button plain" onClick={onClear}>
        {t("list.clear")}
      </button>
      <span className="grow" />
      <ActButtons acting={acting} />
    </div>
  );
}

export function ActButtons({ acting }: { acting: Acting }) {
  const { allowed } = acting;
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
          <button type="button" className="button" onClick={() => acting.assign()}>
            {t("pact.assign")}
          </button>
          <button type="button" className="button" onClick={() => acting.setOpen("resolve")}>
            {t("pact.resolve")}
          </button>
        </>
      ) : null}
      {allowed.suppress ? (
        <button type="button" className="button" onClick={() => acting.setOpen("suppress")}>
          {t("pact.suppress")}
        </button>
      ) : null}
      {allowed.command ? (
        <button type="button" className="button primary" onClick={() => acting.setOpen("command")}>
          {t("pact.command")}
        </button>
      ) : null}
    </>
  );
}

function clean(given: Record<string, string | undefined>): ProblemSearch {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ProblemSearch;
}
