// Sections of a problem's page: evidence and cost, commands, similar cases, timeline.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import type { SiteName, TimelineEntry, Problem, ProblemDetails } from "../api/types";
import { useMay } from "../api/session";
import { CommandList } from "../command/list";
import { wordFor, t } from "../i18n";
import { ago, exact, hashrate, money, number, percent, span, text } from "../i18n/format";
import { Sev } from "../ui/severity";
import { Part } from "../ui/states";
import { useNow, When } from "../ui/time";
import { useBulkAction } from "./dialogs";
import { useUserNames } from "./assign";
import { usePrices } from "./prices";
import { commandFor, recommended } from "./recommendations";
import { relatedCommandsQuery } from "./related_commands";
import { newest, facts, factText, summaryOf } from "./evidence";

export function Why({ story }: { story: ProblemDetails }) {
  const now = useNow();
  const { problem } = story;
  const evidence = newest(problem);
  const hypotheses = problem.health_json?.hypotheses ?? [];
  const physical = recommended(story).filter((action) => !commandFor(action));
  return (
    <section className="panel" aria-labelledby="why">
      <header>
        <h2 id="why">{t("problem.why")}</h2>
        <span className="grow" />
        {evidence ? <span className="quiet">{t("evidence.at", { ago: ago(evidence.evaluated_at, now) })}</span> : null}
      </header>
      <div className="body stack">
        {evidence ? (
          <ul className="stack">
            {facts(evidence).map((fact) => (
              <li key={fact.metric}>{factText(fact)}</li>
            ))}
            {facts(evidence).length ? null : <li>{summaryOf(problem)}</li>}
          </ul>
        ) : null}
        {hypotheses.length ? (
          <>
            <h2>{t("problem.causes")}</h2>
            <ul className="stack">
              {hypotheses.map((hypothesis) => (
                <li key={hypothesis.hypothesis_id}>
                  {wordFor("cause", hypothesis.hypothesis_id)} <strong>{number(hypothesis.confidence, 2)}</strong>
                </li>
              ))}
            </ul>
          </>
        ) : null}
        {physical.length ? (
          <p className="row wrap">
            <span className="second">
              {t("problem.physical")}
              {t("colon")}
            </span>
            {physical.map((action) => (
              <span key={action} className="chip">
                {wordFor("todo", action)}
              </span>
            ))}
          </p>
        ) : null}
        <Cost problem={problem} />
      </div>
    </section>
  );
}

function Cost({ problem }: { problem: Problem }) {
  const prices = usePrices();
  const lost = problem.loss_ths;
  return (
    <>
      <h2>{t("problem.cost")}</h2>
      <p>
        {lost
          ? t("problem.cost.now", {
              ths: text(hashrate(lost)),
              thh: `${number(problem.loss_thh, 1)} TH·h`,
              money: prices ? money((lost / 1000) * prices.perPhDay, prices.currency) : "—",
            })
          : t(lost === null ? "problem.cost.unknown" : "problem.cost.none")}
      </p>
      {problem.p_fail_24h !== null ? (
        <p className="second">
          {t("problem.pfail", { p: percent(problem.p_fail_24h) })}
          {(problem.ml_json?.top_features ?? []).map(({ feature }) => ` · ${wordFor("metric", feature)}`).join("")}
        </p>
      ) : null}
    </>
  );
}

export function Tried({ site, problem, miner }: { site: SiteName; problem: Problem; miner: string }) {
  const evidence = useQuery(relatedCommandsQuery(site.site_id, miner, problem));
  return (
    <section className="panel" aria-labelledby="tried">
      <header>
        <h2 id="tried">{t("problem.tried")}</h2>
      </header>
      <Part of={evidence} rows={2}>
        {(tried) => <CommandList commands={tried} when="created_at" zone={site.timezone} none={t("problem.tried.none")} />}
      </Part>
    </section>
  );
}

export function Similar({ site, story }: { site: SiteName; story: ProblemDetails }) {
  const { similar, predecessors } = story;
  return (
    <section className="panel" aria-labelledby="similar">
      <header>
        <h2 id="similar">{t("problem.similar")}</h2>
      </header>
      {similar.length || predecessors.length ? (
        <ul className="list">
          {similar.map((match) => (
            <li key={`${match.resolution_cause} ${match.resolution_action}`}>
              <span className="grow">
                {t("problem.similar.times", { n: number(match.times), cause: wordFor("resolution", match.resolution_cause) })}
                {match.resolution_action ? ` · ${match.resolution_action}` : ""}
              </span>
              <span className="quiet">{span(match.median_sec)}</span>
            </li>
          ))}
          {predecessors.map((predecessor) => (
            <li key={predecessor.id}>
              <Sev of={predecessor.severity} />
              <Link className="grow" to="/sites/$site/problems/$problem" params={{ site: site.code, problem: predecessor.id }}>
                {wordFor("issue", story.problem.issue_code)}
              </Link>
              <span className="second">{predecessor.resolution_action ?? wordFor("resolution", predecessor.resolution_cause)}</span>
              <span className="quiet">
                <When at={predecessor.start_ts} zone={site.timezone} />
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

export function Timeline({ site, story }: { site: SiteName; story: ProblemDetails }) {
  const { problem, timeline, people } = story;
  const may = useMay();
  const actions = useBulkAction();
  const others = useUserNames([site.site_id]);
  const nameOf = (id: string) => people[id] ?? others(id);
  const [comment, setComment] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = { comment: comment.trim() };
    // the text stays until the server has it; what is typed meanwhile stays, too
    const onSuccess = () => setComment((now) => (now.trim() === input.comment ? "" : now));
    actions.mutate({ problems: [problem], action: "comment", input }, { onSuccess });
  };
  return (
    <section className="panel" aria-labelledby="timeline">
      <header>
        <h2 id="timeline">{t("problem.timeline")}</h2>
      </header>
      <ol className="list">
        {timeline.map((entry) => (
          <li key={entry.id}>
            <strong>{wordFor("event", entry.kind)}</strong>
            <span className="grow">{detailsOf(entry, nameOf, site.timezone)}</span>
            <span className="quiet">
              {entry.actor_id ? `${people[entry.actor_id] ?? wordFor("actor", entry.actor_kind)} · ` : ""}
              <When at={entry.at} zone={site.timezone} />
            </span>
          </li>
        ))}
      </ol>
      {may("acknowledge", site.site_id) ? (
        <form className="body row" onSubmit={submit}>
          <input
            className="input"
            aria-label={t("problem.write")}
            placeholder={t("problem.write")}
            required
            maxLength={2000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <button type="submit" className="button" disabled={!comment.trim() || actions.arePending([problem])}>
            {t("action.comment")}
          </button>
        </form>
      ) : null}
    </section>
  );
}

/** Cause, action, assignee, end and comment of an entry. */
function detailsOf({ message, details }: TimelineEntry, nameOf: (id: string) => string, zone: string): string {
  const given = (name: string) => (typeof details?.[name] === "string" ? details[name] : null);
  const [cause, action, assignee, until] = [given("cause"), given("action"), given("assignee"), given("until")];
  const parts = [
    cause ? wordFor("resolution", cause) : null,
    action,
    assignee ? nameOf(assignee) : null,
    until ? t("event.until", { until: exact(until, zone) }) : null,
    message,
  ];
  return parts.filter(Boolean).join(" · ");
}
