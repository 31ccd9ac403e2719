"""Runs main.py and tells, on standard error when it ends, how often which line followed which.

The report is one line of text, see builders/quality/coverage.py.
"""

import atexit
import os
import sys
import threading
import types


def _run() -> None:
    counts: dict[int, int] = {}
    before = 0

    def trace(frame: types.FrameType, event: str, _: object) -> object:
        nonlocal before
        # What belongs to the standard library runs untraced.
        if frame.f_code.co_filename != "main.py":
            return None
        here = frame.f_lineno
        edge = (31 * before ^ here) & 0xFFFF
        counts[edge] = counts.get(edge, 0) + 1
        before = here
        return trace

    def report() -> None:
        sys.settrace(None)
        text = "\nvenus-coverage" + "".join(f" {edge}:{count}" for edge, count in sorted(counts.items())) + "\n"
        os.write(2, text.encode())

    # Registered first, so it comes last.
    atexit.register(report)
    with open("main.py", encoding="utf-8") as file:
        code = compile(file.read(), "main.py", "exec")
    module = types.ModuleType("__main__")
    module.__file__ = "main.py"
    sys.modules["__main__"], sys.argv = module, ["main.py"]
    # Programs that recurse deeply do so in a thread with a larger stack.
    threading.settrace(trace)
    sys.settrace(trace)
    exec(code, module.__dict__)


_run()
