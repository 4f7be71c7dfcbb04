// Problems: open problems, worst first, with facets and a preview.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { SiteTotals } from "../api/types";
import { sitesQuery } from "../api/queries";
import { t, useLanguage } from "../i18n";
import { number } from "../i18n/format";
import { ActionButtons, useProblemActions, type ProblemActions } from "../problems/actions";
import { countsQuery, MOST_AT_ONCE, problemQuery, readFirst } from "../problems/api";
import { exportCsv } from "../problems/export";
import { Facets } from "../problems/facets";
import { useHealth } from "../problems/health";
import { Preview } from "../problems/preview";
import { usePrices } from "../problems/prices";
import { isUnavailable } from "../problems/registry_part";
import { filtersOf, siteWithoutName, orderOf, useRows, type Row, type Rows } from "../problems/rows";
import { healthNote } from "../problems/health_note";
import { ProblemTable } from "../problems/table";
import { Views } from "../problems/views";
import type { ProblemSearch } from "../router";
import { useKeys } from "../ui/keys";
import { useTitle } from "../ui/title";
import { Skeleton, Empty, Failed } from "../ui/states";
import { failureText } from "../ui/errors";
import { showToast } from "../ui/toast";
import { useNow } from "../ui/time";

const NONE: SiteTotals[] = [];
const TYPED_MS = 250;

export function ProblemsPage() {
  const sites = useQuery(sitesQuery).data?.sites;
  useLanguage();
  useTitle(t("problems.title"));
  return <Problems sites={sites ?? NONE} />;
}

type Change = (to: Partial<Record<keyof ProblemSearch, string | undefined>>) => void;

function Problems({ sites }: { sites: SiteTotals[] }) {
  const search = useSearch({ from: "/problems" });
  const navigate = useNavigate({ from: "/problems" });
  const prices = usePrices();
  const change: Change = useCallback(
    (to) => void navigate({ search: (old: ProblemSearch) => clean({ ...old, ...to }), replace: true }),
    [navigate],
  );
  const { at: _at, ...narrowing } = search;
  const key = JSON.stringify(narrowing);
  const { filters, wanted } = useMemo(() => {
    const filters = filtersOf(search);
    return { filters, wanted: { ...filters, ...orderOf(search) } };
  }, [key]);
  const [isOpen, setOpen] = useState(false);
  const [sight, setSight] = useState<[number, number]>([0, 0]);
  const onSight = useCallback((first: number, last: number) => setSight([first, last]), []);
  const rows = useRows(wanted, sites, ...sight);
  const counts = useQuery(countsQuery(filters)).data;
  const { chosen, choose, leave, setChosen } = useChosen(rows, key);
  const shownKey = useRef(key);
  shownKey.current = key;
  const { marked, index } = useMarked(rows, search.at, sites);
  const acting = useProblemActions(chosen.size ? [...chosen.values()] : marked ? [marked] : [], leave);
  const onOrder = useCallback((order: { sort?: string | undefined; order?: string | undefined }) => change({ sort: order.sort, order: order.order }), [change]);
  const total = rows.total ?? 0;

  const step = (by: number) => {
    const next = rows.at(Math.max(0, Math.min(total - 1, index + by)));
    if (next) change({ at: next.id });
  };
  const chooseAll = async () => {
    if (chosen.size) return setChosen(new Map());
    const loaded = await readFirst(wanted).catch((error: unknown) => showToast(failureText(error)));
    // what was asked for is another list meanwhile
    if (!loaded || shownKey.current !== key) return;
    const places = new Map(sites.map((site) => [site.site_id, site]));
    setChosen(new Map(loaded.map((row) => [row.id, { ...row, site: places.get(row.site_id) ?? siteWithoutName(row.site_id) }])));
    if (total > MOST_AT_ONCE) showToast(t("problems.most", { n: number(MOST_AT_ONCE) }));
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => marked && choose(marked),
    Enter: () =>
      marked &&
      void navigate({ to: "/sites/$site/problems/$problem", params: { site: marked.site.code, problem: marked.id } }),
    a: () => acting.acknowledge(),
    c: () => acting.show("command"),
    Escape: () => (chosen.size ? setChosen(new Map()) : change({ at: undefined })),
  });

  return (
    <main className="page fill problems-page" id="content">
      <div className="pagehead">
        <h1>{t("problems.title")}</h1>
        <span className="second" role="status">
          {rows.total === null ? null : t("problems.count", { n: number(rows.total) })}
        </span>
        <span className="grow" />
        <Typed text={search.text ?? ""} onText={(text) => change({ text: text || undefined })} />
        <button type="button" className="button only-narrow-flex" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t("facet.label")}
        </button>
        <Views search={search} onView={(view) => void navigate({ search: view })} />
        <button type="button" className="button" disabled={!total} onClick={() => void exportCsv(wanted)}>
          {t("list.export")}
        </button>
      </div>
      <div className={marked ? "problems-grid with-preview" : "problems-grid"}>
        <Facets counts={counts} search={search} change={change} isOpen={isOpen} />
        <section className="panel problems-list">
          {chosen.size ? <BulkBar n={chosen.size} acting={acting} onClear={() => setChosen(new Map())} /> : null}
          <ListState rows={rows} isNarrowed={Object.keys(narrowing).length > 0}>
            <ProblemTable
              key={key}
              rows={rows}
              total={total}
              prices={prices}
              search={search}
              onOrder={onOrder}
              onAt={(row) => change({ at: row.id === search.at ? undefined : row.id })}
              onSight={onSight}
              chosen={chosen}
              onChoose={choose}
              onChooseAll={() => void chooseAll()}
              atIndex={index}
            />
          </ListState>
        </section>
        {marked ? <Preview row={marked} acting={chosen.size ? null : acting} onClose={() => change({ at: undefined })} /> : null}
      </div>
      {acting.dialogs}
    </main>
  );
}

/** What was selected stays so while its rows change, and for as long as it is in the list; other filters begin anew. */
function useChosen(rows: Rows, key: string) {
  const [stored, setChosen] = useState<Map<string, Row>>(new Map());
  useEffect(() => setChosen(new Map()), [key]);
  const chosen = useMemo(() => {
    const newest = new Map(rows.loaded.map(([, row]) => [row.id, row]));
    const isComplete = rows.total !== null && newest.size >= rows.total;
    return new Map([...stored].filter(([id]) => !isComplete || newest.has(id)).map(([id, row]) => [id, newest.get(id) ?? row]));
  }, [stored, rows.loaded]);
  const choose = (row: Row) =>
    setChosen((before) => {
      const next = new Map(before);
      if (!next.delete(row.id)) next.set(row.id, row);
      return next;
    });
  const leave = useCallback((ids: string[]) => {
    const over = new Set(ids);
    if (over.size) setChosen((before) => new Map([...before].filter(([id]) => !over.has(id))));
  }, []);
  return { chosen, choose, leave, setChosen };
}

/** The row that is marked in the address; fetched separately if not loaded. */
function useMarked(rows: Rows, at: string | undefined, sites: SiteTotals[]): { marked: Row | null; index: number } {
  const loaded = rows.loaded.find(([, row]) => row.id === at);
  const alone = useQuery({ ...problemQuery(null, at ?? ""), enabled: at !== undefined && !loaded && rows.total !== null }).data;
  if (loaded) return { marked: loaded[1], index: loaded[0] };
  if (!alone || alone.problem.id !== at) return { marked: null, index: -1 };
  const site = sites.find((site) => site.site_id === alone.problem.site_id) ?? siteWithoutName(alone.problem.site_id);
  return { marked: { ...alone.problem, site }, index: -1 };
}

/** Debounced: the search text goes into the URL after a pause. */
function Typed({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const shown = useRef(text); // A URL change does not overwrite newer typing.
  useEffect(() => {
    if (text !== shown.current) setTyped(text);
    shown.current = text;
  }, [text]);
  useEffect(() => {
    if (typed.trim() === shown.current) return;
    const timer = window.setTimeout(() => {
      shown.current = typed.trim();
      onText(shown.current);
    }, TYPED_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);
  return (
    <input
      className="input search"
      data-search
      type="search"
      aria-label={t("problems.search")}
      placeholder={t("problems.search")}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

function ListState({ rows, isNarrowed, children }: { rows: Rows; isNarrowed: boolean; children: React.ReactNode }) {
  if (rows.total === null) {
    if (!rows.error) return <Skeleton rows={12} />;
    // a server whose registry is not there yet says 404: that is no missing page
    if (isUnavailable(rows.error)) return <Empty title={t("problems.off")} hint={t("problems.off.hint")} />;
    return <Failed error={rows.error} />;
  }
  if (rows.total > 0) return children;
  if (!isNarrowed) return <Nothing />;
  return (
    <Empty title={t("problems.none")} hint={t("problems.none.hint")}>
      <Link to="/problems" search={{}} className="button">
        {t("problems.reset")}
      </Link>
    </Empty>
  );
}

/** That nothing is open says something only of sites that were looked at. */
function Nothing() {
  const sites = useQuery(sitesQuery).data?.sites;
  const health = useHealth(sites ?? []);
  const silent = healthNote(health, useNow());
  if (!sites || (!health.isComplete && !silent)) return <Skeleton rows={12} />;
  return <Empty title={silent ? t("problems.unknown") : t("problems.empty")} hint={silent ?? t("problems.empty.hint")} />;
}

function BulkBar({ n, acting, onClear }: { n: number; acting: ProblemActions; onClear: () => void }) {
  return (
    <div className="bulk first" role="toolbar" aria-label={t("list.selected", { n: number(n) })}>
      <strong>{t("list.selected", { n: number(n) })}</strong>
      <button type="button" className="button plain" onClick={onClear}>
        {t("list.clear")}
      </button>
      <span className="grow" />
      <ActionButtons acting={acting} />
    </div>
  );
}

function clean(given: Record<string, string | undefined>): ProblemSearch {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ProblemSearch;
}
