"""A small Debian or Ubuntu system in a folder, made from this machine's own package sources: root, and debootstrap."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from venus_toolkit.errors import MachineError

# Services must not start in there, dpkg need not wait for the disk, and nobody reads the manuals.
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


class Source(NamedTuple):
    """A line of sources.list: site, suite, components."""

    site: str
    suite: str
    components: tuple[str, ...]


def bootstrap(root: Path) -> Path:
    """Make a minimal system of this machine's release in the new folder `root`; returns it.

    Raises:
        MachineError: This is not root on Debian or Ubuntu with debootstrap, or a package cannot be fetched.
    """
    codename = _require()
    sources = package_sources(codename)
    main = next((source for source in sources if source.suite == codename), None)
    if main is None:
        raise MachineError(
            "a base system cannot be made", f"this machine has no package source for {codename}", "see sources.list(5)"
        )
    words = [*ALONE, "debootstrap", "--variant=minbase", f"--components={','.join(main.components)}"]
    words += ["--include=ca-certificates"] if main.site.startswith("https") else []
    _run([*words, codename, str(root), main.site], "a base system cannot be made")
    lines = [f"deb {source.site} {source.suite} {' '.join(source.components)}\n" for source in sources]
    (root / "etc/apt/sources.list").write_text("".join(lines))
    for name, text in {**FILES, "etc/apt/apt.conf.d/proxy": _proxies()}.items():
        (root / name).write_text(text)
        (root / name).chmod(0o755 if text.startswith("#!") else 0o644)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    _inside(root, UPDATE, (), "the package lists cannot be fetched")
    return root


def install(base: Path, root: Path, packages: Sequence[str]) -> Path:
    """Make a copy of the system in `base` in the new folder `root` with `packages` installed; returns it.

    Raises:
        MachineError: A package is missing or does not install.
    """
    _run(["cp", "-a", "--reflink=auto", str(base), str(root)], "a system cannot be copied")
    _inside(root, INSTALL, packages, "packages cannot be installed")
    return root


def _inside(root: Path, script: str, arguments: Sequence[str], what: str) -> None:
    """Run a shell script in a system."""
    words = [*ALONE, f"--mount-proc={root}/proc", "env", "DEBIAN_FRONTEND=noninteractive"]
    _run([*words, "chroot", str(root), "/bin/sh", "-c", script, "sh", *arguments], what)


@contextmanager
def packed(root: Path) -> Iterator[IO[bytes]]:
    """Give the files below `root` as a tar archive.

    Raises:
        MachineError: They cannot be packed.
    """
    words = ["tar", "-C", str(root), "--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "-c", "."]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise MachineError("a system cannot be packed", f"tar ended with {process.returncode}")


def remove(root: Path) -> None:
    """Remove a system."""
    shutil.rmtree(root)


# ------------------------------------------------------------------ this machine


def _require() -> str:
    """Return the code name of this machine's release if a system can be made from it."""
    codename = _release().get("VERSION_CODENAME", "")
    missing = [name for name in NEEDED if not shutil.which(name)]
    what = "images cannot be made from Debian packages"
    if not codename or not shutil.which("apt-get"):
        raise MachineError(what, "this is not Debian or Ubuntu", "type: venus images build, where a registry answers")
    if os.geteuid() != 0:
        raise MachineError(what, "only root can make a system in a folder", "type it again with sudo")
    if missing:
        raise MachineError(what, f"{', '.join(missing)} not found", "type: apt-get install debootstrap")
    return codename


def _release() -> dict[str, str]:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}


def package_sources(codename: str) -> list[Source]:
    """Return this machine's package sources of the release `codename`, its updates and its security fixes."""
    targets = ["apt-get", "indextargets", "--format", "$(SITE)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages"]
    listed = subprocess.run(targets, capture_output=True, text=True, check=False).stdout.split()
    return parse_sources(listed, codename)


def parse_sources(lines: Sequence[str], codename: str) -> list[Source]:
    """Return the sources among lines of ``site|suite|component``, the components of each suite together."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        site, _, rest = line.partition("|")
        suite, _, component = rest.partition("|")
        if suite in (codename, f"{codename}-updates", f"{codename}-security"):
            components = found.setdefault((site, suite), [])
            components += [component] if component not in components else []
    return [Source(site, suite, tuple(components)) for (site, suite), components in found.items()]


def _proxies() -> str:
    """Return the lines of apt's configuration that say which proxy to use; environment variables reach apt anyway."""
    said = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=False).stdout
    return "".join(line + "\n" for line in said.splitlines() if "proxy" in line.lower())


def _run(words: Sequence[str], what: str) -> None:
    """Run a command that dies with us, also where we are killed."""
    done = subprocess.run([*WITH_US, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise MachineError(what, " / ".join(said) or f"{words[0]} ended with {done.returncode}")
