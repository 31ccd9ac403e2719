"""Runs main.py on many inputs, each in a fork of this process, and counts the edges between lines.

Starting Python and loading modules takes longer than most inputs, so it is done once. Standard input has a line of JSON
(trace, wall_s, cpu_s, and sizes: the bytes of each input), then the inputs. For each input, standard output gets a line
of JSON (status, cpu_ns, and the sizes of the two parts that follow), the output of the program, and its edges; see
builders/quality/coverage.py. A program could forge its report, but only the selection of inputs depends on it.
"""

import ast
import contextlib
import importlib
import json
import math
import os
import resource
import signal
import sys
import threading
import types

MASK = 0xFFFF
MAX_EVENTS = 50_000  # traced lines of a run: longer loops show nothing new, and tracing is slow
TRACED = "solution.py" if os.path.exists("solution.py") else "main.py"
PATIENCE = 3  # inputs that exceed a limit before this process ends: the caller asks for no more


def load(source: str) -> None:
    """Import the modules in the top-level imports of the program."""
    for node in ast.parse(source).body:
        names = (
            [alias.name for alias in getattr(node, "names", ())]
            if isinstance(node, ast.Import)
            else []
        )
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            # The program reports a missing module itself.
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def start_trace(report: int) -> None:
    """Count edges from now on; `tell` writes them to the file `report` at the end of the program."""
    counts: dict[int, int] = {}
    before = 0
    events = 0

    def trace(frame: types.FrameType, event: str, _: object) -> object:
        nonlocal before, events
        # Modules and the runner of a function are not traced.
        if frame.f_code.co_filename != TRACED:
            return None
        here = frame.f_lineno
        edge = (31 * before ^ here) & MASK
        counts[edge] = counts.get(edge, 0) + 1
        before = here
        events += 1
        if events > MAX_EVENTS:
            threading.settrace(None)
            sys.settrace(None)
            return None
        return trace

    def tell() -> None:
        sys.settrace(None)
        os.write(report, " ".join(f"{edge}:{count}" for edge, count in counts.items()).encode())

    globals()["tell"] = tell
    # Deeply recursive programs run in a thread with a larger stack.
    threading.settrace(trace)
    sys.settrace(trace)


def tell() -> None:
    """Do nothing: `start_trace` replaces this function."""


def run(code: types.CodeType, question: dict[str, float], files: list[int]) -> None:
    """Run the program in this forked process, and exit with its status."""
    stdin, stdout, report = files
    for number, file in enumerate((stdin, stdout, os.open(os.devnull, os.O_WRONLY))):
        os.dup2(file, number)
    seconds = math.ceil(question["cpu_s"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    module = types.ModuleType("__main__")
    module.__file__ = "main.py"
    sys.modules["__main__"], sys.argv = module, ["main.py"]
    status = 0
    if question["trace"]:
        start_trace(report)
    try:
        exec(code, module.__dict__)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        status = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    tell()
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    os._exit(status & 0xFF)


def read_bytes(size: int) -> bytes:
    """Read `size` bytes of standard input."""
    data = b""
    while len(data) < size and (more := os.read(0, size - len(data))):
        data += more
    return data


def content(file: int) -> bytes:
    """Return the whole content of a file."""
    with os.fdopen(file, "rb") as opened:
        opened.seek(0)
        return opened.read()


def main() -> None:
    """Answer all inputs."""
    line = b""
    while not line.endswith(b"\n") and (more := os.read(0, 1)):
        line += more
    question = json.loads(line)
    with open("main.py", encoding="utf-8") as file:
        source = file.read()
    code = compile(source, "main.py", "exec")
    load(source)
    late = 0
    for size in question["sizes"]:
        if late == PATIENCE:
            return
        files = [os.memfd_create(name) for name in ("stdin", "stdout", "report")]
        os.write(files[0], read_bytes(size))
        os.lseek(files[0], 0, os.SEEK_SET)
        child = os.fork()
        if not child:
            run(code, question, files)
        signal.signal(signal.SIGALRM, lambda *_, child=child: os.kill(child, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, question["wall_s"])
        _, status, used = os.wait4(child, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        stdout, report = content(files[1]), content(files[2])
        os.close(files[0])
        cpu_ns = int(1e9 * (used.ru_utime + used.ru_stime))
        head = {"status": status, "cpu_ns": cpu_ns, "stdout": len(stdout), "report": len(report)}
        answer = json.dumps(head).encode() + b"\n" + stdout + report
        while answer:
            answer = answer[os.write(1, answer) :]
        late += status & 0x7F in (signal.SIGKILL, signal.SIGXCPU)


main()
