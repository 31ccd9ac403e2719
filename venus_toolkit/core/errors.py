"""The exceptions of the toolkit and the exit codes of its commands.

    VenusError
    ├── UsageError              the request makes no sense; exit 2
    │   ├── LanguageError       no such language, or its folder is not as documented
    │   ├── SignatureError      a signature cannot be read, or has an unsupported type
    │   ├── SourceError         a problem folder or data set is not as documented
    │   └── ReleaseError        a folder is not a release, or its files differ from its manifest
    ├── RefusedError            a release was checked and must not be published; exit 1
    ├── TrainingError           training diverged: its loss is not a number; exit 1
    └── MachineError            this machine cannot do it; exit 3
        ├── ToolchainError      a compiler or runtime is missing or broken
        ├── SandboxError        the sandbox failed; never a verdict on a program
        ├── StoreError          the output folder cannot be read, written or locked
        └── HubError            the Hub cannot be reached, or refuses a request
            └── ConflictError   another release was published meanwhile; nothing was overwritten

Exit codes: 0 done, 1 judged and failed, 2 usage, 3 this machine. Every message has three parts:
what happened, why, and what to type.
"""

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_MACHINE = 3


class VenusError(Exception):
    """The base class of all errors that the toolkit raises on purpose.

    Args:
        what: What happened: a sentence without its full stop.
        why: The reason, if known.
        fix: What to type or change.
    """

    exit_code = EXIT_MACHINE

    def __init__(self, what: str, why: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.fix = fix

    def __str__(self) -> str:
        """Return the three parts as one short text."""
        head = f"{self.what}: {self.why}" if self.why else self.what
        return f"{head}\n{self.fix}" if self.fix else head


class UsageError(VenusError):
    """The request makes no sense."""

    exit_code = EXIT_USAGE


class LanguageError(UsageError):
    """No such language, or its folder is not as documented."""


class SignatureError(UsageError):
    """A signature cannot be read, or has an unsupported type."""


class SourceError(UsageError):
    """A problem folder or data set is not as documented."""


class ReleaseError(UsageError):
    """A folder is not a release, or its files differ from its manifest."""


class RefusedError(VenusError):
    """A release was checked and must not be published."""

    exit_code = EXIT_FAILED


class TrainingError(VenusError):
    """Training diverged: its loss is not a number."""

    exit_code = EXIT_FAILED


class MachineError(VenusError):
    """This machine cannot do the requested work."""


class ToolchainError(MachineError):
    """A compiler or runtime is missing or broken."""


class SandboxError(MachineError):
    """The sandbox failed. This is never a verdict on a program."""


class StoreError(MachineError):
    """The output folder cannot be read, written or locked."""


class HubError(MachineError):
    """The Hub cannot be reached, or refuses a request."""


class ConflictError(HubError):
    """Another release was published meanwhile; nothing was overwritten."""
