"""Builds a small Debian or Ubuntu system in a folder from this machine's own package sources.

It needs root and debootstrap; a MachineError names a missing package or privilege.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.interruption import run_tool
from venus_toolkit.core.store import read_lines

# Services must not start in the system; dpkg need not wait for the disk or unpack manuals.
FILES = {
    "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
    "etc/dpkg/dpkg.cfg.d/venus": "force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/locale/*\n",
    "etc/apt/apt.conf.d/venus": 'APT::Install-Recommends "false";\nAPT::Install-Suggests "false";\n',
}
UPDATE = """
set -e
apt-get -qq update
apt-get -qq -y -o Dpkg::Use-Pty=0 upgrade
"""
INSTALL = """
set -e
apt-get -qq -y -o Dpkg::Use-Pty=0 install "$@"
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /tmp/* /usr/sbin/policy-rc.d /etc/resolv.conf
mkdir -p /work /build
"""
NEEDED = ("debootstrap", "unshare", "setpriv", "chroot", "tar")

# Own namespaces, so that no mount and no process can remain after a failure.
NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")


class PackageSource(NamedTuple):
    """A line of sources.list."""

    site: str
    suite: str
    components: tuple[str, ...]


def bootstrap(root: Path) -> Path:
    """Make a minimal system of this machine's release in the new folder `root`, and return it."""
    codename = _require()
    sources = package_sources(codename)
    main = next((source for source in sources if source.suite == codename), None)
    if main is None:
        reason = f"this machine has no package source for {codename}"
        raise MachineError("the base system cannot be built", reason, "see sources.list(5)")
    argv = [
        *NAMESPACES,
        "debootstrap",
        "--variant=minbase",
        f"--components={','.join(main.components)}",
    ]
    argv += ["--include=ca-certificates"] if main.site.startswith("https") else []
    _run([*argv, codename, str(root), main.site], "the base system cannot be built")
    lines = [
        f"deb {source.site} {source.suite} {' '.join(source.components)}\n" for source in sources
    ]
    (root / "etc/apt/sources.list").write_text("".join(lines))
    # Proxies from this machine's apt settings; those in environment variables are inherited.
    settings = _output_of(["apt-config", "dump", "Acquire"]).splitlines()
    proxies = "".join(f"{line}\n" for line in settings if "proxy" in line.lower())
    for name, text in {**FILES, "etc/apt/apt.conf.d/proxy": proxies}.items():
        (root / name).write_text(text)
        (root / name).chmod(0o755 if text.startswith("#!") else 0o644)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    _inside(root, UPDATE, (), "the package lists cannot be fetched")
    return root


def install(base: Path, root: Path, packages: Sequence[str]) -> Path:
    """Copy the system in `base` to the new folder `root`, install `packages`, and return `root`."""
    # The copy shares blocks on file systems that support it.
    _run(["cp", "-a", "--reflink=auto", str(base), str(root)], "a system cannot be copied")
    _inside(root, INSTALL, packages, "packages cannot be installed")
    return root


def _inside(root: Path, script: str, arguments: Sequence[str], failure: str) -> None:
    """Run a shell script in a system; `failure` begins the message of an error."""
    argv = [*NAMESPACES, f"--mount-proc={root}/proc", "env", "DEBIAN_FRONTEND=noninteractive"]
    _run([*argv, "chroot", str(root), "/bin/sh", "-c", script, "sh", *arguments], failure)


@contextmanager
def packed(root: Path) -> Iterator[IO[bytes]]:
    """Yield the files below `root` as a tar archive."""
    argv = [
        "tar",
        "-C",
        str(root),
        "--exclude=./dev/*",
        "--exclude=./proc/*",
        "--exclude=./sys/*",
        "-c",
        ".",
    ]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise MachineError("a system cannot be packed", f"tar ended with {process.returncode}")


def _require() -> str:
    """Return the code name of this machine's release."""
    lines = (line.partition("=") for line in read_lines("/etc/os-release"))
    values = {name: value.strip('"') for name, _, value in lines}
    codename = values.get("VERSION_CODENAME", "")
    missing = [name for name in NEEDED if not shutil.which(name)]
    failure = "images cannot be built from Debian packages"
    if not codename or not shutil.which("apt-get"):
        raise MachineError(
            failure,
            "this is not Debian or Ubuntu",
            "type: venus images build, where a registry answers",
        )
    if os.geteuid() != 0:
        raise MachineError(failure, "debootstrap needs root", "type it again with sudo")
    if missing:
        raise MachineError(
            failure, f"{', '.join(missing)} not found", "type: apt-get install debootstrap"
        )
    return codename


def package_sources(codename: str) -> list[PackageSource]:
    """Return this machine's package sources of a release, with its updates and security fixes."""
    targets = [
        "apt-get",
        "indextargets",
        "--format",
        "$(SITE)|$(RELEASE)|$(COMPONENT)",
        "Created-By: Packages",
    ]
    return parse_sources(_output_of(targets).split(), codename)


def parse_sources(lines: Sequence[str], codename: str) -> list[PackageSource]:
    """Parse lines of ``site|suite|component``, and merge the components of each suite."""
    suites: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        site, _, rest = line.partition("|")
        suite, _, component = rest.partition("|")
        if suite in (codename, f"{codename}-updates", f"{codename}-security"):
            components = suites.setdefault((site, suite), [])
            components += [component] if component not in components else []
    return [
        PackageSource(site, suite, tuple(components))
        for (site, suite), components in suites.items()
    ]


def _output_of(argv: Sequence[str]) -> str:
    return run_tool(argv).stdout


def _run(argv: Sequence[str], failure: str) -> None:
    """Run a command that ends with this process, even if this one is killed."""
    process = run_tool([*DIE_WITH_PARENT, *argv])
    if process.returncode:
        # Commands print the reason last.
        reason = (process.stderr.strip() or process.stdout.strip()).splitlines()[-3:]
        raise MachineError(
            failure, " / ".join(reason) or f"{argv[0]} ended with {process.returncode}"
        )
