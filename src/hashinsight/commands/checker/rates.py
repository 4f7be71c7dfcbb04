"""The rate limits per site and type, in every window of a run. Pure."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from hashinsight.commands.checker.findings import Finding, Name, found
from hashinsight.commands.checker.rows import Handed
from hashinsight.commands.checker.timeline import Timeline
from hashinsight.commands.limits import RATE_WINDOW


def check_rates(handed: Iterable[Handed], limits: Mapping[str, Timeline[int]]) -> Iterator[Finding]:
    """In the window that ends with each lease. Where the limit was changed inside one, the most generous counts."""
    lines: dict[tuple[int, str], list[Handed]] = defaultdict(list)
    for one in handed:
        lines[one.site_id, one.command_type].append(one)
    for (site_id, command_type), line in lines.items():
        window: deque[datetime] = deque()
        for one in sorted(line, key=lambda lease: lease.at):
            window.append(one.at)
            begin = one.at - RATE_WINDOW
            while window[0] <= begin:
                window.popleft()
            most = max(limits[command_type].between(begin, one.at))
            if len(window) > most:
                message = f"{command_type} at site {site_id}, at {one.at}"
                yield found(Name.RATE_EXCEEDED, one.command_id, message, handed_out=len(window), most=most)
