// The list of problems: only visible rows are rendered, and their pages are fetched on scroll.
import { createColumnHelper, flexRender, getCoreRowModel, useReactTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { t, useLanguage } from "../i18n";
import type { ProblemSearch } from "../router";
import { useNow } from "../ui/time";
import { useUserNames } from "./assign";
import { columnsOf, SORTED } from "./columns";
import type { Prices } from "./prices";
import { nextOrder, type Row, type Rows } from "./rows";
import { metricOf } from "./evidence";

const HEIGHT = 32;
const REST_MS = 60; // no fetch while scrolling fast
const tick = createColumnHelper<Row>();

type Props = {
  rows: Rows;
  total: number;
  prices: Prices | null;
  search: ProblemSearch;
  onOrder: (order: { sort?: string | undefined; order?: string | undefined }) => void;
  onAt: (row: Row) => void;
  onSight: (first: number, last: number) => void;
  chosen: Map<string, Row>;
  onChoose: (row: Row) => void;
  onChooseAll: () => void;
  atIndex: number;
};

export function ProblemTable(props: Props) {
  const { rows, total, search, chosen, atIndex, onSight } = props;
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => place.current,
    estimateSize: () => HEIGHT,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    const timer = window.setTimeout(() => onSight(first, last), REST_MS);
    return () => window.clearTimeout(timer);
  }, [first, last, onSight]);
  useEffect(() => {
    if (!performance.getEntriesByName("first-rows").length) performance.mark("first-rows");
  }, []);
  useEffect(() => {
    if (atIndex >= 0) virtual.scrollToIndex(atIndex, { align: "auto" });
  }, [atIndex, virtual]);
  const inSight = useMemo(() => rowsBetween(rows, first, last), [rows, first, last]);
  const { table, byId } = useTable(props, inSight);
  const shown = items.map((item) => ({ item, row: rows.at(item.index) }));
  return (
    <div className="scroll problem-table" ref={place} role="table" aria-label={t("problems.table")} aria-rowcount={total + 1} tabIndex={0}>
      <div role="rowgroup" className="vhead">
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className="vrow">
            {group.headers.map((header) => (
              <div key={header.id} role="columnheader" className={`vcell c-${header.id}`} {...sorted(search, header.id)}>
                {flexRender(header.column.columnDef.header, header.getContext())}
              </div>
            ))}
          </div>
        ))}
      </div>
      <div role="rowgroup" className="vbody" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ item, row }) => {
          const isAt = row !== null && row.id === search.at;
          return (
            <div
              key={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={row !== null && (isAt || chosen.has(row.id))}
              className={`vrow ${isAt ? "marked" : ""}`}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => row && props.onAt(row)}
            >
              {row === null ? (
                <div role="cell" className="vcell c-what">
                  <div className="bone w2" aria-label={t("state.loading")} />
                </div>
              ) : null}
              {byId.get(row?.id ?? "")?.map((cell) => (
                <div key={cell.id} role="cell" className={`vcell c-${cell.column.id}`}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function useTable({ prices, search, onOrder, chosen, onChoose, onChooseAll, total }: Props, data: Row[]) {
  const now = useNow();
  const language = useLanguage();
  const userName = useUserNames(data.filter((row) => row.assigned_to !== null).map((row) => row.site_id));
  // columns without any value are hidden
  const loss = data.some((row) => row.loss_ths !== null);
  const risk = data.some((row) => row.p_fail_24h !== null);
  const peers = data.some((row) => row.peer_metrics_json?.[metricOf(row)]);
  const who = data.some((row) => row.assigned_to !== null);
  const rest = useMemo(
    () => columnsOf({ now, prices, userName, loss, risk, peers, who, search, onSort: (sort) => onOrder(nextOrder(search, sort)) }),
    [now, prices, userName, loss, risk, peers, who, search, onOrder, language],
  );
  const select = tick.display({
    id: "select",
    header: () => (
      <input type="checkbox" aria-label={t("list.all")} checked={chosen.size > 0 && chosen.size >= Math.min(total, 1000)} onChange={onChooseAll} />
    ),
    cell: ({ row }) => (
      <input
        type="checkbox"
        aria-label={t("list.one", { name: row.original.miner_id ?? row.original.id })}
        checked={chosen.has(row.original.id)}
        onChange={() => onChoose(row.original)}
        onClick={(event) => event.stopPropagation()}
      />
    ),
  });
  const table = useReactTable({
    data,
    columns: [select, ...rest],
    getRowId: (row) => row.id,
    // the rows in sight are new with every step of the wheel: there is nothing to set back
    autoResetAll: false,
    getCoreRowModel: getCoreRowModel(),
  });
  return { table, byId: new Map(table.getRowModel().rows.map((row) => [row.id, row.getVisibleCells()])) };
}

function rowsBetween(rows: Rows, first: number, last: number): Row[] {
  const inView = Array.from({ length: last - first + 1 }, (_, no) => rows.at(first + no));
  return inView.filter((row) => row !== null);
}

function sorted(search: ProblemSearch, column: string): { "aria-sort"?: "ascending" | "descending" } {
  const sort = SORTED[column];
  if (!sort || sort !== (search.sort ?? "severity")) return {};
  const falls = sort !== "miner_id" && sort !== "severity";
  return { "aria-sort": falls === (search.order === "reversed") ? "ascending" : "descending" };
}
