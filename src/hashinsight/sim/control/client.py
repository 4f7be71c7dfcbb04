"""Client of the control API."""

import json
import socket
from typing import Any

from hashinsight.sim.sockets.nets import CONTROL_PORT, control_address, running_nets


class NotAnswered(Exception):
    """`str()` is one sentence."""


def find_net(net: int | None) -> int:
    """The given net, or the only one with a running simulator."""
    if net is not None:
        return net
    nets = running_nets()
    if not nets:
        raise NotAnswered("no simulator is running here: start one with `hashinsight sim run`.")
    if len(nets) > 1:
        listed = ", ".join(f"127.{number}" for number in nets)
        raise NotAnswered(f"several simulators are running here ({listed}): choose one with --net.")
    return nets[0]


def ask(net: int, verb: str, *, timeout_sec: float = 30.0, **options: Any) -> Any:
    request = {"verb": verb, **{name: value for name, value in options.items() if value is not None}}
    try:
        with socket.create_connection((control_address(net), CONTROL_PORT), timeout=timeout_sec) as line:
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile("rb") as reply:
                answer = json.loads(reply.readline())
    except (OSError, ValueError):
        raise NotAnswered(f"no simulator answers on 127.{net}: start one with `hashinsight sim run`.") from None
    if not answer["ok"]:
        raise NotAnswered(f"{answer['error']['message'].rstrip('.')}.")
    return answer["result"]
