"""Answers about commands as people get them, by HTTP and on the command line: the same words in both."""

from dataclasses import asdict
from functools import cache
from typing import Any

from hashinsight.commands import limits
from hashinsight.commands.catalogue import CATALOGUE, LEGACY_NAMES, CommandType
from hashinsight.commands.requests import DryRunResult, Refusal, RequestResult
from hashinsight.commands.states import Priority

# Of a long list that one answer holds. 100,000 rows would be 14 MB that a caller rarely reads: the counts are always
# whole, and what is cut can be paged through.
MAX_SHOWN = 10_000
# up to 64 KB each: a list of a thousand leaves them to the story, as it does what only the story has
_NOT_LISTED = frozenset({"evidence", "ack_payload", "attempts", "history", "approvals", "audit"})


def show_brief(command: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in command.items() if name not in _NOT_LISTED}


def show_result(answer: RequestResult) -> dict[str, Any]:
    existing = sum(one.existing for one in answer.commands)
    counts = {"created": len(answer.commands) - existing, "existing": existing, "refused": len(answer.refused)}
    return {
        "batch_id": answer.batch_id,
        "commands": [asdict(one) for one in answer.commands[:MAX_SHOWN]],
        "refused": [_refusal(one) for one in answer.refused[:MAX_SHOWN]],
        "counts": counts,
        "approval_reasons": answer.approval_reasons,
        "repeated": answer.repeated,
    }


def show_dry_run(run: DryRunResult) -> dict[str, Any]:
    impact, radius = run.impact, run.blast_radius
    return {
        "machines": impact.machines,
        "kw": round(impact.kw, 3),
        "ths": round(impact.ths, 3),
        "share_of_site": round(impact.share_of_site, 6),
        "unknown_power": impact.unknown_power,
        "unknown_ths": impact.unknown_ths,
        "excluded": [_refusal(one) for one in run.excluded[:MAX_SHOWN]],
        "counts": {"excluded": len(run.excluded), "supersedes": run.supersedes},
        "blast_radius": None if radius is None else asdict(radius),
        "needs_approval": run.needs_approval,
        "approval_reasons": [one.words for one in run.causes],
        "approval_causes": [
            {"code": one.code, "value": one.value, "limit": one.limit, "window_min": one.window_min}
            for one in run.causes
        ],
    }


@cache
def show_catalogue() -> dict[str, Any]:
    """What a form needs: parameters as JSON Schema, with their units."""
    return {
        "types": [_type(kind) for kind in CATALOGUE.values()],
        "priorities": [one.value for one in reversed(Priority)],
        "ttl_sec": {"least": limits.MIN_TTL_SEC, "most": limits.MAX_TTL_SEC, "default": limits.DEFAULT_TTL_SEC},
        "machines": {"most": limits.MAX_MACHINES},
    }


def _refusal(one: Refusal) -> dict[str, Any]:
    said = {"miner_id": one.miner_id, "error_code": one.error_code, "reason": one.reason}
    return said if one.command_id is None else said | {"command_id": one.command_id}


def _type(kind: CommandType) -> dict[str, Any]:
    return {
        "command_type": kind.name,
        "wire_verb": kind.verb,
        "risk": kind.risk.value,
        "effect": kind.effect.value,
        "down": kind.down.value,
        "is_control": kind.is_control,
        "params": kind.schema,
        "secret_params": sorted(kind.secret_params),
        "opposes": sorted(kind.opposes),
        "undone_by": kind.inverse,
        "older_names": [old for old, new in LEGACY_NAMES.items() if new.name == kind.name],
    }
