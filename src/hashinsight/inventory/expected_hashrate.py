"""The expected hashrate of a machine by its model, and where the figure comes from. Pure."""

from dataclasses import dataclass

from hashinsight.facts.models import find_model, find_stated_ths

MAX_THS = 100_000.0


@dataclass(frozen=True)
class ExpectedHashrate:
    model: str | None  # as the catalogue spells it, if it knows the model
    ths: float | None
    source: str | None


def get_expected_hashrate(model: str | None, given_ths: float | None = None) -> ExpectedHashrate:
    """The operator's figure first; a rating in the model's text (`S19j Pro (100T)`) counts as the operator's."""
    known = find_model(model) if model else None
    name = known.name if known else model
    if given_ths is not None:
        return ExpectedHashrate(name, given_ths, "operator")
    if known is None:
        return ExpectedHashrate(name, None, None)
    stated = find_stated_ths(model or "")
    if stated is not None and stated != known.rated_ths:
        return ExpectedHashrate(name, stated, "operator")
    return ExpectedHashrate(name, known.rated_ths, "catalogue")
