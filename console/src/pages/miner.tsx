// Machine: live values, history, commands, problems and details.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { ApiError } from "../api/client";
import type { LastReported, LiveMachine, SiteTotals } from "../api/types";
import { commandsQuery, liveQuery, minerQuery, sitesQuery } from "../api/queries";
import { useMay } from "../api/session";
import { CommandDialog } from "../command/lazy_dialog";
import { CommandList } from "../command/list";
import { wordFor, t, useLanguage } from "../i18n";
import { hashrate, number, percent, power, span, text } from "../i18n/format";
import { PeerPanel } from "../problems/peer_panel";
import { MinerProblems, useSuppress } from "../problems/miner_problems";
import { useKeys } from "../ui/keys";
import { useTitle } from "../ui/title";
import { Amount, Figure } from "../ui/quantity";
import { Sev } from "../ui/severity";
import { Failed, Part } from "../ui/states";
import { When } from "../ui/time";
import { History } from "./miner_history";
import { Changes, Identity } from "./miner_identity";

export function MinerPage() {
  const { site: code, miner } = useParams({ from: "/sites/$site/miners/$miner" });
  const sites = useQuery(sitesQuery);
  useLanguage();
  useTitle(miner);
  return (
    <Part of={sites} rows={10}>
      {({ sites: all }) => {
        const site = all.find((site) => site.code === code || String(site.site_id) === code);
        if (!site) return <Failed error={new ApiError(404, "NOT_FOUND", "")} />;
        // a new page per machine: no dialog or chart of another one stays
        return <Miner key={`${site.site_id}/${miner}`} site={site} miner={miner} />;
      }}
    </Part>
  );
}

function Miner({ site, miner }: { site: SiteTotals; miner: string }) {
  const details = useQuery(minerQuery(site.site_id, miner));
  const live = useQuery(liveQuery(site.site_id, miner));
  const may = useMay();
  const [commanding, setCommanding] = useState(false);
  const suppress = useSuppress(site, miner);
  useKeys({ c: () => may("command", site.site_id) && setCommanding(true) });
  // a loaded page stays, with its dialogs, while the server is away
  if (details.isError && !details.data) return <Failed error={details.error} again={() => void details.refetch()} />;
  const machine = details.data?.miner;
  const place = [machine?.zone, machine?.rack, machine?.position].filter(Boolean).join(" · ");
  return (
    <main className="page" id="content">
      <div className="miner-head">
        <Sev of={live.data?.condition} word />
        <h1>{miner}</h1>
        <span className="second">{[machine?.model, live.data?.hardware.firmware ?? machine?.firmware].filter(Boolean).join(" · ")}</span>
        <span className="quiet">{[site.name, place].filter(Boolean).join(" · ")}</span>
        {details.data?.expected ? <span className="chip">{wordFor("expected", details.data.expected.state)}</span> : null}
        <span className="buttons">
          {suppress.button}
          {may("command", site.site_id) ? (
            <button type="button" className="button primary" onClick={() => setCommanding(true)}>
              {t("map.command")}
            </button>
          ) : null}
        </span>
      </div>
      <section className="panel" aria-labelledby="now">
        <header>
          <h2 id="now">{t("miner.live")}</h2>
          <span className="grow" />
          {live.data ? <Freshness live={live.data} zone={site.timezone} /> : null}
        </header>
        <div className="body">
          <Part of={live} rows={2}>
            {(machine) => (machine ? <Now live={machine} zone={site.timezone} /> : <p className="quiet">{t("miner.never")}</p>)}
          </Part>
        </div>
      </section>
      <div className="columns wide-first">
        <div className="stack">
          <History
            site={site}
            miner={miner}
            expected={live.data ? runningThs(live.data) : null}
            isExcused={Boolean(live.data?.expected_state)}
            reference={live.data?.hashrate.reference_ths ?? null}
          />
          <Commands site={site} miner={miner} />
        </div>
        <div className="stack">
          <MinerProblems site={site} miner={miner} />
          <PeerPanel site={site} miner={miner} metric="hashrate_ratio" group={machine?.model ?? null} planned={live.data?.expected_state ?? null} />
          <Identity site={site} miner={miner} live={live.data ?? null} />
          <Changes site={site} miner={miner} />
        </div>
      </div>
      {suppress.dialog}
      {commanding ? (
        <Suspense>
          <CommandDialog site={site} miners={[miner]} onClose={() => setCommanding(false)} />
        </Suspense>
      ) : null}
    </main>
  );
}

function Freshness({ live, zone }: { live: LiveMachine; zone: string }) {
  return (
    <span className="second">
      {wordFor("data", live.state)}
      {t("colon")}
      {wordFor("reason", live.state_reason)} · <When at={live.sample_at} zone={zone} />
    </span>
  );
}

/** Warning about the temperature, the worst first. */
function heatHint({ temperature, doubts }: LiveMachine): string | null {
  if (doubts.includes("temperature_unknown")) return t("miner.heat.unknown");
  if (temperature.sensor_fault) return t("miner.sensor");
  return doubts.includes("temperature_doubtful") ? t("miner.heat.doubtful") : null;
}

/** Expected hashrate while running, for the history of a stopped machine. */
function runningThs({ hashrate: { expected_ths, stopped_ths } }: LiveMachine): number | null {
  return expected_ths === null ? null : expected_ths + (stopped_ths ?? 0);
}

/** Expected hashrate now and its source; in eco or perf mode with the rated hashrate. */
function expectedHint({ hashrate: { expected_ths, expected_source, rated_ths }, mode, expected_state }: LiveMachine): string | null {
  if (expected_state) return t("miner.of.excused", { state: wordFor("expected", expected_state), rated: text(hashrate(rated_ths)) });
  if (expected_ths === null) return null;
  const expected = text(hashrate(expected_ths));
  const isSet = (mode === "eco" || mode === "perf") && rated_ths !== null && rated_ths !== expected_ths;
  if (expected_source !== "mode" && !isSet) return t("miner.of", { expected, source: wordFor("source", expected_source) });
  return t("miner.of.mode", { expected, mode: wordFor("mode", mode ?? "unknown"), rated: text(hashrate(rated_ths)) });
}

/** Last values of a machine that is not online. */
function LastReport({ of, zone }: { of: LastReported; zone: string }) {
  const efficiency = text({ value: number(of.efficiency_j_th, 1), unit: "J/TH" });
  return (
    <p className="second">
      {t("miner.last", { hashrate: text(hashrate(of.hashrate_ths)), power: text(power(of.power_w)), efficiency })} · <When at={of.at} zone={zone} />
    </p>
  );
}

function Now({ live, zone }: { live: LiveMachine; zone: string }) {
  const stale = live.state !== "fresh";
  const { hardware, temperature, fan, reject } = live;
  const degrees = (value: number | null) => number(value, 1);
  return (
    <>
    <div className={stale ? "figures even stale" : "figures even"}>
      <Figure
        label={t("miner.hashrate")}
        hint={expectedHint(live)}
      >
        <Amount of={hashrate(live.hashrate.value)} />
      </Figure>
      <Figure label={t("miner.temperature")} hint={heatHint(live)}>
        {degrees(temperature.max)} / <Amount of={{ value: degrees(temperature.avg), unit: "°C" }} />
      </Figure>
      <Figure label={t("miner.power")}>
        <Amount of={power(live.power.value)} />
      </Figure>
      <Figure label={t("miner.efficiency")}>
        <Amount of={{ value: number(live.efficiency.value, 1), unit: "J/TH" }} />
      </Figure>
      <Figure label={t("miner.boards")}>
        {t("miner.boards.of", { healthy: number(hardware.boards_healthy), total: number(hardware.boards_total) })}
      </Figure>
      <Figure label={t("miner.fan")} hint={fan.sensor_fault ? t("miner.sensor") : null}>
        {number(fan.min)} / <Amount of={{ value: number(fan.avg), unit: "rpm" }} />
      </Figure>
      <Figure label={t("miner.rejects.hour")}>{percent(reject.rate, 2)}</Figure>
      <Figure label={t("miner.errors")}>{number(live.hardware_errors)}</Figure>
      <Figure label={t("miner.uptime")}>{span(live.uptime_seconds)}</Figure>
    </div>
    {live.last_reported && live.last_reported.hashrate_ths !== null ? <LastReport of={live.last_reported} zone={zone} /> : null}
    </>
  );
}

function Commands({ site, miner }: { site: SiteTotals; miner: string }) {
  const commands = useQuery(commandsQuery(site.site_id, miner));
  return (
    <section className="panel" aria-labelledby="commands">
      <header>
        <h2 id="commands">{t("miner.commands")}</h2>
      </header>
      <Part of={commands} rows={3}>
        {(list) => <CommandList commands={list} when="updated_at" zone={site.timezone} none={t("miner.commands.none")} />}
      </Part>
    </section>
  );
}
