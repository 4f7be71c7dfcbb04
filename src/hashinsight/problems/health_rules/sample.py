"""Rules judged from one sample: offline, not hashing, dead boards, stopped fans, foreign pools."""

from functools import lru_cache

import numpy as np

from hashinsight.facts.pools import is_pool_allowed, is_worker_allowed
from hashinsight.problems.codes import Issue, Metric, Mode, Severity
from hashinsight.problems.frame import Flags, TextColumn
from hashinsight.problems.health_rules.rule import Criterion, CriterionResult, Earlier, Observations, Rule, RuleResult

_SILENT_SHARE = 0.05  # of an even share: a board with less does nothing


def _offline(obs: Observations, _: Earlier) -> RuleResult:
    data = obs.data
    no_samples, reported = data.without_samples, data.offline & data.is_new & ~data.without_samples
    is_online = obs.features.is_online
    return RuleResult(
        data.judged | ((no_samples | reported) & ~data.planned_outage),
        (
            CriterionResult(
                no_samples, obs.now - obs.frame.ts, data.age_limits.offline_sec, details={"is_online": is_online}
            ),
            CriterionResult(reported, is_online),
        ),
        obs.shown[Issue.OFFLINE],
    )


def _hashrate_zero(obs: Observations, _: Earlier) -> RuleResult:
    ratio, limit = obs.features.hashrate_ratio, obs.limits["hashrate_zero_ratio"]
    known = obs.running & ~obs.features.booting & ~np.isnan(ratio)
    return RuleResult(known, (CriterionResult(ratio <= limit, ratio, limit),), obs.shown[Issue.HASHRATE_ZERO])


def _boards_dead(obs: Observations, _: Earlier) -> RuleResult:
    boards, limit = obs.features.boards_ratio, obs.limits["boards_dead_ratio"]
    known = obs.running & ~obs.features.booting & ~np.isnan(boards)
    return RuleResult(known, (CriterionResult(boards <= limit, boards, limit),), obs.shown[Issue.BOARDS_DEAD])


def _board_lost(obs: Observations, _: Earlier) -> RuleResult:
    """Needs no baseline: a machine without one is compared with its nameplate.

    Some firmware counts an empty slot as a dead board: such a machine is healthy as long as its hashrate is.
    """
    features, hashrate = obs.features, Metric.HASHRATE_RATIO
    boards, ratio, share = features.boards_ratio, features.hashrate_ratio, features.board_share_min
    baseline = np.where(obs.own.cold[hashrate], np.nan, ratio - obs.own.residual[hashrate])
    # eco runs below its nameplate without a fault
    usual = np.where(np.isnan(baseline) & (obs.mode != Mode.ECO), 1.0, baseline)
    limit = usual * (1 - obs.limits["board_lost_share"] * obs.hold_factor(Issue.BOARD_LOST) * (1 - boards))
    missing, comparable = boards < 1, ~np.isnan(ratio) & ~np.isnan(usual)
    known = ~np.isnan(boards) & (comparable | ~missing | ~np.isnan(share))
    details = {"boards_ratio": boards}
    return RuleResult(
        obs.running & ~features.booting & known,
        (
            CriterionResult(missing & comparable & (ratio <= limit), ratio, limit, details=details),
            CriterionResult(missing & np.isnan(ratio) & (share < _SILENT_SHARE), share, _SILENT_SHARE, details=details),
        ),
        obs.shown[Issue.BOARD_LOST],
    )


def _fan_zero(obs: Observations, _: Earlier) -> RuleResult:
    slowest = obs.features.fan_speed_min
    known = obs.running & obs.frame.is_air & ~np.isnan(slowest)
    return RuleResult(known, (CriterionResult(slowest == 0, slowest, 0.0),), obs.shown[Issue.FAN_ZERO])


def _wrong_pool(obs: Observations, _: Earlier) -> RuleResult:
    """Each of the two is judged where the tenant has a list for it and the machine reports it."""
    pool, worker = obs.frame.pool, obs.frame.worker
    pools, workers = obs.config.allowed_pools, obs.config.allowed_workers
    nobody = np.zeros(obs.frame.n, dtype=np.bool_)
    wrong_pool = ~_by_machine(pool, _allowed_pools(pool.of, pools)) if pools else nobody
    wrong_worker = ~_by_machine(worker, _allowed_workers(worker.of, frozenset(workers))) if workers else nobody
    known = ((pool.no >= 0) & bool(pools)) | ((worker.no >= 0) & bool(workers))
    return RuleResult(
        obs.data.judged & known,
        (
            CriterionResult(wrong_pool, pool, details={"worker": worker}),
            CriterionResult(wrong_worker, worker, details={"pool": pool}),
        ),
        obs.shown[Issue.WRONG_POOL],
    )


def _by_machine(texts: TextColumn, allowed: Flags) -> Flags:
    """What is not reported (-1, the last one) is not wrong."""
    flags: Flags = np.append(allowed, True)[texts.no]
    return flags


# A fleet may have a worker per machine, and few of them change from cycle to cycle.
@lru_cache(maxsize=8)
def _allowed_pools(pools: tuple[str, ...], allowed: tuple[str, ...]) -> Flags:
    return np.array([is_pool_allowed(pool, allowed) for pool in pools], dtype=np.bool_)


@lru_cache(maxsize=8)
def _allowed_workers(workers: tuple[str, ...], allowed: frozenset[str]) -> Flags:
    return np.array([is_worker_allowed(worker, allowed) for worker in workers], dtype=np.bool_)


RULES = (
    Rule(Issue.OFFLINE, Severity.P0, "No response. Collector is up; no planned outage", "is_online",
         (), ("check_network", "check_power", "power_cycle"),
         (Criterion("no_samples", "sample_age_sec", "above"), Criterion("says_offline", "is_online")),
         _offline, hard=True),
    Rule(Issue.HASHRATE_ZERO, Severity.P1, "Online but not hashing", "hashrate_ratio",
         ("hashrate_ratio",), ("restart", "inspect_boards", "inspect_psu"),
         (Criterion("limit", "hashrate_ratio", "below"),), _hashrate_zero, hard=True),
    Rule(Issue.BOARDS_DEAD, Severity.P1, "Half or more of its hashboards are down", "boards_ratio",
         ("boards_ratio",), ("restart", "inspect_boards"),
         (Criterion("limit", "boards_ratio", "below"),), _boards_dead, hard=True),
    Rule(Issue.BOARD_LOST, Severity.P1, "Hashboard down, and hashrate lower by its share", "boards_ratio",
         ("boards_ratio",), ("restart", "inspect_boards"),
         (Criterion("hashrate_down", "hashrate_ratio", "below"), Criterion("board_silent", "board_share_min", "below")),
         _board_lost, hard=True),
    Rule(Issue.FAN_ZERO, Severity.P1, "Fan stopped", "fan_speed_min",
         ("fan_speed_min",), ("swap_fan", "stop_mining"),
         (Criterion("limit", "fan_speed_min", "below"),), _fan_zero, hard=True),
    Rule(Issue.WRONG_POOL, Severity.P1, "Mining to a pool or worker that is not on the allow list", "pool",
         (), ("set_pool",), (Criterion("pool", "pool"), Criterion("worker", "worker")), _wrong_pool, hard=True),
)  # fmt: skip
