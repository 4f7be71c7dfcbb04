"""The program's entry: runs a command, and turns a refusal into one sentence and an exit code."""

import sys

from hashinsight.cli import app
from hashinsight.kit.errors import EXIT_REFUSED, Refusal


def main() -> None:
    try:
        app()
    except Refusal as refusal:
        sys.stderr.write(f"hashinsight: {refusal}\n")
        sys.exit(EXIT_REFUSED)


if __name__ == "__main__":
    main()
