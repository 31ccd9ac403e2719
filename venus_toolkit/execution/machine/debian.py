"""A small Debian or Ubuntu system in a folder, made from this machine's own package sources.

Root, and debootstrap.

What is missing here, a package or a right, is a MachineError that says so.
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

# Services must not start in there, dpkg need not wait for the disk, and manuals are not needed.
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

# In namespaces of its own: whatever happens, nothing stays mounted and no process stays behind.
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
WITH_US = ("setpriv", "--pdeathsig", "KILL")


class PackageSource(NamedTuple):
    """A line of sources.list."""

    site: str
    suite: str
    components: tuple[str, ...]


def bootstrap(root: Path) -> Path:
    """Make a minimal system of this machine's release in the new folder `root`; returns it."""
    codename = _require()
    sources = package_sources(codename)
    main = next((source for source in sources if source.suite == codename), None)
    if main is None:
        why = f"this machine has no package source for {codename}"
        raise MachineError("the base system cannot be built", why, "see sources.list(5)")
    argv = [*ALONE, "debootstrap", "--variant=minbase", f"--components={','.join(main.components)}"]
    argv += ["--include=ca-certificates"] if main.site.startswith("https") else []
    _run([*argv, codename, str(root), main.site], "the base system cannot be built")
    lines = [
        f"deb {source.site} {source.suite} {' '.join(source.components)}\n" for source in sources
    ]
    (root / "etc/apt/sources.list").write_text("".join(lines))
    # What apt is told here of proxies; environment variables reach it anyway.
    settings = _said(["apt-config", "dump", "Acquire"]).splitlines()
    proxies = "".join(f"{line}\n" for line in settings if "proxy" in line.lower())
    for name, text in {**FILES, "etc/apt/apt.conf.d/proxy": proxies}.items():
        (root / name).write_text(text)
        (root / name).chmod(0o755 if text.startswith("#!") else 0o644)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    _inside(root, UPDATE, (), "the package lists cannot be fetched")
    return root


def install(base: Path, root: Path, packages: Sequence[str]) -> Path:
    """Make a copy of the system in `base` in the new folder `root` with `packages` installed.

    Returns it.
    """
    # shares blocks if it can
    _run(["cp", "-a", "--reflink=auto", str(base), str(root)], "a system cannot be copied")
    _inside(root, INSTALL, packages, "packages cannot be installed")
    return root


def _inside(root: Path, script: str, arguments: Sequence[str], what: str) -> None:
    """Run a shell script in a system."""
    argv = [*ALONE, f"--mount-proc={root}/proc", "env", "DEBIAN_FRONTEND=noninteractive"]
    _run([*argv, "chroot", str(root), "/bin/sh", "-c", script, "sh", *arguments], what)


@contextmanager
def packed(root: Path) -> Iterator[IO[bytes]]:
    """Give the files below `root` as a tar archive."""
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
    what = "images cannot be built from Debian packages"
    if not codename or not shutil.which("apt-get"):
        raise MachineError(
            what,
            "this is not Debian or Ubuntu",
            "type: venus images build, where a registry answers",
        )
    if os.geteuid() != 0:
        raise MachineError(what, "debootstrap needs root", "type it again with sudo")
    if missing:
        raise MachineError(
            what, f"{', '.join(missing)} not found", "type: apt-get install debootstrap"
        )
    return codename


def package_sources(codename: str) -> list[PackageSource]:
    """Return this machine's package sources of the release `codename`, its updates and its security fixes."""
    targets = [
        "apt-get",
        "indextargets",
        "--format",
        "$(SITE)|$(RELEASE)|$(COMPONENT)",
        "Created-By: Packages",
    ]
    return parse_sources(_said(targets).split(), codename)


def parse_sources(lines: Sequence[str], codename: str) -> list[PackageSource]:
    """Return the sources among lines of ``site|suite|component``, the components of each suite together."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        site, _, rest = line.partition("|")
        suite, _, component = rest.partition("|")
        if suite in (codename, f"{codename}-updates", f"{codename}-security"):
            components = found.setdefault((site, suite), [])
            components += [component] if component not in components else []
    return [
        PackageSource(site, suite, tuple(components)) for (site, suite), components in found.items()
    ]


def _said(argv: Sequence[str]) -> str:
    return run_tool(argv).stdout


def _run(argv: Sequence[str], what: str) -> None:
    """Run a command that ends with this process, even where this one is killed."""
    done = run_tool([*WITH_US, *argv])
    if done.returncode:
        # the reason stands at the end
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise MachineError(what, " / ".join(said) or f"{argv[0]} ended with {done.returncode}")
