// The map of a site, with selection and commands.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import type { Cells, SiteTotals } from "../api/types";
import { pastCellsQuery } from "../api/queries";
import { useMay } from "../api/session";
import { CommandDialog } from "../command/lazy_dialog";
import { mayCommand } from "../command/permissions";
import { t, useLanguage } from "../i18n";
import { hashrate, number, power, text } from "../i18n/format";
import { HoverCard } from "../map/card";
import { MapCanvas } from "../map/canvas";
import { layOut, type Layout, type Room } from "../map/layout";
import { Legend } from "../map/legend";
import { colour, countsOf, measureFor, MEASURES, momentColumns, noColumns, nowColumns, onlyOf, type Columns, type Measure } from "../map/measures";
import { Replay, useReplay } from "../map/replay";
import { useLimits, useRisk } from "../map/overlays";
import { rowsOf, select, shownOf, sumOf } from "../map/selection";
import type { SiteSearch } from "../router";
import { useKeys } from "../ui/keys";
import { reasonOf } from "../ui/errors";
import { useTheme } from "../ui/theme";

export function SiteMap({ site, cells }: { site: SiteTotals; cells: Cells }) {
  const search = useSearch({ from: "/sites/$site" });
  const navigate = useNavigate({ from: "/sites/$site" });
  const may = useMay();
  const theme = useTheme();
  const language = useLanguage();
  const [hover, setHover] = useState<{ no: number; x: number; y: number } | null>(null);
  const [commanded, setCommanded] = useState<string[] | null>(null);

  const change = (to: Partial<Record<keyof SiteSearch, string | undefined>>) =>
    void navigate({ search: (old: SiteSearch) => clean({ ...old, ...to }), replace: true });
  const given = search.at && Number.isFinite(Date.parse(search.at)) ? search.at : null;
  const { moment: at, isMoving, slide } = useReplay(given, (next) => change({ at: next ?? undefined }));
  const { columns, note: ofMoment } = useMoment(site.site_id, cells, at, isMoving);
  const wanted = MEASURES.includes(search.measure as Measure) ? (search.measure as Measure) : "health";
  const measure = measureFor(wanted, at !== null);
  const limits = useLimits(site.site_id, measure === "temperature");
  const risk = useRisk(site.site_id, measure === "risk");
  const note = ofMoment ?? (measure !== wanted ? t("map.frame.only") : measure === "risk" && risk === null ? t("map.norisk") : null);

  const [room, setRoom] = useState<Room | undefined>();
  const layout = useMemo(() => layOut(cells, search.zone ?? null, room), [cells, search.zone, room]);
  // its labels are in the language's words, the scene's colours in the theme's
  const coloured = useMemo(() => colour(measure, cells, columns, limits, risk), [cells, columns, measure, limits, risk, language]);
  const only = useMemo(() => onlyOf(search.only, coloured), [search.only, coloured]);
  const counts = useMemo(() => countsOf(coloured, layout.shown), [coloured, layout]);
  const nos = cells.columns.miner_no;
  const scene = useMemo(
    () => ({ layout, coloured, nos, only, labels: { zone: t("map.nozone"), rack: t("map.norack") } }),
    [layout, coloured, nos, only, theme, language],
  );
  const { rows, chosen, setSelected } = useSelection(cells, layout);
  const idOf = (row: number) => cells.columns.miner_id[row] ?? "";
  const open = (row: number) => {
    if (idOf(row)) void navigate({ to: "/sites/$site/miners/$miner", params: { site: site.code, miner: idOf(row) } });
  };
  const clear = () => setSelected(new Set());
  // held as they are now: nothing that is read meanwhile changes whom an open dialog means
  const isCommandable = chosen.size > 0 && mayCommand((right) => may(right, site.site_id), chosen.size);
  const command = () => isCommandable && setCommanded([...chosen].map(idOf));
  useKeys({ c: command, Escape: clear });
  const hovered = hover === null ? undefined : rows.get(hover.no);

  return (
    <section className="panel map-panel" aria-label={t("site.map")}>
      <header>
        <label className="row">
          <span className="hidden-label">{t("map.measure")}</span>
          <select
            className="select"
            value={measure}
            onChange={(event) => change({ measure: event.target.value, only: undefined })}
          >
            {MEASURES.map((measure) => (
              <option key={measure} value={measure}>
                {t(`map.${measure}`)}
              </option>
            ))}
          </select>
        </label>
        <Legend
          coloured={coloured}
          counts={counts}
          only={only}
          onOnly={(next) => change({ only: next.size ? [...next].join(",") : undefined })}
        />
      </header>
      <MapCanvas
        scene={scene}
        selected={chosen}
        onSelect={(cells, how) => setSelected((before) => select(before, cells.map((row) => nos[row] ?? -1), how))}
        onHover={(row, point) => setHover(row < 0 ? null : { no: nos[row] ?? -1, ...point })}
        onOpen={open}
        onRoom={setRoom}
        card={
          hover && hovered !== undefined ? (
            <HoverCard site={site} cells={cells} columns={columns} at={at} row={hovered} x={hover.x} y={hover.y} room={room} />
          ) : null
        }
      >
        <Replay at={at} zone={site.timezone} onSlide={slide} />
      </MapCanvas>
      <footer>
        {note ? (
          <p className="quiet map-note" role="status">
            {note}
          </p>
        ) : null}
        <div className="bulk" aria-live="polite">
          {chosen.size ? (
            <>
              <span>{words(columns, chosen)}</span>
              <span className="grow" />
              <button type="button" className="button" onClick={clear}>
                {t("list.clear")}
              </button>
              {chosen.size === 1 ? (
                <button type="button" className="button" onClick={() => open([...chosen][0] ?? -1)}>
                  {t("map.open")}
                </button>
              ) : null}
              {isCommandable ? (
                <button type="button" className="button primary" onClick={command}>
                  {t("map.command")}
                </button>
              ) : null}
            </>
          ) : (
            <span className="quiet">{t("map.none")}</span>
          )}
        </div>
      </footer>
      {commanded ? (
        <Suspense>
          <CommandDialog site={site} miners={commanded} onClose={() => setCommanded(null)} />
        </Suspense>
      ) : null}
    </section>
  );
}

/** The columns of the time that is shown: of now, of exactly `at`, or none at all. */
function useMoment(site: number, cells: Cells, at: string | null, isMoving: boolean): { columns: Columns; note: string | null } {
  const { data: past, error } = useQuery(pastCellsQuery(site, isMoving ? null : at));
  const columns = useMemo(() => {
    if (at === null) return nowColumns(cells);
    return past ? momentColumns(cells, past) : noColumns(cells);
  }, [cells, at, past]);
  if (at === null || (past && past.machines > 0)) return { columns, note: null };
  if (past) return { columns, note: t("map.frame.empty") };
  if (!error) return { columns, note: t("map.frame.loading") };
  // the only invalid input: a time outside the history
  const isOutside = error instanceof ApiError && error.code === "VALIDATION_FAILED";
  return { columns, note: t("map.frame.failed", { reason: isOutside ? t("map.frame.outside") : reasonOf(error) }) };
}

function useSelection(cells: Cells, layout: Layout) {
  const [selected, setSelected] = useState<Set<number>>(new Set());
  const rows = useMemo(() => rowsOf(cells), [cells]);
  const chosen = useMemo(() => shownOf(selected, rows, layout), [selected, rows, layout]);
  // a machine that left the map is no longer selected when it returns
  useEffect(() => {
    if (chosen.size < selected.size) setSelected(new Set([...chosen].map((row) => cells.columns.miner_no[row] ?? -1)));
  }, [chosen, selected, cells]);
  return { rows, chosen, setSelected };
}

function words(columns: Columns, chosen: Set<number>): string {
  const { hashrate: ths, power: watts, unknown } = sumOf(columns, chosen);
  const values = { n: number(chosen.size), hashrate: text(hashrate(ths)), power: text(power(watts)), unknown: number(unknown) };
  return t(unknown ? "map.selected.unknown" : "map.selected", values);
}

function clean(given: Record<string, string | undefined>): SiteSearch {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as SiteSearch;
}
