"""What the options of an ``hf/…`` name ask for, and whether this machine has it."""

from __future__ import annotations

import contextlib
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry.errors import UndecodableError, UnknownNameError, UsageError, shown
from audiometry.files import extras, foreign
from audiometry.models.settings import NameOptions, split_options

DTYPES: Final = ("auto", "bfloat16", "float16", "float32")
BATCH: Final = 8
MOST: Final = 1024
CONFIG_OF_ADAPTER: Final = "adapter_config.json"
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,3})?")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A local model as it was asked for.

    Attributes:
        name: as the user wrote it, without options: ``hf/Qwen/Qwen2-Audio-7B-Instruct``.
        source: a hub name or a folder, as transformers takes it.
        local: whether it is a folder.
        dtype: of the weights; ``auto``: as they are stored.
        device: where it computes; ``auto``: CUDA, else Apple's GPU, else the CPU.
        batch: the most prompts answered together.
        revision: branch, tag or commit of a hub name; None: the main one.
    """

    name: str
    source: str
    local: bool
    dtype: str = "auto"
    device: str = "auto"
    batch: int = BATCH
    revision: str | None = None


def read(name: str) -> Wanted:
    """The parts of an ``hf/…`` name.

    Raises:
        UsageError: an option is unknown or wrong, or a package that is needed is not installed.
    """
    bare, options = split_options(name)
    options.allow("dtype", "device", "batch", "revision")
    need(bare)
    dtype, device = options.get("dtype", "auto"), options.get("device", "auto")
    if dtype not in DTYPES:
        raise UnknownNameError("dtype", dtype, DTYPES)
    if not _DEVICE.fullmatch(device):
        raise UnknownNameError("device", device, ("auto", "cpu", "cuda", "cuda:0", "mps"))
    source, local = _source(bare)
    return Wanted(
        name=bare,
        source=source,
        local=local,
        dtype=dtype,
        device=device,
        batch=_whole(options, "batch", BATCH, bare),
        revision=options.get("revision") or None,
    )


def need(name: str) -> None:
    """See that torch and transformers are there, without importing them.

    Raises:
        UsageError: one is missing.
    """
    missing = [package for package in ("torch", "transformers") if not installed(package)]
    if missing:
        raise UsageError(
            f"model '{name}' needs {' and '.join(missing)}, not installed here; run: "
            f"{extras.install('hf', 'torch')} (the build of torch that fits your GPU, or the CPU)"
        )


def installed(package: str) -> bool:
    """Whether a package is there; it is not imported."""
    return find_spec(package) is not None


def device(wanted: Wanted) -> str:
    """The device that will be computed on, by torch's name.

    Raises:
        UsageError: it is not there, or does not compute in the dtype.
    """
    import torch  # pyright: ignore[reportMissingImports]  # in an extra

    if wanted.device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    if wanted.device == "mps" and not torch.backends.mps.is_available():
        raise UsageError(f"device=mps: this torch ({torch.__version__}) finds no Apple GPU; try ?device=cpu")
    if wanted.device.startswith("cuda"):
        _see_cuda(wanted, torch)
    return wanted.device


def _see_cuda(wanted: Wanted, torch: Any) -> None:
    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not there:
        raise UsageError(
            f"device={wanted.device}: this torch ({torch.__version__}) finds no CUDA GPU; "
            "install a build for your driver, or use ?device=cpu"
        )
    number = int(wanted.device.partition(":")[2] or 0)
    if number >= there:
        raise UsageError(f"device={wanted.device}: there are {there} CUDA GPUs, the last is cuda:{there - 1}")
    if wanted.dtype == "bfloat16" and not torch.cuda.is_bf16_supported():
        raise UsageError(f"device={wanted.device} does not compute in bfloat16; use ?dtype=float16")


def _source(name: str) -> tuple[str, bool]:
    """The folder or hub name behind a model name, and whether it is a folder."""
    rest = name.partition("/")[2]
    path = Path(rest).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            if (adapter := path / CONFIG_OF_ADAPTER).is_file():
                raise UsageError(adapter_alone(name, adapter))
            raise UsageError(
                f"model '{name}': the folder {shown(str(path), 200)} has no config.json; "
                "give the folder that save_pretrained wrote"
            )
        return str(path), True
    if rest.startswith((".", "/", "~")) or not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", rest):
        raise UsageError(
            f"model '{shown(name, 200)}': there is no such folder, and it is no name on the hub (OWNER/NAME)"
        )
    return rest, False


def adapter_alone(name: str, path: Path | None = None) -> str:
    """What to say of an adapter without its model.

    Args:
        name: of the model that was asked for.
        path: of the adapter's config, where it is known.
    """
    base = ""
    if path is not None:
        with contextlib.suppress(UndecodableError):
            base = str(foreign.read_json(path, dict[str, Any]).get("base_model_name_or_path") or "")
    return (
        f"model '{name}' is an adapter alone{f', of {shown(base, 100)}' if base else ''}; put its files into a folder "
        "with all files of that model, or merge the two (peft's merge_and_unload), and give the folder"
    )


def _whole(options: NameOptions, key: str, default: int, name: str) -> int:
    number = options.number(key, default=default, low=1, high=MOST)
    if number != int(number):
        raise UsageError(f"model '{name}': {key}={options[key]} is not a whole number")
    return int(number)
