// Columns of the list of problems.
import { createColumnHelper } from "@tanstack/react-table";
import { Link } from "@tanstack/react-router";
import { wordFor, t, type Key } from "../i18n";
import { ago, exact, hashrate, money, moment, percent } from "../i18n/format";
import type { ProblemSearch } from "../router";
import { Amount } from "../ui/quantity";
import { Sev } from "../ui/severity";
import { PeerStrip } from "./peer_strip";
import type { Prices } from "./prices";
import type { Row } from "./rows";
import { metricOf, summaryOf } from "./evidence";

const column = createColumnHelper<Row>();
/** Columns that the server can order by. */
export const SORTED: Record<string, string> = {
  severity: "severity",
  machine: "miner_id",
  since: "start_ts",
  loss: "loss_ths",
  pfail: "p_fail_24h",
};

export type Shown = {
  now: number;
  prices: Prices | null;
  userName: (id: string | null) => string;
  loss: boolean;
  risk: boolean;
  peers: boolean;
  who: boolean;
  search: ProblemSearch;
  onSort: (sort: string) => void;
};

export function columnsOf(given: Shown) {
  const { now, prices } = given;
  const head = (id: string, key: Key) => () => <Head id={id} name={t(key)} given={given} />;
  const daily = (ths: number | null) => (ths === null || !prices ? null : (ths / 1000) * prices.perPhDay);
  const columns = [
    column.accessor("severity", { header: head("severity", "col.severity"), cell: (cell) => <Sev of={cell.getValue()} /> }),
    column.accessor("miner_id", {
      id: "machine",
      header: head("machine", "col.machine"),
      cell: ({ row }) => (
        <Link
          to="/sites/$site/problems/$problem"
          params={{ site: row.original.site.code, problem: row.original.id }}
          onClick={(event) => event.stopPropagation()}
        >
          {row.original.miner_id ? <Tail of={row.original.miner_id} /> : wordFor("issue", row.original.issue_code)}
        </Link>
      ),
    }),
    column.display({
      id: "what",
      header: () => t("col.what"),
      cell: ({ row }) => (
        <span title={summaryOf(row.original)}>
          <strong>{wordFor("issue", row.original.issue_code)}</strong> <span className="second">{summaryOf(row.original)}</span>
        </span>
      ),
    }),
    column.accessor("start_ts", {
      id: "since",
      header: head("since", "col.since"),
      cell: ({ row }) => (
        <time dateTime={row.original.start_ts} title={`${exact(row.original.start_ts, row.original.site.timezone)} · ${ago(row.original.start_ts, now)}`}>
          {moment(row.original.start_ts, now, row.original.site.timezone)}
        </time>
      ),
    }),
    column.accessor("loss_ths", {
      id: "loss",
      header: head("loss", "col.loss"),
      cell: (cell) => <Amount of={hashrate(cell.getValue())} />,
    }),
    column.accessor("loss_ths", {
      id: "money",
      header: () => t("col.loss.day"),
      cell: (cell) => money(daily(cell.getValue()), prices?.currency),
    }),
    column.accessor("p_fail_24h", {
      id: "pfail",
      header: head("pfail", "col.pfail"),
      cell: (cell) => percent(cell.getValue()),
    }),
    column.display({
      id: "peers",
      header: () => t("col.peers"),
      cell: ({ row }) => (
        <PeerStrip
          peer={row.original.peer_metrics_json?.[metricOf(row.original)]}
          metric={metricOf(row.original)}
          severity={row.original.severity}
        />
      ),
    }),
    column.accessor("status", { id: "state", header: () => t("col.state"), cell: (cell) => wordFor("status", cell.getValue()) }),
    column.accessor("assigned_to", { id: "who", header: () => t("col.who"), cell: (cell) => given.userName(cell.getValue()) }),
  ];
  const hidden = new Set([
    ...(given.loss ? [] : ["loss"]),
    ...(given.loss && prices ? [] : ["money"]),
    ...(given.risk ? [] : ["pfail"]),
    ...(given.peers ? [] : ["peers"]),
    ...(given.who ? [] : ["who"]),
  ]);
  return columns.filter((column) => !hidden.has(column.id ?? ""));
}

/** Long ids are cut at the front: machines differ at the end of their ids. */
function Tail({ of }: { of: string }) {
  return (
    <span className="tail">
      <bdi dir="ltr">{of}</bdi>
    </span>
  );
}

function Head({ id, name, given }: { id: string; name: string; given: Shown }) {
  const sort = SORTED[id] ?? "";
  const isIt = sort === (given.search.sort ?? "severity");
  return (
    <button type="button" className="sort" title={t("sort.by", { name })} onClick={() => given.onSort(sort)}>
      <span className="name">{name}</span>
      {isIt ? (
        <span className="arrow" aria-hidden="true">
          {given.search.order === "reversed" ? "▴" : "▾"}
        </span>
      ) : null}
    </button>
  );
}
