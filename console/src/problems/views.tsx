// Saved views: named filters, stored on this device per user.
import { useState, type FormEvent } from "react";
import { useMe } from "../api/session";
import { t } from "../i18n";
import type { ProblemSearch } from "../router";
import { Icon } from "../ui/icons";
import { Menu } from "../ui/menu";

type View = { name: string; search: ProblemSearch };

function storedViews(place: string): View[] {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "[]") as View[];
  } catch {
    return [];
  }
}

export function Views({ search, onView }: { search: ProblemSearch; onView: (search: ProblemSearch) => void }) {
  const place = `hi.views.problems.${useMe()?.actor.id ?? ""}`;
  const [views, setViews] = useState(() => storedViews(place));
  const [name, setName] = useState("");
  const keep = (next: View[]) => {
    setViews(next);
    try {
      localStorage.setItem(place, JSON.stringify(next));
    } catch {
      // no storage: kept until the page is closed
    }
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const { at: _, ...filters } = search;
    if (name.trim()) keep([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), search: filters }]);
    setName("");
  };
  return (
    <Menu
      label={t("problems.saved")}
      button={
        <>
          {t("problems.saved")}
          <Icon of="down" />
        </>
      }
    >
      {(close) => (
        <>
          {views.map((view) => (
            <div key={view.name} className="row">
              <button
                type="button"
                className="grow"
                onClick={() => {
                  close();
                  onView(view.search);
                }}
              >
                {view.name}
              </button>
              <button
                type="button"
                className="forget"
                aria-label={t("problems.forget", { name: view.name })}
                onClick={() => keep(views.filter(({ name: other }) => other !== view.name))}
              >
                {"×"}
              </button>
            </div>
          ))}
          <form className="row save-view" onSubmit={save}>
            <input
              className="input"
              aria-label={t("problems.save.name")}
              placeholder={t("problems.save.name")}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <button type="submit" className="button save">
              {t("problems.save")}
            </button>
          </form>
        </>
      )}
    </Menu>
  );
}
