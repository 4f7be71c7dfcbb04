// Facets: what there is, how many of each, chosen by a click; several of one facet are "or", several facets "and".
import { named, t } from "../i18n";
import { number } from "../i18n/format";
import type { ProblemSearch } from "../router";
import { Sev } from "../ui/severity";
import { counted, FACETS, passing, wantedOf, type Facet, type Row } from "./rows";

const SHOWN = 12;

export function Facets({
  rows,
  search,
  now,
  change,
}: {
  rows: Row[];
  search: ProblemSearch;
  now: number;
  change: (to: Partial<Record<keyof ProblemSearch, string | undefined>>) => void;
}) {
  const symptoms = rows.filter((row) => row.symptom).length;
  return (
    <div className="facets" role="region" aria-label={t("facet.label")} tabIndex={0}>
      {FACETS.map((facet) => (
        <FacetList
          key={facet}
          facet={facet}
          counts={counted(passing(rows, search, now, facet), facet, now)}
          wanted={wantedOf(search, facet)}
          onChange={(values) => change({ [facet]: values.size ? [...values].join(",") : undefined })}
          names={facet === "site" ? new Map(rows.map((row) => [row.site.code, row.site.name])) : null}
        />
      ))}
      {symptoms ? (
        <label className="row facet-row">
          <input
            type="checkbox"
            checked={search.symptoms === "all"}
            onChange={(event) => change({ symptoms: event.target.checked ? "all" : undefined })}
          />
          <span className="grow">{t("facet.symptoms")}</span>
          <span className="quiet">{number(symptoms)}</span>
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
  names,
}: {
  facet: Facet;
  counts: [string, number][];
  wanted: Set<string>;
  onChange: (values: Set<string>) => void;
  names: Map<string, string> | null;
}) {
  const known = [...counts, ...[...wanted].filter((one) => !counts.some(([value]) => value === one)).map((one): [string, number] => [one, 0])];
  if (known.length < 2 && !wanted.size) return null;
  return (
    <fieldset>
      <legend>{t(`facet.${facet}`)}</legend>
      {known.slice(0, SHOWN).map(([value, n]) => (
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
          <span className="grow clip">{shown(facet, value, names)}</span>
          <span className="quiet">{number(n)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function shown(facet: Facet, value: string, names: Map<string, string> | null) {
  if (facet === "severity") return <Sev of={value} word />;
  if (facet === "code") return named("issue", value);
  if (facet === "status") return named("status", value);
  if (facet === "age") return named("age", value);
  return names?.get(value) ?? value;
}
