// Problem: why we think so, what it costs, what was tried, and what to do about it.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState, type FormEvent } from "react";
import { ApiError } from "../api/client";
import type { SiteSums } from "../api/known";
import { commandsQuery, sitesQuery } from "../api/queries";
import { useMay, useMe } from "../api/session";
import { named, t } from "../i18n";
import { ago, hashrate, money, number, percent, span, text } from "../i18n/format";
import { ResolveDialog, SuppressDialog, useActs, useLift } from "../problems/acts";
import { problemQuery, type Said, type Verb } from "../problems/api";
import { BandPanel } from "../problems/band";
import { PeerPanel } from "../problems/histogram";
import { usePrices } from "../problems/prices";
import { commandFor, recommended } from "../problems/recommended";
import { newest, type Problem, type Story } from "../problems/types";
import { facts, sentence } from "../problems/words";
import { useKeys } from "../ui/keys";
import { Sev } from "../ui/severity";
import { Failed, Part } from "../ui/states";
import { useNow, When } from "../ui/when";

const CommandDialog = lazy(() => import("../command/dialog"));

export function ProblemPage() {
  const { site: code, problem: id } = useParams({ from: "/sites/$site/problems/$problem" });
  const sites = useQuery(sitesQuery);
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
  return (
    <main className="page" id="content">
      <Part of={found} rows={12}>
        {(story) => (
          <>
            <Head site={site} story={story} />
            {story.problem.miner_id ? (
              <div className="columns wide-first">
                <BandPanel site={site} story={story} miner={story.problem.miner_id} />
                <PeerPanel site={site} problem={story.problem} />
              </div>
            ) : null}
            <div className="columns">
              <div className="stack">
                <Why story={story} />
                <Cost problem={story.problem} />
                <Tried site={site} problem={story.problem} />
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
  const may = useMay();
  const me = useMe();
  const acts = useActs();
  const lift = useLift(site.site_id);
  const [open, setOpen] = useState<"resolve" | "suppress" | "command" | null>(null);
  const [first, setFirst] = useState<string | undefined>();
  const isOver = problem.status === "resolved";
  const user = me?.user as { email?: string | null } | null | undefined;
  const go = (verb: Verb, said?: Said) => acts.mutate({ problems: [problem], verb, ...(said ? { said } : {}) });
  const command = (type?: string) => {
    setFirst(type);
    setOpen("command");
  };
  useKeys({
    a: () => may("acknowledge") && problem.status === "open" && go("acknowledge"),
    c: () => may("command") && problem.miner_id && command(),
  });
  const [best] = recommended(story).filter((one) => commandFor(one));
  const bestType = best ? commandFor(best) : null;
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
        {problem.flapping ? <span className="chip">{t("problem.flapping")}</span> : null}
        {problem.symptom ? <span className="chip">{t("problem.symptom")}</span> : null}
        <span className="second">
          {t("problem.open", { span: span((Date.parse(problem.resolved_ts ?? new Date(now).toISOString()) - Date.parse(problem.start_ts)) / 1000) })}{" "}
          · {t("problem.seen", { ago: ago(problem.last_seen_ts, now) })}
          {problem.recurrence_count ? ` · ${t("problem.times", { n: number(problem.recurrence_count + 1) })}` : ""}
        </span>
      </div>
      <div className="miner-head">
        <p className="lead grow">
          <strong>{named("issue", problem.issue_code)}.</strong> {newest(problem) ? sentence(problem) : null}
        </p>
        {may("acknowledge") && !isOver ? (
          <>
            {problem.status === "open" ? (
              <button type="button" className="button" onClick={() => go("acknowledge")}>
                {t("pact.acknowledge")}
              </button>
            ) : null}
            {problem.status !== "in_progress" ? (
              <button type="button" className="button" onClick={() => go("start")}>
                {t("pact.start")}
              </button>
            ) : null}
            {problem.assigned_to === me?.actor.id ? null : (
              <button type="button" className="button" onClick={() => go("assign", { assignee: user?.email ?? null })}>
                {t("pact.assign")}
              </button>
            )}
            <button type="button" className="button" onClick={() => setOpen("resolve")}>
              {t("pact.resolve")}
            </button>
          </>
        ) : null}
        {may("suppress") && problem.miner_id ? (
          problem.suppressed ? (
            <button type="button" className="button" onClick={() => problem.miner_id && lift.mutate(problem.miner_id)}>
              {t("pact.unsuppress")}
            </button>
          ) : (
            <button type="button" className="button" onClick={() => setOpen("suppress")}>
              {t("pact.suppress")}
            </button>
          )
        ) : null}
        {may("command") && problem.miner_id ? (
          <button type="button" className="button primary" onClick={() => command(bestType ?? undefined)}>
            {bestType ? `${named("cmdtype", bestType)}…` : t("pact.command")}
          </button>
        ) : null}
      </div>
      {open === "resolve" ? <ResolveDialog problems={[problem]} onClose={() => setOpen(null)} /> : null}
      {open === "suppress" && problem.miner_id ? (
        <SuppressDialog site={site.site_id} miners={[problem.miner_id]} zone={site.timezone} onClose={() => setOpen(null)} />
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

function Why({ story }: { story: Story }) {
  const now = useNow();
  const { problem } = story;
  const found = newest(problem);
  const hypotheses = problem.health_json?.hypotheses ?? [];
  const physical = recommended(story).filter((one) => !commandFor(one));
  return (
    <section className="panel" aria-labelledby="why">
      <header>
        <h2 id="why">{t("problem.why")}</h2>
        <span className="grow" />
        {found ? <span className="quiet">{t("evidence.at", { ago: ago(found.evaluated_at, now) })}</span> : null}
      </header>
      <div className="body stack">
        {found ? (
          <ul className="stack">
            {facts(found).map((fact) => (
              <li key={fact.metric}>
                {named("metric", fact.metric)} <strong>{fact.value}</strong>{" "}
                <span className="second">{fact.against.join(" · ")}</span>
              </li>
            ))}
          </ul>
        ) : null}
        {hypotheses.length ? (
          <>
            <h2>{t("problem.causes")}</h2>
            <ul className="stack">
              {hypotheses.map((one) => (
                <li key={one.hypothesis_id}>
                  {named("cause", one.hypothesis_id)} <strong>{number(one.confidence, 2)}</strong>
                </li>
              ))}
            </ul>
          </>
        ) : null}
        {physical.length ? (
          <p className="row wrap">
            <span className="second">{t("problem.physical")}:</span>
            {physical.map((one) => (
              <span key={one} className="chip">
                {named("todo", one)}
              </span>
            ))}
          </p>
        ) : null}
      </div>
    </section>
  );
}

function Cost({ problem }: { problem: Problem }) {
  const prices = usePrices();
  const lost = problem.loss_ths;
  return (
    <section className="panel" aria-labelledby="cost">
      <header>
        <h2 id="cost">{t("problem.cost")}</h2>
      </header>
      <div className="body stack">
        <p>
          {lost
            ? t("problem.cost.now", {
                ths: text(hashrate(lost)),
                thh: `${number(problem.loss_thh, 1)} TH·h`,
                money: prices ? money((lost / 1000) * prices.perPhDay, prices.currency) : "—",
              })
            : t("problem.cost.none")}
        </p>
        {problem.p_fail_24h !== null ? (
          <p className="second">
            {t("problem.pfail", { p: percent(problem.p_fail_24h) })}
            {(problem.ml_json?.top_features ?? []).map((one) => ` · ${one.feature}`).join("")}
          </p>
        ) : null}
      </div>
    </section>
  );
}

function Tried({ site, problem }: { site: SiteSums; problem: Problem }) {
  const commands = useQuery({ ...commandsQuery(site.site_id, problem.miner_id ?? ""), enabled: problem.miner_id !== null });
  const since = Date.parse(problem.start_ts);
  const tried = (commands.data ?? []).filter((one) => Date.parse(String(one.created_at)) >= since);
  return (
    <section className="panel" aria-labelledby="tried">
      <header>
        <h2 id="tried">{t("problem.tried")}</h2>
      </header>
      {tried.length ? (
        <ul className="list">
          {tried.map((one) => (
            <li key={String(one.command_id)}>
              <strong>{named("cmdtype", String(one.command_type))}</strong>
              <span className="chip">{named("cmdstate", String(one.state))}</span>
              <span className="second grow">{one.error_message ?? one.created_reason}</span>
              <span className="quiet">
                <When at={one.created_at} zone={site.timezone} />
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="body quiet">{t("problem.tried.none")}</p>
      )}
    </section>
  );
}

function Similar({ site, story }: { site: SiteSums; story: Story }) {
  const { similar, predecessors } = story;
  return (
    <section className="panel" aria-labelledby="similar">
      <header>
        <h2 id="similar">{t("problem.similar")}</h2>
      </header>
      {similar.length || predecessors.length ? (
        <ul className="list">
          {similar.map((one) => (
            <li key={`${one.resolution_cause} ${one.resolution_action}`}>
              <span className="grow">
                {t("problem.similar.times", { n: number(one.times), cause: named("why", one.resolution_cause) })}
                {one.resolution_action ? ` · ${one.resolution_action}` : ""}
              </span>
              <span className="quiet">{span(one.median_sec)}</span>
            </li>
          ))}
          {predecessors.map((one) => (
            <li key={one.id}>
              <Sev of={one.severity} />
              <Link className="grow" to="/sites/$site/problems/$problem" params={{ site: site.code, problem: one.id }}>
                {named("issue", story.problem.issue_code)}
              </Link>
              <span className="second">{one.resolution_action ?? named("why", one.resolution_cause)}</span>
              <span className="quiet">
                <When at={one.start_ts} zone={site.timezone} />
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="body quiet">{t("problem.similar.none")}</p>
      )}
    </section>
  );
}

function Timeline({ site, story }: { site: SiteSums; story: Story }) {
  const { problem, timeline, people } = story;
  const may = useMay();
  const acts = useActs();
  const [words, setWords] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const said = { comment: words.trim() };
    // the words stay until the server has them
    acts.mutate({ problems: [problem], verb: "comment", said }, { onSuccess: () => setWords("") });
  };
  return (
    <section className="panel" aria-labelledby="timeline">
      <header>
        <h2 id="timeline">{t("problem.timeline")}</h2>
      </header>
      <ol className="list">
        {timeline.map((one) => (
          <li key={one.id}>
            <strong>{named("event", one.kind)}</strong>
            <span className="grow">{one.message}</span>
            <span className="quiet">
              {one.actor_id ? `${people[one.actor_id] ?? one.actor_kind} · ` : ""}
              <When at={one.at} zone={site.timezone} />
            </span>
          </li>
        ))}
      </ol>
      {may("acknowledge") ? (
        <form className="body row" onSubmit={submit}>
          <input
            className="input"
            aria-label={t("problem.write")}
            placeholder={t("problem.write")}
            required
            maxLength={2000}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <button type="submit" className="button" disabled={!words.trim() || acts.isPending}>
            {t("pact.comment")}
          </button>
        </form>
      ) : null}
    </section>
  );
}
