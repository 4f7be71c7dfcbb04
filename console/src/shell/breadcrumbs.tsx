// Breadcrumbs: site › zone › machine, each a switcher.
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { cellsQuery, sitesQuery } from "../api/queries";
import type { SiteTotals } from "../api/types";
import { t } from "../i18n";
import type { ProblemSearch } from "../router";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";

export function Breadcrumbs() {
  const { site, miner } = useParams({ strict: false });
  const search: { zone?: string } = useSearch({ strict: false });
  const path = useLocation({ select: (at) => at.pathname });
  const navigate = useNavigate();
  const sites = useQuery(sitesQuery).data?.sites ?? [];
  const here = sites.find((place) => place.code === site);
  const zones = useQuery({ ...cellsQuery(here?.site_id ?? 0), enabled: here !== undefined && !miner }).data?.named.zone;
  if (path.startsWith("/problems")) return <OfProblems sites={sites} />;
  if (path.includes("/problems/")) {
    return (
      <nav className="crumbs" aria-label={t("crumb.choose.site")}>
        {here ? (
          <>
            <Link to="/sites/$site" params={{ site: here.code }}>
              {here.name}
            </Link>
            <span className="sep">›</span>
            <Link to="/problems" search={{ site: here.code }}>
              {t("nav.problems")}
            </Link>
          </>
        ) : null}
      </nav>
    );
  }
  return (
    <nav className="crumbs" aria-label={t("crumb.choose.site")}>
      <Menu label={t("crumb.choose.site")} button={<Shown name={here?.name ?? t("crumb.all")} />}>
        {(close) => (
          <>
            <Link to="/" onClick={close}>
              {t("crumb.all")}
            </Link>
            {sites.map((site) => (
              <Link key={site.site_id} to="/sites/$site" params={{ site: site.code }} onClick={close}>
                {site.name} <span className="quiet">{site.code}</span>
              </Link>
            ))}
          </>
        )}
      </Menu>
      {here && !miner && zones && zones.words.length > 1 ? (
        <>
          <span className="sep">›</span>
          <Menu label={t("crumb.choose.zone")} button={<Shown name={search.zone ?? t("crumb.zone")} />}>
            {(close) =>
              [undefined, ...zones.words].map((zone) => (
                <button
                  key={zone ?? ""}
                  type="button"
                  onClick={() => {
                    close();
                    void navigate({ to: "/sites/$site", params: { site: here.code }, search: zone ? { zone } : {} });
                  }}
                >
                  {zone ?? t("crumb.zone")}
                </button>
              ))
            }
          </Menu>
        </>
      ) : null}
      {miner && here ? (
        <>
          <span className="sep">›</span>
          <Link to="/sites/$site" params={{ site: here.code }}>
            {t("site.map")}
          </Link>
          <span className="sep">›</span>
          <span className="clip">{miner}</span>
        </>
      ) : null}
    </nav>
  );
}

/** The same switcher filters the list of problems by site. */
function OfProblems({ sites }: { sites: SiteTotals[] }) {
  const search: ProblemSearch = useSearch({ strict: false });
  const here = sites.find((site) => site.code === search.site);
  const { site: _, ...rest } = search;
  return (
    <nav className="crumbs" aria-label={t("crumb.choose.site")}>
      <Menu label={t("crumb.choose.site")} button={<Shown name={here?.name ?? t("crumb.all")} />}>
        {(close) => (
          <>
            <Link to="/problems" search={rest} onClick={close}>
              {t("crumb.all")}
            </Link>
            {sites.map((site) => (
              <Link key={site.site_id} to="/problems" search={{ ...rest, site: site.code }} onClick={close}>
                {site.name} <span className="quiet">{site.code}</span>
              </Link>
            ))}
          </>
        )}
      </Menu>
      <span className="sep">›</span>
      <span>{t("nav.problems")}</span>
    </nav>
  );
}

function Shown({ name }: { name: string }) {
  return (
    <>
      <span className="clip">{name}</span>
      <Icon of="down" />
    </>
  );
}
