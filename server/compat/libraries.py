"""Libraries that clients name beside a program: nothing is ever installed, but what is lacking is said.

A program runs whatever it names. Where it then fails, names are looked up by a program of ours in the same sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

from venus_toolkit.server.jobs import Job, JobResult
from venus_toolkit.server.service import Service

MOST = 64
REMEMBERED = 512
PROBES = {"python": "python.py.txt", "javascript": "javascript.js.txt", "ruby": "ruby.rb.txt"}
NAME = re.compile(r"[@\w][\w./@-]*")


class Libraries:
    """Says which libraries a language lacks; asks the sandbox once for each set of names."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}

    async def remark(self, result: JobResult, named: Sequence[str]) -> str:
        """Return what to say of the libraries that a program named which did not end well; "" if there is nothing."""
        names = tuple(dict.fromkeys(found.group() for each in named[:MOST] if (found := NAME.match(each.strip()))))
        if not names:
            return ""
        lacking = await self._lacking(result.language, names)
        if not lacking:
            return ""
        there = [name for name in names if name not in lacking]
        also = f"; installed are {', '.join(there)}" if there else ""
        return f"this server installs no libraries: {', '.join(lacking)} not found{also}"

    async def _lacking(self, language: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return those that are not there: all of them, where a language has nothing but its standard library."""
        if language not in PROBES:
            return names
        key = (language, names)
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = await self._ask(language, names)
        return self._known[key]

    async def _ask(self, language: str, names: tuple[str, ...]) -> tuple[str, ...]:
        probe = (resources.files("venus_toolkit.server.compat") / "probes" / PROBES[language]).read_text()
        job_id = await self._service.submit(Job(language, probe, ("\n".join(names) + "\n",)))
        result = await self._service.wait(job_id)
        there = result.runs[0].stdout.decode("utf-8", "replace").split() if result.runs else []
        return tuple(name for name in names if name not in there)
