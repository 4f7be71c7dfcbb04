"""Tables of faults and common causes for the documentation."""

from hashinsight.sim.causes import CAUSES
from hashinsight.sim.faults import PUBLIC
from hashinsight.sim.faults.family import Family


def faults_table() -> str:
    lines = ["| fault | symptoms in telemetry | visible within | early signs | rate |", "|---|---|---|---|---|"]
    lines += [
        f"| `{family.kind}` | {family.signature} | {_span(family.within_sec)} | {_before(family)} | {_often(family)} |"
        for family in PUBLIC
    ]
    return "\n".join(lines) + "\n"


def causes_table() -> str:
    lines = ["| cause | symptoms in telemetry | visible within | affects | default duration |", "|---|---|---|---|---|"]
    lines += [
        f"| `{c.kind}` | {c.signature} | {_span(c.within_sec)} | a {c.reach} | {_span(c.usual_sec)} |" for c in CAUSES
    ]
    return "\n".join(lines) + "\n"


def _before(family: Family) -> str:
    if not family.warns:
        return family.precursor
    low, high = (_span(seconds) for seconds in family.lead_sec)
    return f"{family.precursor}, {low} to {high}, in {family.warns:.0%} of cases"


def _often(family: Family) -> str:
    if not family.share:
        return "at restarts"
    brought = [word for word, true in (("heat", family.heat), ("power cycles", family.cycles)) if true]
    often = f"{family.share:g} a year" if family.by_itself else f"{family.share:.0%} of hardware faults"
    return often + (f", more with {' and '.join(brought)}" if brought else "")


def _span(seconds: float) -> str:
    for unit, length in (("d", 86_400.0), ("h", 3600.0)):
        if seconds >= length:
            return f"{seconds / length:g} {unit}"
    return f"{seconds / 60:g} min"
