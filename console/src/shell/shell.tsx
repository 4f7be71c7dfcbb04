// The frame around every page: rail, breadcrumb, strips, palette, keys.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { sitesQuery } from "../api/queries";
import { signOut, useMe } from "../api/session";
import { openStream, keepProbing } from "../api/stream";
import { setLanguage, t, useLanguage } from "../i18n";
import { Icon } from "../ui/icons";
import { useKeys } from "../ui/keys";
import { Menu } from "../ui/menu";
import { Skeleton } from "../ui/states";
import { setTheme, useTheme } from "../ui/theme";
import { Toasts } from "../ui/toast";
import { Breadcrumbs } from "./breadcrumbs";
import { Help } from "./help";
import { Palette } from "./palette";
import { StepUp } from "./stepup";
import { Banners } from "./banners";

export function Shell() {
  const client = useQueryClient();
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  const navigate = useNavigate();
  const map = useMap();
  useLanguage();
  const isIn = useMe() !== null;
  useEffect(() => (isIn ? openStream(client) : undefined), [client, isIn]);
  useEffect(() => (isIn ? keepProbing() : undefined), [isIn]);

  const search = () => {
    const field = document.querySelector<HTMLInputElement>("input[data-search]");
    if (field) field.focus();
    else setOpen("palette");
  };
  useKeys({
    "ctrl+k": () => isIn && setOpen("palette"),
    "?": () => setOpen("help"),
    "/": search,
    "g f": () => void navigate({ to: "/" }),
    "g m": () => map && void navigate({ to: "/sites/$site", params: { site: map } }),
    "g p": () => void navigate({ to: "/problems" }),
  });

  return (
    <div className="shell">
      <a className="hidden-label" href="#content">
        {t("nav.skip")}
      </a>
      <Rail map={map} onSearch={() => setOpen("palette")} />
      <div className="main">
        <Banners />
        <header className="top">
          <Breadcrumbs />
          <span className="grow" />
          <button type="button" className="button only-wide" onClick={() => setOpen("palette")}>
            <Icon of="search" />
            {t("nav.search")}
            <kbd className="kbd">{"Ctrl K"}</kbd>
          </button>
          <Account onHelp={() => setOpen("help")} />
        </header>
        <Suspense fallback={<Skeleton rows={8} />}>
          <Outlet />
        </Suspense>
      </div>
      {open === "palette" ? <Palette onClose={() => setOpen(null)} onHelp={() => setOpen("help")} /> : null}
      {open === "help" ? <Help onClose={() => setOpen(null)} /> : null}
      <StepUp />
      <Toasts />
    </div>
  );
}

/** The site whose map the rail leads to: the one that is open, else the last one, else the first. */
function useMap(): string | null {
  const { site } = useParams({ strict: false });
  const sites = useQuery(sitesQuery).data?.sites ?? [];
  const [last, setLast] = useState<string | null>(null);
  useEffect(() => {
    if (site) setLast(site);
  }, [site]);
  return site ?? last ?? sites[0]?.code ?? null;
}

function Rail({ map, onSearch }: { map: string | null; onSearch: () => void }) {
  const path = useLocation({ select: (at) => at.pathname });
  const here = path.includes("/problems") ? "problems" : path.startsWith("/sites/") ? "map" : path === "/" ? "fleet" : "";
  const mark = (name: string) => (name === here ? "here" : "");
  return (
    <nav className="rail" aria-label={t("nav.label")}>
      <div className="brand">
        <img src="/mark.svg" alt="" />
        {t("app.name")}
      </div>
      <Link to="/" className={mark("fleet")} activeOptions={{ exact: true }}>
        <Icon of="fleet" />
        {t("nav.fleet")}
      </Link>
      {map ? (
        <Link to="/sites/$site" className={mark("map")} params={{ site: map }} activeOptions={{ exact: true }}>
          <Icon of="map" />
          {t("nav.map")}
        </Link>
      ) : null}
      <Link to="/problems" className={mark("problems")}>
        <Icon of="problems" />
        {t("nav.problems")}
      </Link>
      <button type="button" className="link only-narrow-flex" onClick={onSearch}>
        <Icon of="search" />
        {t("nav.search")}
      </button>
    </nav>
  );
}

function Account({ onHelp }: { onHelp: () => void }) {
  const me = useMe();
  const client = useQueryClient();
  const theme = useTheme();
  const language = useLanguage();
  const roles = [...new Set((me?.grants ?? []).map((grant) => grant.role))].join(", ");
  const user = me?.user;
  return (
    <Menu label={t("user.menu")} end isIcon button={<Icon of="user" />}>
      {(close) => {
        const then = (act: () => void) => () => {
          close();
          act();
        };
        return (
          <>
            <div className="who">
              <strong>{user?.name || user?.email}</strong>
              <div className="quiet">{user?.email}</div>
              <div className="quiet">{t("user.role", { roles })}</div>
            </div>
            <button type="button" onClick={then(() => setTheme(theme === "dark" ? "light" : "dark"))}>
              {theme === "dark" ? t("user.light") : t("user.dark")}
            </button>
            <button type="button" onClick={then(() => setLanguage(language === "zh" ? "en" : "zh"))}>
              {language === "zh" ? t("user.english") : t("user.chinese")}
            </button>
            <button type="button" className="only-wide" onClick={then(onHelp)}>
              {t("user.keys")}
            </button>
            <button type="button" onClick={then(() => void signOut(client))}>
              {t("user.signout")}
            </button>
          </>
        );
      }}
    </Menu>
  );
}
