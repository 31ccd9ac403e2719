"""The command ``venus``, and ``python -m venus_toolkit``.

It prints no traceback when it is interrupted, however early or late.
"""

import signal


def main() -> None:
    """Run the command line."""
    # While modules are loading and while the interpreter shuts down, there is no work to stop, so
    # the signal just ends the process.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from venus_toolkit.cli import main

    main()


if __name__ == "__main__":
    main()
