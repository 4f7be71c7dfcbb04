"""Loopback networks of simulators, 127.x/16: the simulator that holds the control address owns the network."""

import re
import resource
import socket
from contextlib import suppress

MINER_PORT = 4028  # built into every client of the makers' protocols
CONTROL_PORT = 4020
FIRST, LAST = 16, 254  # assigned automatically; lower ones are left to other programs
PER_BLOCK = 250  # of the 256 addresses with the same third number
MAX_MACHINES = 254 * PER_BLOCK  # the last block is the simulator's own
SPARE_FILES = 400  # connections, libraries, the loop itself


class CannotRun(Exception):
    """The simulator cannot start; the message says why and what to do."""


def address_of(net: int, machine: int) -> str:
    return f"127.{net}.{machine // PER_BLOCK}.{machine % PER_BLOCK + 1}"


def control_address(net: int) -> str:
    return f"127.{net}.255.254"


def read_net(text: str) -> int:
    """`127.20`, `127.20.0.0/16` or `20`."""
    match = re.fullmatch(r"(?:127\.)?(\d{1,3})(?:\.0\.0)?(?:/16)?", text.strip())
    if match is None or not 1 <= int(match.group(1)) <= LAST:
        raise CannotRun(f"{text} is not a simulator network: use 127.x with x from 1 to {LAST}.")
    return int(match.group(1))


def claim(net: int | None) -> tuple[int, socket.socket]:
    """The given network, or the first free one, with the listening control socket that holds it."""
    for number in range(FIRST, LAST + 1) if net is None else (net,):
        with suppress(OSError):
            return number, listen_on(control_address(number), CONTROL_PORT)
    if net is None:
        raise CannotRun("every network from 127.16 to 127.254 is in use: stop a simulator with `hashinsight sim stop`.")
    raise CannotRun(f"127.{net} is used by another running simulator: stop it, or choose another --net.")


def inherit(descriptor: int) -> tuple[int, socket.socket]:
    """A network whose control socket was inherited; its owner keeps it across simulator restarts."""
    control = socket.socket(fileno=descriptor)
    return int(control.getsockname()[0].split(".")[1]), control


def listen_on(address: str, port: int) -> socket.socket:
    """Reuses an address with lingering connections of an ended simulator, never one that is in use."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)  # noqa: FBT003 - the library's form
        listener.bind((address, port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def allow_files(machines: int) -> None:
    """Raises the limit of open files: each listener needs one, each unreachable machine one more."""
    needed = 2 * machines + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        ceiling = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, ceiling), hard))
        if ceiling < needed:
            raise CannotRun(
                f"{machines} machines need {needed} open files, but only {hard} are allowed: "
                f"raise the limit (`ulimit -Hn`) or run at most {max((hard - SPARE_FILES) // 2, 0)} machines."
            )


def running_nets() -> list[int]:
    """Networks whose control address accepts connections."""
    return [number for number in range(1, LAST + 1) if _listens(number)]


def _listens(net: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((control_address(net), CONTROL_PORT)) == 0
