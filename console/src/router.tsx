// Every page has an address of its own, with what is filtered and chosen in it.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link } from "@tanstack/react-router";
import { loadPage } from "./api/loading";
import { t, useLanguage } from "./i18n";
import { FACETS } from "./problems/facet_names";
import { Shell } from "./shell/shell";
import { Empty, Failed } from "./ui/states";

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value ? value : typeof value === "number" ? String(value) : undefined;

export function Missing() {
  useLanguage();
  return (
    <div className="page" id="content">
      <Empty title={t("state.missing")} hint={t("state.missing.hint")}>
        <Link to="/">{t("state.home")}</Link>
      </Empty>
    </div>
  );
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: Missing,
  errorComponent: ({ error, reset }) => <Failed error={error} again={reset} />,
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => loadPage(() => import("./pages/fleet")), "Fleet"),
});

export type SiteSearch = { zone?: string; measure?: string; at?: string; only?: string };
const site = createRoute({
  getParentRoute: () => root,
  path: "/sites/$site",
  validateSearch: (given: Record<string, unknown>): SiteSearch => known(given, ["zone", "measure", "at", "only"]),
  component: lazyRouteComponent(() => loadPage(() => import("./pages/site")), "SitePage"),
});

export type MinerSearch = { range?: string };
const miner = createRoute({
  getParentRoute: () => root,
  path: "/sites/$site/miners/$miner",
  validateSearch: (given: Record<string, unknown>): MinerSearch => known(given, ["range"]),
  component: lazyRouteComponent(() => loadPage(() => import("./pages/miner")), "MinerPage"),
});

export type ProblemSearch = {
  severity?: string;
  code?: string;
  status?: string;
  site?: string;
  zone?: string;
  model?: string;
  firmware?: string;
  age?: string;
  text?: string;
  at?: string;
  symptoms?: string;
  sort?: string;
  order?: string;
};
const problems = createRoute({
  getParentRoute: () => root,
  path: "/problems",
  validateSearch: (given: Record<string, unknown>): ProblemSearch =>
    known(given, [...FACETS, "text", "at", "symptoms", "sort", "order"]),
  component: lazyRouteComponent(() => loadPage(() => import("./pages/problems")), "ProblemsPage"),
});

const problem = createRoute({
  getParentRoute: () => root,
  path: "/sites/$site/problems/$problem",
  component: lazyRouteComponent(() => loadPage(() => import("./pages/problem")), "ProblemPage"),
});

function known<K extends string>(given: Record<string, unknown>, names: K[]): { [P in K]?: string } {
  const search: { [P in K]?: string } = {};
  for (const name of names) {
    const value = text(given[name]);
    if (value !== undefined) search[name] = value;
  }
  return search;
}

export const router = createRouter({
  routeTree: root.addChildren([fleet, site, miner, problems, problem]),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
