// The parts of a problem's page: why we think so and what it costs, what was tried, what helped others, what happened.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import type { SiteSums } from "../api/known";
import { useMay } from "../api/session";
import { CommandList } from "../command/list";
import { named, t } from "../i18n";
import { ago, exact, hashrate, money, number, percent, span, text } from "../i18n/format";
import { Sev } from "../ui/severity";
import { Part } from "../ui/states";
import { useNow, When } from "../ui/when";
import { useActs } from "./acts";
import { useNames } from "./assign";
import { usePrices } from "./prices";
import { commandFor, recommended } from "./recommended";
import { triedQuery } from "./tried";
import { newest, type Happening, type Problem, type Story } from "./types";
import { facts, inWords, sentence } from "./words";

export function Why({ story }: { story: Story }) {
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
              <li key={fact.metric}>{inWords(fact)}</li>
            ))}
            {facts(found).length ? null : <li>{sentence(problem)}</li>}
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
            <span className="second">
              {t("problem.physical")}
              {t("colon")}
            </span>
            {physical.map((one) => (
              <span key={one} className="chip">
                {named("todo", one)}
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
          {(problem.ml_json?.top_features ?? []).map((one) => ` · ${named("metric", one.feature)}`).join("")}
        </p>
      ) : null}
    </>
  );
}

export function Tried({ site, problem, miner }: { site: SiteSums; problem: Problem; miner: string }) {
  const found = useQuery(triedQuery(site.site_id, miner, problem));
  return (
    <section className="panel" aria-labelledby="tried">
      <header>
        <h2 id="tried">{t("problem.tried")}</h2>
      </header>
      <Part of={found} rows={2}>
        {(tried) => <CommandList commands={tried} when="created_at" zone={site.timezone} none={t("problem.tried.none")} />}
      </Part>
    </section>
  );
}

export function Similar({ site, story }: { site: SiteSums; story: Story }) {
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

export function Timeline({ site, story }: { site: SiteSums; story: Story }) {
  const { problem, timeline, people } = story;
  const may = useMay();
  const acts = useActs();
  const others = useNames([site.site_id]);
  const nameOf = (id: string) => people[id] ?? others(id);
  const [words, setWords] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const said = { comment: words.trim() };
    // the words stay until the server has them, and what was written meanwhile stays
    const onSuccess = () => setWords((now) => (now.trim() === said.comment ? "" : now));
    acts.mutate({ problems: [problem], verb: "comment", said }, { onSuccess });
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
            <span className="grow">{detailsOf(one, nameOf, site.timezone)}</span>
            <span className="quiet">
              {one.actor_id ? `${people[one.actor_id] ?? named("actor", one.actor_kind)} · ` : ""}
              <When at={one.at} zone={site.timezone} />
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
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <button type="submit" className="button" disabled={!words.trim() || acts.areBusy([problem])}>
            {t("pact.comment")}
          </button>
        </form>
      ) : null}
    </section>
  );
}

/** What came with it: the cause, to whom, until when, and what somebody wrote. */
function detailsOf({ message, details }: Happening, nameOf: (id: string) => string, zone: string): string {
  const given = (name: string) => (typeof details?.[name] === "string" ? details[name] : null);
  const [cause, action, assignee, until] = [given("cause"), given("action"), given("assignee"), given("until")];
  const said = [
    cause ? named("why", cause) : null,
    action,
    assignee ? nameOf(assignee) : null,
    until ? t("event.until", { until: exact(until, zone) }) : null,
    message,
  ];
  return said.filter(Boolean).join(" · ");
}
