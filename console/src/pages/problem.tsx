// Problem: evidence, cost, commands and actions.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { ApiError } from "../api/client";
import type { ProblemAction, ProblemDetails, SiteTotals, Permission } from "../api/types";
import { catalogueQuery, sitesQuery } from "../api/queries";
import { useMay, useMe } from "../api/session";
import { CommandDialog } from "../command/lazy_dialog";
import { wordFor, t, useLanguage } from "../i18n";
import { ago, moment, number, span } from "../i18n/format";
import type { Open } from "../problems/actions";
import { UnsuppressDialog, ResolveDialog, SuppressDialog, useBulkAction } from "../problems/dialogs";
import { problemQuery } from "../problems/api";
import { AssignDialog } from "../problems/assign";
import { BandPanel } from "../problems/band_panel";
import { PeerPanel } from "../problems/peer_panel";
import { bestCommand } from "../problems/recommendations";
import { Similar, Timeline, Tried, Why } from "../problems/story_parts";
import { newest, metricOf, summaryOf } from "../problems/evidence";
import { useKeys } from "../ui/keys";
import { useTitle } from "../ui/title";
import { Sev } from "../ui/severity";
import { Failed, Part } from "../ui/states";
import { When, useNow } from "../ui/time";

export function ProblemPage() {
  const { site: code, problem: id } = useParams({ from: "/sites/$site/problems/$problem" });
  const sites = useQuery(sitesQuery);
  useLanguage();
  return (
    <Part of={sites} rows={10}>
      {({ sites: all }) => {
        const site = all.find((site) => site.code === code || String(site.site_id) === code);
        return site ? <One key={id} site={site} id={id} /> : <Failed error={new ApiError(404, "NOT_FOUND", "")} />;
      }}
    </Part>
  );
}

function One({ site, id }: { site: SiteTotals; id: string }) {
  const details = useQuery(problemQuery(site.site_id, id));
  const problem = details.data?.problem;
  useTitle(problem?.miner_id, problem && wordFor("issue", problem.issue_code));
  return (
    <main className="page" id="content">
      <Part of={details} rows={12}>
        {(story) => (
          <>
            <Head site={site} story={story} />
            {story.problem.miner_id ? (
              <div className="columns wide-first level">
                <BandPanel site={site} story={story} miner={story.problem.miner_id} />
                <PeerPanel
                  site={site}
                  miner={story.problem.miner_id}
                  metric={metricOf(story.problem)}
                  group={story.problem.model}
                  severity={story.problem.severity}
                />
              </div>
            ) : null}
            <div className="columns three">
              <Why story={story} />
              <div className="stack parts">
                {story.problem.miner_id ? <Tried site={site} problem={story.problem} miner={story.problem.miner_id} /> : null}
                <Similar site={site} story={story} />
              </div>
              <Timeline site={site} story={story} />
            </div>
          </>
        )}
      </Part>
    </main>
  );
}

function Head({ site, story }: { site: SiteTotals; story: ProblemDetails }) {
  const { problem, machine, baseline } = story;
  const now = useNow();
  const isAllowedAt = useMay();
  const may = (right: Permission) => isAllowedAt(right, site.site_id);
  const me = useMe();
  const actions = useBulkAction();
  const [open, setOpen] = useState<Open | "lift" | null>(null);
  const [first, setFirst] = useState<string | undefined>();
  const isBusy = actions.arePending([problem]);
  const isOver = problem.status === "resolved";
  const owner = problem.assigned_to;
  const go = (action: ProblemAction) => actions.mutate({ problems: [problem], action });
  const command = (type?: string) => {
    setFirst(type);
    setOpen("command");
  };
  useKeys({
    a: () => may("acknowledge") && problem.status === "open" && go("acknowledge"),
    c: () => may("command") && problem.miner_id && command(),
  });
  const types = useQuery({ ...catalogueQuery, enabled: may("command") }).data?.types ?? [];
  const bestType = bestCommand(story, types, may);
  const mode = baseline?.inferred_mode && baseline.inferred_mode !== "unknown" ? wordFor("mode", baseline.inferred_mode) : null;
  return (
    <>
      <div className="miner-head">
        <Sev of={problem.severity} />
        {problem.miner_id ? (
          <Link to="/sites/$site/miners/$miner" params={{ site: site.code, miner: problem.miner_id }}>
            <h1>{problem.miner_id}</h1>
          </Link>
        ) : (
          <h1>{wordFor("issue", problem.issue_code)}</h1>
        )}
        <span className="second">{[problem.model, problem.firmware, mode].filter(Boolean).join(" · ")}</span>
        <span className="quiet">{[site.name, problem.zone, machine?.rack, machine?.position].filter(Boolean).join(" · ")}</span>
        <span className="grow" />
        <span className="chip">{wordFor("status", problem.status)}</span>
        {owner ? (
          <span className="chip">{owner === me?.actor.id ? t("who.you") : (story.people[owner] ?? t("who.other"))}</span>
        ) : null}
        {mode && baseline?.mode_changed_at ? (
          <span className="chip">
            {t("problem.mode.changed")} <When at={baseline.mode_changed_at} zone={site.timezone} />
          </span>
        ) : null}
        {problem.flapping ? <span className="chip">{t("problem.flapping")}</span> : null}
        {problem.symptom ? <span className="chip">{t("problem.symptom")}</span> : null}
        <span className="second">
          {t("problem.since", { time: moment(problem.start_ts, now, site.timezone) })} ·{" "}
          {t("problem.open", { span: span((Date.parse(problem.resolved_ts ?? new Date(now).toISOString()) - Date.parse(problem.start_ts)) / 1000) })}{" "}
          · {t("problem.seen", { ago: ago(problem.last_seen_ts, now) })}
          {problem.recurrence_count ? ` · ${t("problem.times", { n: number(problem.recurrence_count + 1) })}` : ""}
        </span>
      </div>
      <div className="miner-head">
        <p className="lead grow">
          <strong>{wordFor("issue", problem.issue_code)}</strong> {newest(problem) ? summaryOf(problem) : null}
        </p>
        {may("acknowledge") && !isOver ? (
          <>
            {problem.status === "open" ? (
              <button type="button" className="button" disabled={isBusy} onClick={() => go("acknowledge")}>
                {t("action.acknowledge")}
              </button>
            ) : null}
            {problem.status !== "in_progress" ? (
              <button type="button" className="button" disabled={isBusy} onClick={() => go("start")}>
                {t("action.start")}
              </button>
            ) : null}
            <button type="button" className="button" onClick={() => setOpen("assign")}>
              {t("action.assign")}
            </button>
            <button type="button" className="button" onClick={() => setOpen("resolve")}>
              {t("action.resolve")}
            </button>
          </>
        ) : null}
        {may("suppress") && problem.miner_id ? (
          problem.suppressed ? (
            <button type="button" className="button" onClick={() => setOpen("lift")}>
              {t("action.unsuppress")}
            </button>
          ) : (
            <button type="button" className="button" onClick={() => setOpen("suppress")}>
              {t("action.suppress")}
            </button>
          )
        ) : null}
        {may("command") && problem.miner_id ? (
          <button
            type="button"
            className="button primary"
            {...(bestType ? { title: t("problem.recommended") } : {})}
            onClick={() => command(bestType ?? undefined)}
          >
            {bestType ? `${wordFor("cmdtype", bestType)}…` : t("action.command")}
          </button>
        ) : null}
      </div>
      {open === "resolve" ? <ResolveDialog problems={[problem]} onClose={() => setOpen(null)} /> : null}
      {open === "assign" ? <AssignDialog site={site.site_id} problems={[problem]} onClose={() => setOpen(null)} /> : null}
      {open === "suppress" && problem.miner_id ? (
        <SuppressDialog site={site.site_id} miners={[problem.miner_id]} zone={site.timezone} onClose={() => setOpen(null)} />
      ) : null}
      {open === "lift" && problem.miner_id ? (
        <UnsuppressDialog site={site.site_id} miner={problem.miner_id} onClose={() => setOpen(null)} />
      ) : null}
      {open === "command" && problem.miner_id ? (
        <Suspense>
          <CommandDialog
            site={site}
            miners={[problem.miner_id]}
            problem={problem.id}
            onClose={() => setOpen(null)}
            {...(first ? { first } : {})}
          />
        </Suspense>
      ) : null}
    </>
  );
}

