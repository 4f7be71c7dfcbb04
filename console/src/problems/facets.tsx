// Facets with counts. Several values of one facet are "or", several facets are "and".
import { wordFor, t } from "../i18n";
import { number } from "../i18n/format";
import type { ProblemSearch } from "../router";
import { Sev } from "../ui/severity";
import { Skeleton } from "../ui/states";
import type { ProblemCounts } from "../api/types";
import { FACETS, type Facet } from "./facet_names";
import { chosenIn, FACET_NAMES, written } from "./rows";

type FacetCount = { value: string; problems: number | null; name?: string }; // only sites have a name

const SHOWN = 12;
/** Offered without a count: resolved problems are listed on request only. */
const ALWAYS: Partial<Record<Facet, string[]>> = { status: ["resolved"] };

export function Facets({
  counts,
  search,
  change,
  isOpen,
}: {
  isOpen: boolean; // matters only where there is no room beside the list
  counts: ProblemCounts | undefined;
  search: ProblemSearch;
  change: (to: Partial<Record<keyof ProblemSearch, string | undefined>>) => void;
}) {
  return (
    <div className={isOpen ? "facets open" : "facets"} role="region" aria-label={t("facet.label")} tabIndex={0}>
      {counts ? null : <Skeleton rows={8} />}
      {FACETS.map((facet) =>
        counts ? (
          <FacetList
            key={facet}
            facet={facet}
            counts={counts.facets[FACET_NAMES[facet]]}
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
  counts: FacetCount[];
  wanted: Set<string>;
  onChange: (values: Set<string>) => void;
}) {
  const extra = [...wanted, ...(ALWAYS[facet] ?? [])].filter((extraValue) => !counts.some(({ value }) => value === extraValue));
  // chosen values stay visible, however small their count
  const chosen = counts.slice(SHOWN).filter(({ value }) => wanted.has(value));
  const known: FacetCount[] = [
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
  if (facet === "code") return wordFor("issue", value);
  if (facet === "status") return wordFor("status", value);
  if (facet === "age") return wordFor("age", value);
  return name ?? value;
}
