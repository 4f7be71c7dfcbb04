"""The evidence of a problem, and a machine among its peers."""

from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import TypedDict

from hashinsight.problems.schemas.words import IssueCode, LimitSource, PeerLevelWord

_EXAMPLE: dict[str, Any] = {
    "rule_code": "hashrate_degradation",
    "description": "Hashrate below its own baseline, or repeated reboots",
    "evaluated_at": "2026-03-01T12:00:00Z",
    "way": "own_past",
    "ways": ["own_past"],
    "metric": "hashrate_ratio",
    "hashrate_ratio": 0.672,
    "threshold": 0.968,
    "side": "below",
    "measured": "now",
    "held": False,
    "baseline": {"metric": "hashrate_ratio", "value": 0.672, "expected": 0.998, "residual": -0.326, "z": -7.9},
    "expected_ths": 104.0,
    "expectation": "given",
    "left_out": ["board_share_min"],
}


class Spread(TypedDict):
    """A histogram of the peers' values."""

    edges: list[float]
    counts: list[int]


class PeerPosition(TypedDict):
    """One metric among the peers: quantiles of the group, and the machine's own value, z and percentile."""

    level: PeerLevelWord
    value: float | None
    robust_z: float | None
    percentile: float | None
    median: float | None
    mad: NotRequired[float | None]
    count: int
    p10: float | None
    p25: float | None
    p75: float | None
    p90: float | None
    min: float | None
    max: float | None


class EvidenceBaseline(TypedDict):
    """The machine's own baseline of `metric` when the rule hit."""

    metric: str
    value: NotRequired[float | None]
    expected: NotRequired[float | None]
    residual: NotRequired[float | None]
    sigma: NotRequired[float | None]
    z: NotRequired[float | None]


class EvidenceDocument(TypedDict):
    """Why a rule hit. `metric` names the key of the value that passed `threshold`; further keys explain it."""

    __pydantic_config__ = ConfigDict(extra="allow", json_schema_extra={"example": _EXAMPLE})  # type: ignore[misc]

    rule_code: IssueCode
    description: NotRequired[str]
    evaluated_at: NotRequired[datetime]
    way: Annotated[NotRequired[str], Field(description="The criterion that hit first")]
    ways: Annotated[NotRequired[list[str]], Field(description="All criteria that hit, where the rule has several")]
    metric: NotRequired[str]
    threshold: NotRequired[float | None]
    side: NotRequired[Literal["above", "below"] | None]
    measured: NotRequired[Literal["now", "half_hour_mean"]]
    held: Annotated[NotRequired[bool], Field(description="The problem was already open, so the narrower limit applied")]
    baseline: NotRequired[EvidenceBaseline]
    sensor: Annotated[NotRequired[Literal["chip", "board"]], Field(description="Where a temperature was read")]
    limit_source: NotRequired[LimitSource]
    robust_z: Annotated[NotRequired[dict[str, float | None]], Field(description="By metric, among its peers")]
    robust_z_threshold: NotRequired[float]
    peers: NotRequired[dict[str, PeerPosition | None]]
    expected_ths: NotRequired[float | None]
    expectation: NotRequired[Literal["none", "given", "kind", "own_past"]]
    left_out: Annotated[NotRequired[list[str]], Field(description="Features that the machine does not report")]


_DOCUMENT = TypeAdapter(EvidenceDocument)


class _AsStored:
    """A stored document goes into an answer as it is: rules of older versions wrote other keys."""

    @staticmethod
    def __get_pydantic_json_schema__(_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(_DOCUMENT.core_schema)


Evidence = Annotated[dict[str, Any], _AsStored]


class PeerComparison(PeerPosition):
    """With the histogram of the peers."""

    spread: Spread
