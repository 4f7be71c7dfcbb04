// The list of problems: only the rows in sight exist; j and k walk, x selects, Enter opens.
import { createColumnHelper, flexRender, getCoreRowModel, useReactTable, type RowSelectionState } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { useMe } from "../api/session";
import { named, t, useLanguage } from "../i18n";
import { hashrate, money, percent, span } from "../i18n/format";
import { Amount } from "../ui/quantity";
import { Sev } from "../ui/severity";
import { useNow } from "../ui/when";
import { PeerStrip } from "./peer_strip";
import type { Prices } from "./prices";
import type { Row } from "./rows";
import { metricOf, sentence } from "./words";

const HEIGHT = 32;
const column = createColumnHelper<Row>();

function whoIs(id: string | null, me: string | null): string {
  return id === null ? "—" : id === me ? t("who.you") : t("who.other");
}

/** A column in which nobody has a value only takes room from those that say something. */
type Known = { loss: boolean; risk: boolean; peers: boolean };

function columnsOf(now: number, prices: Prices | null, me: string | null, known: Known) {
  const columns = [
    column.display({
      id: "select",
      header: ({ table }) => (
        <input
          type="checkbox"
          aria-label={t("list.all")}
          checked={table.getIsAllRowsSelected()}
          onChange={table.getToggleAllRowsSelectedHandler()}
        />
      ),
      cell: ({ row }) => (
        <input
          type="checkbox"
          aria-label={t("list.one", { name: row.original.miner_id ?? row.original.id })}
          checked={row.getIsSelected()}
          onChange={row.getToggleSelectedHandler()}
          onClick={(event) => event.stopPropagation()}
        />
      ),
    }),
    column.accessor("severity", { header: () => t("col.severity"), cell: (cell) => <Sev of={cell.getValue()} /> }),
    column.accessor("miner_id", {
      id: "machine",
      header: () => t("col.machine"),
      cell: ({ row }) => (
        <Link
          to="/sites/$site/problems/$problem"
          params={{ site: row.original.site.code, problem: row.original.id }}
          tabIndex={-1}
        >
          {row.original.miner_id ?? named("issue", row.original.issue_code)}
        </Link>
      ),
    }),
    column.display({
      id: "what",
      header: () => t("col.what"),
      cell: ({ row }) => (
        <span title={sentence(row.original)}>
          <strong>{named("issue", row.original.issue_code)}</strong> <span className="second">{sentence(row.original)}</span>
        </span>
      ),
    }),
    column.accessor("start_ts", {
      id: "since",
      header: () => t("col.since"),
      cell: (cell) => span((now - Date.parse(cell.getValue())) / 1000),
    }),
    column.accessor("loss_ths", {
      id: "loss",
      header: () => t("col.loss"),
      cell: (cell) => <Amount of={hashrate(cell.getValue())} />,
    }),
    ...(prices
      ? [
          column.accessor("loss_ths", {
            id: "money",
            header: () => t("col.loss.day"),
            cell: (cell) => money(cell.getValue() === null ? null : ((cell.getValue() ?? 0) / 1000) * prices.perPhDay, prices.currency),
          }),
        ]
      : []),
    column.accessor("p_fail_24h", {
      id: "pfail",
      header: () => t("col.pfail"),
      cell: (cell) => percent(cell.getValue()),
    }),
    column.display({
      id: "peers",
      header: () => t("col.peers"),
      cell: ({ row }) => (
        <PeerStrip peer={row.original.peer_metrics_json?.[metricOf(row.original)]} metric={metricOf(row.original)} />
      ),
    }),
    column.accessor("status", { id: "state", header: () => t("col.state"), cell: (cell) => named("status", cell.getValue()) }),
    column.accessor("assigned_to", { id: "who", header: () => t("col.who"), cell: (cell) => whoIs(cell.getValue(), me) }),
  ];
  const hidden = new Set([
    ...(known.loss ? [] : ["loss", "money"]),
    ...(known.risk ? [] : ["pfail"]),
    ...(known.peers ? [] : ["peers"]),
  ]);
  return columns.filter((one) => !hidden.has(one.id ?? ""));
}

export function ProblemTable({
  rows,
  prices,
  at,
  onAt,
  selection,
  onSelection,
}: {
  rows: Row[];
  prices: Prices | null;
  at: string | undefined;
  onAt: (row: Row) => void;
  selection: RowSelectionState;
  onSelection: (next: RowSelectionState) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const now = useNow();
  const language = useLanguage();
  const me = useMe()?.actor.id ?? null;
  const loss = rows.some((row) => row.loss_ths !== null);
  const risk = rows.some((row) => row.p_fail_24h !== null);
  const peers = rows.some((row) => row.peer_metrics_json?.[metricOf(row)]);
  const columns = useMemo(
    () => columnsOf(now, prices, me, { loss, risk, peers }),
    [now, prices, me, loss, risk, peers, language],
  );
  const table = useReactTable({
    data: rows,
    columns,
    getRowId: (row) => row.id,
    state: { rowSelection: selection },
    onRowSelectionChange: (next) => onSelection(typeof next === "function" ? next(selection) : next),
    getCoreRowModel: getCoreRowModel(),
  });
  const model = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => place.current,
    estimateSize: () => HEIGHT,
    overscan: 12,
  });
  useEffect(() => {
    if (!performance.getEntriesByName("first-rows").length) performance.mark("first-rows");
  }, []);
  const index = rows.findIndex((row) => row.id === at);
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index, { align: "auto" });
  }, [index, virtual]);
  return (
    <div className="scroll problem-table" ref={place} role="table" aria-label={t("problems.table")} aria-rowcount={rows.length + 1} tabIndex={0}>
      <div role="rowgroup" className="vhead">
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className="vrow">
            {group.headers.map((header) => (
              <div key={header.id} role="columnheader" className={`vcell c-${header.id}`}>
                {flexRender(header.column.columnDef.header, header.getContext())}
              </div>
            ))}
          </div>
        ))}
      </div>
      <div role="rowgroup" className="vbody" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = model[item.index];
          if (!row) return null;
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={row.original.id === at}
              className={`vrow ${row.original.id === at ? "marked" : ""}`}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => onAt(row.original)}
            >
              {row.getVisibleCells().map((cell) => (
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
