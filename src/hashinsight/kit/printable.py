"""Text that steers no terminal: what is not printable is written as JSON would write it."""

import json
import logging


def printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def printable_lines(text: str) -> str:
    """Lines that stay lines, marked as belonging to the one above: none of them can pass for an entry of its own."""
    return "\n".join(f"  | {printable(line)}" for line in text.split("\n"))


class PrintableFormatter(logging.Formatter):
    """For logs of the standard library: one entry is one line, and the lines of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        entry, *trace = super().format(record).split("\nTraceback (most recent call last):\n", 1)
        written = printable(entry)
        return written + "\n" + printable_lines(f"Traceback (most recent call last):\n{trace[0]}") if trace else written
