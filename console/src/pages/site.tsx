// Site: the map of its machines, what it did in the last day, and what is most at risk.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import type { Cells, SiteSums } from "../api/known";
import { cellsQuery, frameQuery, sitesQuery } from "../api/queries";
import { useMay } from "../api/session";
import { t } from "../i18n";
import { hashrate, number, power, text } from "../i18n/format";
import { HoverCard } from "../map/card";
import { MapCanvas } from "../map/canvas";
import { layOut, type Room } from "../map/layout";
import { Legend } from "../map/legend";
import { colour, measureFor, MEASURES, momentColumns, nowColumns, type Measure } from "../map/measures";
import { Replay } from "../map/replay";
import { useLimits, useRisk } from "../map/risks";
import { SiteSummary, TopRisks, Trends } from "./site_parts";
import type { SiteSearch } from "../router";
import { useKeys } from "../ui/keys";
import { Bones, Empty, Failed, Part } from "../ui/states";
import { useTheme } from "../ui/theme";

const CommandDialog = lazy(() => import("../command/dialog"));

export function SitePage() {
  const { site: code } = useParams({ from: "/sites/$site" });
  const sites = useQuery(sitesQuery);
  return (
    <Part of={sites} rows={10}>
      {(found) => {
        const site = found.sites.find((one) => one.code === code || String(one.site_id) === code);
        if (!site) return <Failed error={new ApiError(404, "NOT_FOUND", "")} />;
        return <Site key={site.site_id} site={site} />;
      }}
    </Part>
  );
}

function Site({ site }: { site: SiteSums }) {
  const cells = useQuery(cellsQuery(site.site_id));
  return (
    <main className="page fill" id="content">
      <SiteSummary site={site} />
      <div className="site-grid">
        {cells.data === undefined ? (
          <section className="panel">{cells.isError ? <Failed error={cells.error} /> : <Bones rows={12} />}</section>
        ) : cells.data.machines === 0 ? (
          <section className="panel">
            <Empty title={t("site.empty")} hint={t("site.empty.hint")} />
          </section>
        ) : (
          <SiteMap site={site} cells={cells.data} />
        )}
        <div className="side" role="region" aria-label={t("site.beside")} tabIndex={0}>
          <TopRisks site={site} />
          <Trends site={site} />
        </div>
      </div>
    </main>
  );
}

function SiteMap({ site, cells }: { site: SiteSums; cells: Cells }) {
  const search = useSearch({ from: "/sites/$site" });
  const navigate = useNavigate({ from: "/sites/$site" });
  const may = useMay();
  const theme = useTheme();
  const limits = useLimits();
  const [selected, setSelected] = useState<Set<number>>(new Set());
  const [hover, setHover] = useState<{ cell: number; x: number; y: number } | null>(null);
  const [commanding, setCommanding] = useState(false);

  const change = (to: Partial<Record<keyof SiteSearch, string | undefined>>) =>
    void navigate({ search: (old: SiteSearch) => clean({ ...old, ...to }), replace: true });
  const at = search.at ?? null;
  const frame = useQuery(frameQuery(site.site_id, at)).data;
  const wanted = MEASURES.includes(search.measure as Measure) ? (search.measure as Measure) : "health";
  const measure = measureFor(wanted, at !== null);
  const risk = useRisk(site.site_id, measure === "risk");
  const only = useMemo(() => new Set(search.only ? search.only.split(",") : []), [search.only]);

  const [room, setRoom] = useState<Room | undefined>();
  const layout = useMemo(() => layOut(cells, search.zone ?? null, room), [cells, search.zone, room]);
  const coloured = useMemo(() => {
    const columns = at !== null && frame ? momentColumns(cells, frame) : nowColumns(cells);
    return colour(measure, cells, columns, limits, risk);
    // the labels are in the theme's and language's words
  }, [cells, frame, at, measure, limits, risk]);
  const scene = useMemo(
    () => ({ layout, coloured, only, labels: { zone: t("map.nozone"), rack: t("map.norack") } }),
    [layout, coloured, only, theme],
  );

  const select = useCallback((chosen: number[], how: "set" | "toggle" | "add") => {
    setSelected((before) => {
      if (how === "set") return new Set(chosen);
      const next = new Set(before);
      for (const no of chosen) {
        if (how === "toggle" && next.has(no)) next.delete(no);
        else next.add(no);
      }
      return next;
    });
  }, []);
  const miners = useMemo(() => [...selected].map((no) => cells.columns.miner_id[no] ?? ""), [selected, cells]);
  const open = (no: number) => {
    const miner = cells.columns.miner_id[no];
    if (miner) void navigate({ to: "/sites/$site/miners/$miner", params: { site: site.code, miner } });
  };
  useKeys({ c: () => selected.size && may("command") && setCommanding(true), Escape: () => setSelected(new Set()) });

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
            {MEASURES.map((one) => (
              <option key={one} value={one}>
                {t(`map.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <Legend
          coloured={coloured}
          only={only}
          onOnly={(next) => change({ only: next.size ? [...next].join(",") : undefined })}
        />
      </header>
      <MapCanvas
        scene={scene}
        selected={selected}
        onSelect={select}
        onHover={(cell, point) => setHover(cell < 0 ? null : { cell, ...point })}
        onOpen={open}
        onRoom={setRoom}
        card={hover ? <HoverCard site={site} cells={cells} room={room} {...hover} /> : null}
      >
        <Replay at={at} zone={site.timezone} onAt={(next) => change({ at: next ?? undefined })} />
      </MapCanvas>
      <footer>
        {at !== null && (frame?.machines === 0 || measure !== wanted) ? (
          <p className="quiet map-note">{t(frame?.machines === 0 ? "map.frame.empty" : "map.frame.only")}</p>
        ) : null}
        <div className="bulk" aria-live="polite">
          {selected.size ? (
            <>
              <span>{t("map.selected", sums(cells, selected))}</span>
              <span className="grow" />
              <button type="button" className="button" onClick={() => setSelected(new Set())}>
                {t("list.clear")}
              </button>
              {selected.size === 1 ? (
                <button type="button" className="button" onClick={() => open([...selected][0] ?? -1)}>
                  {t("map.open")}
                </button>
              ) : null}
              {may("command") ? (
                <button type="button" className="button primary" onClick={() => setCommanding(true)}>
                  {t("map.command")}
                </button>
              ) : null}
            </>
          ) : (
            <span className="quiet">{t("map.none")}</span>
          )}
        </div>
      </footer>
      {commanding ? (
        <Suspense>
          <CommandDialog site={site} miners={miners} onClose={() => setCommanding(false)} />
        </Suspense>
      ) : null}
    </section>
  );
}

function sums(cells: Cells, selected: Set<number>): Record<string, string> {
  let ths = 0;
  let watts = 0;
  for (const no of selected) {
    ths += cells.columns.hashrate_ths[no] ?? 0;
    watts += cells.columns.power_w[no] ?? 0;
  }
  return { n: number(selected.size), hashrate: text(hashrate(ths)), power: text(power(watts)) };
}

function clean(given: Record<string, string | undefined>): SiteSearch {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as SiteSearch;
}
