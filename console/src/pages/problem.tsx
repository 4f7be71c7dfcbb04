// Problem: why we think so, what it costs, what was tried, and what to do about it.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { ApiError } from "../api/client";
import type { SiteSums } from "../api/known";
import { catalogueQuery, sitesQuery } from "../api/queries";
import { useMay, useMe, type Right } from "../api/session";
import { CommandDialog } from "../command/late";
import type { Kind } from "../command/params";
import { named, t, useLanguage } from "../i18n";
import { ago, moment, number, span } from "../i18n/format";
import type { Open } from "../problems/acting";
import { LiftDialog, ResolveDialog, SuppressDialog, useActs } from "../problems/acts";
import { problemQuery, type Verb } from "../problems/api";
import { AssignDialog } from "../problems/assign";
import { BandPanel } from "../problems/band";
import { PeerPanel } from "../problems/histogram";
import { bestOf } from "../problems/recommended";
import { Similar, Timeline, Tried, Why } from "../problems/story_parts";
import { newest, type Story } from "../problems/types";
import { metricOf, sentence } from "../problems/words";
import { useKeys } from "../ui/keys";
import { useTitle } from "../ui/page";
import { Sev } from "../ui/severity";
import { Failed, Part } from "../ui/states";
import { When, useNow } from "../ui/when";

export function ProblemPage() {
  const { site: code, problem: id } = useParams({ from: "/sites/$site/problems/$problem" });
  const sites = useQuery(sitesQuery);
  useLanguage();
  return (
    <Part of={sites} rows={10}>
      {(found) => {
        const site = found.sites.find((one) => one.code === code || String(one.site_id) === code);
        return site ? <One key={id} site={site} id={id} /> : <Failed error={new ApiError(404, "NOT_FOUND", "")} />;
      }}
    </Part>
  );
}

function One({ site, id }: { site: SiteSums; id: string }) {
  const found = useQuery(problemQuery(site.site_id, id));
  const told = found.data?.problem;
  useTitle(told?.miner_id, told && named("issue", told.issue_code));
  return (
    <main className="page" id="content">
      <Part of={found} rows={12}>
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

function Head({ site, story }: { site: SiteSums; story: Story }) {
  const { problem, machine, baseline } = story;
  const now = useNow();
  const mayAt = useMay();
  const may = (right: Right) => mayAt(right, site.site_id);
  const me = useMe();
  const acts = useActs();
  const [open, setOpen] = useState<Open | "lift" | null>(null);
  const [first, setFirst] = useState<string | undefined>();
  const isBusy = acts.areBusy([problem]);
  const isOver = problem.status === "resolved";
  const owner = problem.assigned_to;
  const go = (verb: Verb) => acts.mutate({ problems: [problem], verb });
  const command = (type?: string) => {
    setFirst(type);
    setOpen("command");
  };
  useKeys({
    a: () => may("acknowledge") && problem.status === "open" && go("acknowledge"),
    c: () => may("command") && problem.miner_id && command(),
  });
  const kinds = (useQuery({ ...catalogueQuery, enabled: may("command") }).data?.types ?? []) as unknown as Kind[];
  const bestType = bestOf(story, kinds, may);
  const mode = baseline?.inferred_mode && baseline.inferred_mode !== "unknown" ? named("mode", baseline.inferred_mode) : null;
  return (
    <>
      <div className="miner-head">
        <Sev of={problem.severity} />
        {problem.miner_id ? (
          <Link to="/sites/$site/miners/$miner" params={{ site: site.code, miner: problem.miner_id }}>
            <h1>{problem.miner_id}</h1>
          </Link>
        ) : (
          <h1>{named("issue", problem.issue_code)}</h1>
        )}
        <span className="second">{[problem.model, problem.firmware, mode].filter(Boolean).join(" · ")}</span>
        <span className="quiet">{[site.name, problem.zone, machine?.rack, machine?.position].filter(Boolean).join(" · ")}</span>
        <span className="grow" />
        <span className="chip">{named("status", problem.status)}</span>
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
          <strong>{named("issue", problem.issue_code)}</strong> {newest(problem) ? sentence(problem) : null}
        </p>
        {may("acknowledge") && !isOver ? (
          <>
            {problem.status === "open" ? (
              <button type="button" className="button" disabled={isBusy} onClick={() => go("acknowledge")}>
                {t("pact.acknowledge")}
              </button>
            ) : null}
            {problem.status !== "in_progress" ? (
              <button type="button" className="button" disabled={isBusy} onClick={() => go("start")}>
                {t("pact.start")}
              </button>
            ) : null}
            <button type="button" className="button" onClick={() => setOpen("assign")}>
              {t("pact.assign")}
            </button>
            <button type="button" className="button" onClick={() => setOpen("resolve")}>
              {t("pact.resolve")}
            </button>
          </>
        ) : null}
        {may("suppress") && problem.miner_id ? (
          problem.suppressed ? (
            <button type="button" className="button" onClick={() => setOpen("lift")}>
              {t("pact.unsuppress")}
            </button>
          ) : (
            <button type="button" className="button" onClick={() => setOpen("suppress")}>
              {t("pact.suppress")}
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
            {bestType ? `${named("cmdtype", bestType)}…` : t("pact.command")}
          </button>
        ) : null}
      </div>
      {open === "resolve" ? <ResolveDialog problems={[problem]} onClose={() => setOpen(null)} /> : null}
      {open === "assign" ? <AssignDialog site={site.site_id} problems={[problem]} onClose={() => setOpen(null)} /> : null}
      {open === "suppress" && problem.miner_id ? (
        <SuppressDialog site={site.site_id} miners={[problem.miner_id]} zone={site.timezone} onClose={() => setOpen(null)} />
      ) : null}
      {open === "lift" && problem.miner_id ? (
        <LiftDialog site={site.site_id} miner={problem.miner_id} onClose={() => setOpen(null)} />
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

