// Site: the map of its machines, what it did in the last day, and what is most at risk.
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { ApiError } from "../api/client";
import type { SiteTotals } from "../api/types";
import { cellsQuery, sitesQuery } from "../api/queries";
import { t, useLanguage } from "../i18n";
import { SiteMap } from "./site_map";
import { SiteSummary, TopRisks, Trends } from "./site_parts";
import { useTitle } from "../ui/title";
import { Skeleton, Empty, Failed, Part } from "../ui/states";

export function SitePage() {
  const { site: code } = useParams({ from: "/sites/$site" });
  const sites = useQuery(sitesQuery);
  useLanguage();
  useTitle(sites.data?.sites.find((site) => site.code === code)?.name ?? code);
  return (
    <Part of={sites} rows={10}>
      {({ sites: all }) => {
        const site = all.find((site) => site.code === code || String(site.site_id) === code);
        if (!site) return <Failed error={new ApiError(404, "NOT_FOUND", "")} />;
        return <Site key={site.site_id} site={site} />;
      }}
    </Part>
  );
}

function Site({ site }: { site: SiteTotals }) {
  const cells = useQuery(cellsQuery(site.site_id));
  const { zone, at } = useSearch({ from: "/sites/$site" });
  return (
    <main className="page fill" id="content">
      <SiteSummary site={site} zone={zone ?? null} at={at && Number.isFinite(Date.parse(at)) ? at : null} />
      <div className="site-grid">
        {cells.data === undefined ? (
          <section className="panel">{cells.isError ? <Failed error={cells.error} /> : <Skeleton rows={12} />}</section>
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
