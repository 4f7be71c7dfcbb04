"""Structured logs: one line per event, with process and request id, scrubbed last."""

import json
import logging
import os
import sys
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from hashinsight.kit.printable import printable, printable_lines
from hashinsight.kit.scrub import scrub
from hashinsight.kit.settings import Settings

_NOISY = (
    "uvicorn.access",
    "uvicorn.error",
    "apscheduler.executors.default",
    "apscheduler.scheduler",
    "rq.worker",
    "alembic",
    "httpx",  # logs whole addresses, and a webhook address is a secret
)


def configure_logs(settings: Settings, process: str, stream: TextIO | None = None) -> None:
    """Route structlog's and the standard library's events the same way; call once, early, in each process."""
    stream = stream or sys.stderr
    as_text = settings.log_format == "text" or (settings.log_format == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _process(process),
        structlog.processors.format_exc_info,
        scrub_event,
    ]
    to_people = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback, pad_event_to=22
    )
    to_machines = structlog.processors.JSONRenderer(serializer=_as_json)
    renderers: list[Processor] = [_for_people, to_people] if as_text else [to_machines]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,  # before any other processing
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level)
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def scrub_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    # keys with an underscore are structlog's own and never printed
    return {name: item if name.startswith("_") else scrub(item, name) for name, item in event.items()}


def _for_people(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """For a terminal: short times, and control characters of foreign text escaped."""
    event["timestamp"] = str(event.get("timestamp", ""))[11:19]
    for name in ("logger", "pid", "request_id"):
        event.pop(name, None)
    for name, item in event.items():
        if isinstance(item, str):
            event[name] = printable_lines(item) if name == "exception" else printable(item)
    return event


def _as_json(event: Any, **options: Any) -> str:
    """JSON escapes only ASCII control characters; other control characters and text directions are escaped here."""
    return printable(json.dumps(event, ensure_ascii=False, **options))


def _process(name: str) -> Processor:
    def add(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["process"] = name
        event["pid"] = os.getpid()
        return event

    return add
