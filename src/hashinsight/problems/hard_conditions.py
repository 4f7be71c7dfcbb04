"""The conditions of the hard rules: read off one sample. What was learnt only keeps assumptions from alarming."""

from dataclasses import dataclass

import numpy as np

from hashinsight.problems.codes import Issue, Metric, Mode
from hashinsight.problems.config import Config, MachineLimits
from hashinsight.problems.frame import Flags, Floats, Frame
from hashinsight.problems.hottest import CRIT, WARN, Hottest, hottest
from hashinsight.problems.pools import pools_allowed, workers_allowed
from hashinsight.problems.seen import Observations, Verdicts, held, say
from hashinsight.problems.state import BOOTS

_WEATHER_C = 10.0  # by so much a hot day makes all machines of a kind hotter
_ASSUMED_MARGIN_C = 10.0  # so far beyond an assumed critical limit nothing is usual


def judge_hard(verdict: Verdicts, seen: Observations, config: Config) -> None:
    """A machine that was told to stand still is not judged for standing still."""
    frame, features, limits, standing = seen.frame, seen.features, seen.limits, seen.standing
    judged, expected = standing.judged, standing.excused
    critical = hottest(frame, features, limits, CRIT, seen.shown[Issue.OVERHEAT_CRIT])
    known = judged & ~np.isnan(critical.temp_c)
    is_usual = runs_as_hot(seen, critical, CRIT) & (critical.temp_c < critical.limit_c + _ASSUMED_MARGIN_C)
    too_hot = critical.is_over & ~is_usual
    say(verdict, Issue.OVERHEAT_CRIT, known, too_hot)
    warm = hottest(frame, features, limits, WARN, seen.shown[Issue.OVERHEAT_WARN])
    # whether it always runs so hot is not known at first; what keeps it from being learnt is no reason to wait
    learns = ~seen.shown.any(axis=0) & (features.boots < np.minimum(limits["reboots_in_6_hours"], BOOTS))
    unsure = warm.is_over & is_assumed(limits, WARN) & seen.own.cold[Metric.TEMP_MAX] & learns
    say(verdict, Issue.OVERHEAT_WARN, known & ~unsure, warm.is_over & ~runs_as_hot(seen, warm, WARN) & ~too_hot)
    gone = standing.offline & (standing.is_new | standing.without_samples)
    say(verdict, Issue.OFFLINE, judged | (gone & ~expected), gone)
    running = judged & ~expected & ~features.booting
    ratio = features.hashrate_ratio
    say(verdict, Issue.HASHRATE_ZERO, running & ~np.isnan(ratio), ratio <= limits["hashrate_zero_ratio"])
    boards = features.boards_ratio
    say(verdict, Issue.BOARDS_DEAD, running & ~np.isnan(boards), boards <= limits["boards_dead_ratio"])
    lost = lost_board(seen)
    say(verdict, Issue.BOARD_LOST, running & lost.known, lost.by_hashrate | lost.by_board)
    fan = features.fan_speed_min
    say(verdict, Issue.FAN_ZERO, judged & ~expected & frame.is_air & ~np.isnan(fan), fan == 0)
    if config.allowed_pools or config.allowed_workers:
        known = np.zeros(frame.n, dtype=np.bool_)
        for told, words in ((frame.pool, config.allowed_pools), (frame.worker, config.allowed_workers)):
            known |= (told.no >= 0) & bool(words)
        say(verdict, Issue.WRONG_POOL, judged & known, wrong_pool(frame, config) | wrong_worker(frame, config))


@dataclass(frozen=True)
class LostBoard:
    """Fewer boards than fitted, and by what it is seen that they are missed."""

    known: Flags
    by_hashrate: Flags
    by_board: Flags  # where nobody knows what it should hash: one of its boards does nothing
    most: Floats  # what its hashrate ratio is at the most where the boards are missed
    most_share: float = 0.05  # of an even share, that a board which does nothing has at the most


def lost_board(seen: Observations) -> LostBoard:
    """Needs nothing learnt: without a past of its own it is measured by its nameplate.

    Firmware that counts a slot without a board in it as a dead one is sound as long as its hashrate is.
    """
    features, hashrate = seen.features, Metric.HASHRATE_RATIO
    boards, ratio = features.boards_ratio, features.hashrate_ratio
    past = np.where(seen.own.cold[hashrate], np.nan, ratio - seen.own.residual[hashrate])
    usual = np.where(np.isnan(past) & (seen.mode != Mode.ECO), 1.0, past)  # eco is below its nameplate without a fault
    most = usual * (1 - seen.limits["board_lost_share"] * held(seen, Issue.BOARD_LOST) * (1 - boards))
    missing, has_ratio = boards < 1, ~np.isnan(ratio) & ~np.isnan(usual)
    silent = missing & np.isnan(ratio) & (features.board_share_min < LostBoard.most_share)
    known = ~np.isnan(boards) & (has_ratio | ~missing | ~np.isnan(features.board_share_min))
    return LostBoard(known, missing & has_ratio & (ratio <= most), silent, most)


def is_assumed(limits: MachineLimits, level: str) -> Flags:
    """Whose limit nobody knows: neither the machine, nor the catalogue, nor the settings."""
    by_kind = np.array([getattr(heat.main, f"{level}_source") == "assumed" for heat in limits.heat], dtype=np.bool_)
    flags: Flags = by_kind[limits.kind] if len(by_kind) else np.zeros(len(limits.kind), dtype=np.bool_)
    return flags


def runs_as_hot(seen: Observations, heat: Hottest, level: str) -> Flags:
    """Over a limit that is only assumed, and hardly hotter than this machine usually is.

    Many models run at 80 °C all their life: an assumed limit alone says nothing about one that always did. A warning
    allows for the weather that its kind feels, within bounds; nothing else excuses what is critical.
    """
    issue = Issue.OVERHEAT_CRIT if level == CRIT else Issue.OVERHEAT_WARN
    hot, own = Metric.TEMP_MAX, seen.own
    weather = np.clip(own.value[hot] - own.level[hot], 0.0, _WEATHER_C if level == WARN else 0.0)
    usual = own.level[hot] - own.residual[hot] + weather
    rise = seen.limits["assumed_rise_c"] * held(seen, issue)
    flags: Flags = is_assumed(seen.limits, level) & ~own.cold[hot] & ~heat.is_other & (heat.temp_c < usual + rise)
    return flags


def wrong_pool(frame: Frame, config: Config) -> Flags:
    """What is told is judged, by the list that there is for it."""
    words = config.allowed_pools
    return (frame.pool.no >= 0) & ~pools_allowed(frame.pool, words) if words else np.zeros(frame.n, dtype=np.bool_)


def wrong_worker(frame: Frame, config: Config) -> Flags:
    words, told = config.allowed_workers, frame.worker
    return (told.no >= 0) & ~workers_allowed(told, words) if words else np.zeros(frame.n, dtype=np.bool_)
