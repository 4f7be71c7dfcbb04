// Facets: what there is, how many of each, chosen by a click; several of one facet are "or", several facets "and".
import { named, t } from "../i18n";
import { number } from "../i18n/format";
import type { ProblemSearch } from "../router";
import { Sev } from "../ui/severity";
import { Bones } from "../ui/states";
import type { Counted, Counts } from "./api";
import { FACETS, type Facet } from "./facet_names";
import { ASKED, chosenIn, written } from "./rows";

const SHOWN = 12;
/** Offered though nothing of it is counted: what is over is asked for, not listed. */
const ALWAYS: Partial<Record<Facet, string[]>> = { status: ["resolved"] };

export function Facets({
  counts,
  search,
  change,
  isOpen,
}: {
  isOpen: boolean; // matters only where there is no room beside the list
  counts: Counts | undefined;
  search: ProblemSearch;
  change: (to: Partial<Record<keyof ProblemSearch, string | undefined>>) => void;
}) {
  return (
    <div className={isOpen ? "facets open" : "facets"} role="region" aria-label={t("facet.label")} tabIndex={0}>
      {counts ? null : <Bones rows={8} />}
      {FACETS.map((facet) =>
        counts ? (
          <FacetList
            key={facet}
            facet={facet}
            counts={counts.facets[ASKED[facet]] ?? []}
            wanted={chosenIn(search, facet)}
            onChange={(values) => change({ [facet]: written(values) })}
          />
        ) : null,
      )}
      {counts?.symptoms || search.symptoms === "all" ? (
        <label className="row facet-row">
          <input
            type="checkbox"
            checked={search.symptoms === "all"}
            onChange={(event) => change({ symptoms: event.target.checked ? "all" : undefined })}
          />
          <span className="grow">{t("facet.symptoms")}</span>
          <span className="quiet">{number(counts?.symptoms)}</span>
        </label>
      ) : null}
    </div>
  );
}

function FacetList({
  facet,
  counts,
  wanted,
  onChange,
}: {
  facet: Facet;
  counts: Counted[];
  wanted: Set<string>;
  onChange: (values: Set<string>) => void;
}) {
  const extra = [...wanted, ...(ALWAYS[facet] ?? [])].filter((one) => !counts.some(({ value }) => value === one));
  // what is chosen stays in sight, however few there are of it
  const chosen = counts.slice(SHOWN).filter(({ value }) => wanted.has(value));
  const known: (Omit<Counted, "problems"> & { problems: number | null })[] = [
    ...counts.slice(0, SHOWN),
    ...chosen,
    ...[...new Set(extra)].map((value) => ({ value, problems: null })),
  ];
  if (known.length < 2 && !wanted.size) return null;
  return (
    <fieldset>
      <legend>{t(`facet.${facet}`)}</legend>
      {known.map(({ value, problems, name }) => (
        <label key={value} className="row facet-row">
          <input
            type="checkbox"
            checked={wanted.has(value)}
            onChange={() => {
              const next = new Set(wanted);
              if (!next.delete(value)) next.add(value);
              onChange(next);
            }}
          />
          <span className="grow clip">{shown(facet, value, name)}</span>
          <span className="quiet">{problems === null ? null : number(problems)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function shown(facet: Facet, value: string, name: string | undefined) {
  if (facet === "severity") return <Sev of={value} word />;
  if (facet === "code") return named("issue", value);
  if (facet === "status") return named("status", value);
  if (facet === "age") return named("age", value);
  return name ?? value;
}
