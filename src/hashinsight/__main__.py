"""The program's entry: runs a command, and turns a refusal into one sentence and an exit code."""

import gc
import sys

# Modules that are being loaded make no garbage: looking for it every 700 objects took a tenth of each start.
gc.set_threshold(20_000, 20, 20)

from hashinsight.cli import app  # noqa: E402 - the threshold comes first
from hashinsight.kit.errors import EXIT_REFUSED, OperatorError  # noqa: E402


def main() -> None:
    try:
        app()
    except OperatorError as refusal:
        sys.stderr.write(f"hashinsight: {refusal}\n")
        sys.exit(EXIT_REFUSED)
    finally:
        gc.freeze()  # the interpreter's last look for garbage took up to half a second of each end


if __name__ == "__main__":
    main()
