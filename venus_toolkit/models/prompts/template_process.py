"""Renders users' templates in a separate process with limits on time and memory.

A request is a line of JSON on standard input (``folders``, ``fence``, ``name``, ``values``), its
reply a line on standard output (``text`` or ``error``). The process exits at the end of its input.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import MIB

if TYPE_CHECKING:
    import jinja2

CPU_S = 2  # for one template, which normally takes about a millisecond
MEMORY_BYTES = 512 * MIB
MAX_CHARACTERS = 4 * MIB


@cache
def make_prompt_environment(folders: tuple[Path, ...], fence: str) -> jinja2.Environment:
    """Return the environment of prompts, which fences code as blocks marked `fence`."""
    from venus_toolkit.core.untrusted.templates import make_environment
    from venus_toolkit.models.markdown import plain_block

    # A misspelt placeholder in a user's template is an error, not an empty text.
    environment = make_environment(
        *folders, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    # Fences are longer than any in the text, so that a model's code cannot end its block and become
    # instructions.
    environment.filters["fenced"] = lambda code: plain_block(code, fence)
    environment.filters["as_text"] = plain_block
    return environment


class TemplateProcess:
    """The process; started at the first request, and restarted after a template ended it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def render(
        self, folders: Sequence[Path], fence: str, name: str, values: Mapping[str, Any]
    ) -> str:
        """Return a template filled with values.

        Raises:
            UsageError: The template has an error, or exceeds the limits.
        """
        request = {
            "folders": [str(folder.resolve()) for folder in folders],
            "fence": fence,
            "name": name,
        }
        line = json.dumps({**request, "values": values}).encode() + b"\n"
        with self._lock:
            if self._process and self._process.poll() is not None:
                self._end()  # something else ended it, so it says nothing about this template
            process = self._process = self._process or self._start()
            assert process.stdin
            assert process.stdout
            try:
                process.stdin.write(line)
                process.stdin.flush()
                answer = process.stdout.readline()
            except BrokenPipeError:
                answer = b""
            except BaseException:
                self._end()  # otherwise the next request would get the reply to this one
                raise
            if not answer.endswith(b"\n"):
                self._end()
        limits = f"it took more than {CPU_S} s or {MEMORY_BYTES // MIB} MiB"
        reply = json.loads(answer) if answer.endswith(b"\n") else {"error": limits}
        if "error" in reply:
            problem = f"the template {name} of {folders[0]} cannot be rendered"
            raise UsageError(problem, reply["error"], "correct the template; see docs/optimize.md")
        return str(reply["text"])

    def _start(self) -> subprocess.Popen[bytes]:
        # -P: no imports from the working folder, which is not trusted.
        argv = [sys.executable, "-P", "-m", __name__]
        # The template must not see tokens in the environment.
        own = {
            name: os.environ[name]
            for name in ("PYTHONPATH", "LANG", "LC_ALL")
            if name in os.environ
        }
        return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=own)

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None


@cache
def template_process(_process_id: int) -> TemplateProcess:
    """Return the template process of this process; a forked process gets its own."""
    return TemplateProcess()


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The kernel sends SIGXCPU, which ends the process, at whole seconds.
        seconds = math.ceil(used.ru_utime + used.ru_stime) + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        try:
            environment = make_prompt_environment(
                tuple(map(Path, asked["folders"])), asked["fence"]
            )
            text = environment.get_template(asked["name"]).render(asked["values"])
            answer = {"text": text}
            if len(text) > MAX_CHARACTERS:
                answer = {"error": f"its text has more than {MAX_CHARACTERS} characters"}
        except MemoryError:
            answer = {"error": f"it took more than {MEMORY_BYTES // MIB} MiB"}
        # whatever a template raises is reported as its error
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".split("\n")[0][:1000]}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
