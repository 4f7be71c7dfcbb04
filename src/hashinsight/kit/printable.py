"""Text that cannot control a terminal: unprintable characters are escaped as in JSON."""

import json
import logging


def printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def printable_lines(text: str) -> str:
    """Keeps line breaks; continuation lines are marked, so that none can pass for a log entry of its own."""
    return "\n".join(f"  | {printable(line)}" for line in text.split("\n"))


class PrintableFormatter(logging.Formatter):
    """For standard library logs: one line per entry, plus the lines of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        entry, *trace = super().format(record).split("\nTraceback (most recent call last):\n", 1)
        written = printable(entry)
        return written + "\n" + printable_lines(f"Traceback (most recent call last):\n{trace[0]}") if trace else written
