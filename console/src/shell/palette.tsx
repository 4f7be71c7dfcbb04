// Command palette: search for machines, problems, sites, pages and actions.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { findMinersQuery, sitesQuery } from "../api/queries";
import { signOut } from "../api/session";
import { wordFor, setLanguage, t, texts } from "../i18n";
import { findProblemsQuery } from "../problems/api";
import { Dialog } from "../ui/dialog";
import { setTheme } from "../ui/theme";

const ISSUES = Object.keys(texts)
  .filter((key) => key.startsWith("issue."))
  .map((key) => key.slice("issue.".length));

type Entry = { id: string; group: string; name: string; hint?: string | undefined; act: () => void };

export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { entries, isOld } = useEntries(text.trim(), onHelp);
  const [waits, setWaits] = useState(false); // Enter came before the answer did
  const chosen = entries[Math.min(at, entries.length - 1)];

  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  const move = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return; // it chooses a word of the input method
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      setAt(Math.max(0, Math.min(at + step, entries.length - 1)));
      setWaits(false);
    } else if (event.key !== "Enter") return;
    else if (isOld && at === 0) setWaits(true);
    else go(chosen);
    event.preventDefault();
  };
  useEffect(() => {
    if (!waits || isOld) return;
    setWaits(false);
    go(chosen);
  }); // the first of what was found for the text as it is
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });

  return (
    <Dialog title={t("palette.label")} onClose={onClose} className="palette">
      <input
        className="input"
        role="combobox"
        aria-label={t("palette.label")}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen ? `${id}-${chosen.id}` : undefined}
        placeholder={t("palette.label")}
        autoFocus
        value={text}
        onKeyDown={move}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
          setWaits(false);
        }}
      />
      <div
        className={waits ? "menu stale" : "menu"}
        role="listbox"
        id={id}
        ref={list}
        aria-label={t("palette.label")}
        aria-busy={isOld}
      >
        {entries.length === 0 ? <p className="state">{t("palette.none")}</p> : null}
        {entries.map((entry, no) => (
          <div key={entry.id} role="presentation">
            {entries[no - 1]?.group === entry.group ? null : (
              <div className="group" role="presentation">
                {entry.group}
              </div>
            )}
            <button
              type="button"
              role="option"
              id={`${id}-${entry.id}`}
              aria-selected={entry === chosen}
              tabIndex={-1}
              onClick={() => go(entry)}
            >
              <span>{entry.name}</span>
              {entry.hint ? <span className="quiet">{entry.hint}</span> : null}
            </button>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

/** Results of the previous text stay visible, marked as stale, until the answer arrives. */
function useEntries(text: string, onHelp: () => void): { entries: Entry[]; isOld: boolean } {
  const navigate = useNavigate();
  const client = useQueryClient();
  const sites = useQuery(sitesQuery).data?.sites ?? [];
  const asked = [useQuery(findMinersQuery(text)), useQuery(findProblemsQuery(text))] as const;
  const isOld = asked.some((query) => query.isFetching && (query.isPending || query.isPlaceholderData));
  const [miners, wrong] = [found(asked[0]), found(asked[1])];
  const has = (name: string) => name.toLowerCase().includes(text.toLowerCase());
  const code = (id: number) => sites.find((site) => site.site_id === id)?.code ?? String(id);

  const pages: Entry[] = [
    { id: "p-fleet", group: t("palette.pages"), name: t("nav.fleet"), hint: "g f", act: () => void navigate({ to: "/" }) },
    {
      id: "p-problems",
      group: t("palette.pages"),
      name: t("nav.problems"),
      hint: "g p",
      act: () => void navigate({ to: "/problems" }),
    },
  ];
  const places: Entry[] = sites.map((site) => ({
    id: `s-${site.site_id}`,
    group: t("palette.sites"),
    name: site.name,
    hint: site.code,
    act: () => void navigate({ to: "/sites/$site", params: { site: site.code } }),
  }));
  const machines: Entry[] = miners.map((miner) => ({
    id: `m-${miner.miner_no}`,
    group: t("palette.miners"),
    name: miner.miner_id,
    hint: [miner.site, miner.zone, miner.rack, miner.model].filter(Boolean).join(" · "),
    act: () => void navigate({ to: "/sites/$site/miners/$miner", params: { site: miner.site ?? code(miner.site_id), miner: miner.miner_id } }),
  }));
  const problems: Entry[] = text
    ? wrong.map((problem) => ({
        id: `w-${problem.id}`,
        group: t("palette.problems"),
        name: `${problem.miner_id ?? ""} ${wordFor("issue", problem.issue_code)}`.trim(),
        hint: [problem.severity, wordFor("status", problem.status)].join(" · "),
        act: () => void navigate({ to: "/sites/$site/problems/$problem", params: { site: code(problem.site_id), problem: problem.id } }),
      }))
    : [];
  const kinds: Entry[] = ISSUES.map((issue) => ({
    id: `k-${issue}`,
    group: t("palette.kinds"),
    name: wordFor("issue", issue),
    act: () => void navigate({ to: "/problems", search: { code: issue } }),
  }));
  const acts: Entry[] = [
    { id: "a-light", group: t("palette.acts"), name: t("user.light"), act: () => setTheme("light") },
    { id: "a-dark", group: t("palette.acts"), name: t("user.dark"), act: () => setTheme("dark") },
    { id: "a-en", group: t("palette.acts"), name: t("user.english"), act: () => setLanguage("en") },
    { id: "a-zh", group: t("palette.acts"), name: t("user.chinese"), act: () => setLanguage("zh") },
    { id: "a-keys", group: t("palette.acts"), name: t("user.keys"), hint: "?", act: onHelp },
    { id: "a-out", group: t("palette.acts"), name: t("user.signout"), act: () => void signOut(client) },
  ];
  const rest = [...pages, ...places, ...(text ? kinds : []), ...acts].filter((item) => has(item.name) || has(item.hint ?? ""));
  return { entries: text ? [...machines, ...problems, ...rest] : rest, isOld };
}

/** Placeholder rows are only shown while a query for the new text is running. */
function found<T>({ data, isPlaceholderData, isFetching }: { data: T[] | undefined; isPlaceholderData: boolean; isFetching: boolean }): T[] {
  return data && (isFetching || !isPlaceholderData) ? data : [];
}
