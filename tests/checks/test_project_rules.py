"""Rules of the project that a machine can check."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hashinsight.identity.permissions import permissions_table
from hashinsight.kit.settings import settings_table

ROOT = Path(__file__).parents[2]
# in pieces, so that this file does not name what it forbids
REGISTRY_HOSTS = [
    r"pypi\." + "org",
    "pythonhosted" + r"\.org",
    "npm" + r"js\.(org|com)",
    "registry" + r"\.yarnpkg",
    "deb\\.debian" + r"\.org",
    "npm" + r"mirror\.com",
    r"/(simple|packages)/[a-z0-9]{2}/",
]
FORBIDDEN = re.compile("|".join(REGISTRY_HOSTS), re.IGNORECASE)
MACHINE_PATHS = re.compile(r"(^|[\s\"'=(`:])/(root|work|home|farm)" + r"/[a-z.]")


def project_files() -> list[Path]:
    """What git knows or would add; without git, every file outside the folders that our own commands make."""
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
        named = [ROOT / name.decode() for name in listed if name]
    else:
        ours = {".venv", "node_modules", "console_files", "__pycache__", ".hypothesis"}
        made = ours | {".git", ".mypy_cache", ".ruff_cache", ".import_linter_cache"}
        named = [file for file in ROOT.rglob("*") if not made & set(file.relative_to(ROOT).parts)]
    return [file for file in named if file.is_file()]


def naming(files: list[Path], pattern: re.Pattern[str]) -> list[str]:
    statements = []
    for file in files:
        lines = enumerate(file.read_text(errors="replace").splitlines(), 1)
        statements += [f"{file.name}:{number}: {line.strip()[:100]}" for number, line in lines if pattern.search(line)]
    return statements


def test_no_file_of_the_project_names_a_package_registrys_host() -> None:
    assert len(project_files()) > 50
    assert naming(project_files(), FORBIDDEN) == []


def test_no_file_of_the_project_names_a_path_of_somebodys_machine() -> None:
    assert naming(project_files(), MACHINE_PATHS) == []


PLANTED = ("--index-url https:" + "//pypi" + ".org/simple", '"resolved": ' + '"https:' + "//registry.npm" + 'js.org/x"')


@pytest.mark.parametrize("line", PLANTED)
def test_a_registrys_host_that_is_planted_is_found(tmp_path: Path, line: str) -> None:
    planted = tmp_path / "requirements.txt"
    planted.write_text(f"numpy==2\n{line}\n")
    assert len(naming([planted], FORBIDDEN)) == 1


def test_every_pin_has_a_hash_and_there_is_no_other_lock_file() -> None:
    assert not (ROOT / "uv.lock").exists()
    for file in (ROOT / "requirements").glob("*.txt"):
        text = file.read_text()
        pins = re.findall(r"^[a-z0-9].*==[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
        assert len(pins) == len(re.findall(r"^[a-z0-9][^=\n]*==", text, re.MULTILINE))
        assert len(pins) > (0 if file.name == "console.txt" else 20)


def test_runtime_dependencies_are_pinned_the_same_for_tests() -> None:
    pin = re.compile(r"^([a-z0-9][^ \\\n]*==[^ \\\n]*[^\\\n]*)", re.MULTILINE)
    server = set(pin.findall((ROOT / "requirements" / "server.txt").read_text()))
    dev = set(pin.findall((ROOT / "requirements" / "dev.txt").read_text()))
    assert server <= dev


def test_every_dependency_has_its_line_of_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    reasons = (ROOT / "docs" / "decisions" / "dependencies.md").read_text()
    groups = [
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    for requirement in (name for group in groups for name in group):
        name = re.split(r"[\[<>=;, ]", requirement, maxsplit=1)[0]
        assert f"`{name}`" in reasons, f"{name} has no line in docs/decisions/dependencies.md"


def test_the_documented_settings_are_the_settings() -> None:
    assert settings_table() in (ROOT / "docs" / "operations" / "settings.md").read_text(), "run `make docs`"


def test_the_documented_roles_are_the_roles() -> None:
    assert permissions_table() in (ROOT / "docs" / "roles.md").read_text(), "run `make docs`"


def test_no_query_asks_the_database_for_the_time() -> None:
    """Time is an argument. The exceptions are named here, each with its reason."""
    allowed = {
        "kit/db/server.py": "doctor compares the two clocks",
        "audit/models.py": "recorded_at: when the database took the entry, beside when it happened",
        "migrations/versions/0002_identity_and_audit.py": "the same column",
        "commands/models/records.py": "recorded_at: the order of moves, which no caller's clock can tell",
        "migrations/versions/0007_commands.py": "the same column",
    }
    asks = re.compile(
        r"\b(now\(\)|current_timestamp|clock_timestamp\(\)|statement_timestamp\(\)|localtimestamp)", re.IGNORECASE
    )
    source = ROOT / "src" / "hashinsight"
    files = {
        str(file.relative_to(source))
        for file in source.rglob("*.py")
        for line in file.read_text().splitlines()
        if asks.search(line) and "datetime.now()" not in line
    }
    assert files == set(allowed)


def test_no_source_file_waits_by_wait_for() -> None:
    """In Python 3.11 it loses a cancellation that arrives with what it waits for; `asyncio.timeout` does not."""
    files = [file for file in (ROOT / "src").rglob("*.py") if "asyncio.wait_for(" in file.read_text()]
    assert files == []


def test_no_source_file_has_grown_past_250_lines() -> None:
    """Migrations aside: one that makes ten tables is long, and nobody carries it on."""
    files = [file for file in (ROOT / "src").rglob("*.py") if file.parent.name != "versions"]
    long = [file.name for file in files if len(file.read_text().splitlines()) > 250]
    assert long == []


def test_both_readmes_begin_with_the_two_commands() -> None:
    for name in ("README.md", "README.zh-CN.md"):
        top = (ROOT / name).read_text()[:1500]
        assert "make up" in top
        assert "make test" in top


def test_every_link_between_the_documents_leads_somewhere() -> None:
    broken = []
    for file in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", file.read_text())
        inside = [target for target in targets if not target.startswith(("http://", "https://", "mailto:"))]
        broken += [f"{file.name}: {target}" for target in inside if not (file.parent / target).exists()]
    assert broken == []


def test_files_that_a_message_points_to_exist() -> None:
    for file in (ROOT / "src").rglob("*.py"):
        for target in re.findall(r"docs/[a-z/-]+\.md", file.read_text()):
            assert (ROOT / target).exists(), f"{file.name} points to {target}"
