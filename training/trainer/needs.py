"""Estimates the memory per GPU and the hours that a recipe needs, by formulas, not measurements.

docs/train.md shows `paper_table()` and docs/environments.md `idle_table()`;
tests/training/test_needs.py checks that these copies are current. `venus train --dry-run` prints
`machine_table` for a recipe.

    memory = weights + gradients + optimiser + activations + logits (+ vLLM's share)
    hours  = FLOPs / (peak · utilisation · GPUs)  (+ roll-outs + rewards)

Every GPU holds the whole model (data parallel); a sharded run needs less. Activations are
recomputed: each layer keeps its input, and one layer at a time keeps its inner activations. Logits
are counted in bf16 and fp32 with their gradient, for all tokens at once: an upper bound, since TRL
splits them where it can. A forward pass takes 2 FLOPs for each weight and token, the recomputation
another 2, the gradient of activations another 2, and that of weights another 2, except with
adapters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from venus_toolkit.training.recipe import COLD_START, DPO, GRPO, SFT, Recipe, read_recipe

GIB = 1024**3


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The dimensions of a transformer, from its configuration."""

    name: str
    parameters: int
    layers: int
    hidden: int
    intermediate: int
    heads: int
    key_heads: int
    head_size: int
    vocabulary: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU by its data sheet: dense bf16 FLOP/s, memory bandwidth in bytes/s, memory in bytes."""

    name: str
    flops: float
    bandwidth: float
    memory_bytes: float


@dataclass(frozen=True, slots=True)
class Work:
    """The amount of training, and the assumed speed.

    Attributes:
        rows: Rows of the derived set.
        prompt_tokens: Mean length of a prompt, in tokens.
        answer_tokens: Mean length of an answer, in tokens.
        reward_s: Seconds to judge and measure the answers of one step of GRPO.
        utilisation: Share of a GPU's FLOP/s that training reaches.
        decoding: Share of a GPU's bandwidth that generation reaches.
    """

    rows: int
    prompt_tokens: int = 1000
    answer_tokens: int = 500
    reward_s: float = 60.0
    utilisation: float = 0.35
    decoding: float = 0.5


class Memory(NamedTuple):
    """Bytes on one GPU."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    vllm: float

    @property
    def total(self) -> float:
        """The sum of all parts."""
        return sum(self)


class Hours(NamedTuple):
    """Hours of wall time."""

    training: float
    roll_outs: float
    rewards: float

    @property
    def total(self) -> float:
        """The sum of all stages, which do not overlap."""
        return sum(self)


# By their data sheets; FLOP/s without sparsity.
GPUS = (
    Gpu("L40S 48 GB", 362e12, 0.864e12, 48e9),
    Gpu("A100 80 GB", 312e12, 2.04e12, 80e9),
    Gpu("H100 80 GB", 989e12, 3.35e12, 80e9),
    Gpu("H200 141 GB", 989e12, 4.8e12, 141e9),
)
QWEN_3B = ModelShape("Qwen2.5-3B", 3_085_938_688, 36, 2048, 11_008, 16, 2, 128, 151_936)
H100 = GPUS[2]
PAPER = {
    SFT: Work(58_833),
    DPO: Work(90_864),
    COLD_START: Work(2_071, answer_tokens=1500),
    GRPO: Work(984, answer_tokens=1500),
    f"{GRPO}-paper": Work(984, answer_tokens=1500),
}


def adapter_parameters(shape: ModelShape, rank: int) -> int:
    """Return the weights of adapters on all linear layers: rank · (inputs + outputs) of each.

    >>> adapter_parameters(QWEN_3B, 8)
    14966784
    """
    queries, keys = shape.heads * shape.head_size, shape.key_heads * shape.head_size
    attention = [
        (shape.hidden, queries),
        (shape.hidden, keys),
        (shape.hidden, keys),
        (queries, shape.hidden),
    ]
    mlp = [(shape.hidden, shape.intermediate)] * 2 + [(shape.intermediate, shape.hidden)]
    return shape.layers * rank * sum(inputs + outputs for inputs, outputs in attention + mlp)


def memory(recipe: Recipe, shape: ModelShape, gpu: Gpu) -> Memory:
    """Return the bytes that a recipe needs on each GPU, if every row has the maximum length.

    Args:
        recipe: The recipe; ``per_device_train_batch_size`` rows of ``max_length`` tokens are
            processed at once.
        shape: The shape of the model.
        gpu: The GPU; vLLM takes a share of it.
    """
    trained = adapter_parameters(shape, recipe.lora["r"]) if recipe.lora else shape.parameters
    sides = 2 if recipe.method == DPO else 1
    tokens = recipe.trl["per_device_train_batch_size"] * recipe.max_length * sides
    scored = (
        recipe.trl["per_device_train_batch_size"] * recipe.trl["max_completion_length"]
        if recipe.method == GRPO
        else tokens
    )
    inside = 2 * (8 * shape.hidden + 4 * shape.intermediate)
    return Memory(
        weights=2 * shape.parameters
        + 4 * trained,  # bf16 for computation, fp32 copies of trained weights
        gradients=4 * trained,
        optimizer=(2 if "8bit" in recipe.trl["optim"] else 8) * trained,
        activations=tokens * (2 * shape.hidden * shape.layers + inside),
        logits=scored * shape.vocabulary * (2 + 4 + 4),
        vllm=recipe.trl["vllm_gpu_memory_utilization"] * gpu.memory_bytes
        if recipe.method == GRPO
        else 0.0,
    )


def hours(recipe: Recipe, shape: ModelShape, gpu: Gpu, gpus: int, work: Work) -> Hours:
    """Return the wall time of a recipe; GRPO also generates answers and rewards them."""
    answers = recipe.trl["num_generations"] if recipe.method == GRPO else 1
    sides = 2 if recipe.method == DPO else 1
    rows = work.rows * recipe.trl["num_train_epochs"] * answers * sides
    tokens = rows * (work.prompt_tokens + work.answer_tokens)
    # DPO adds a forward pass of the initial model
    per_weight = 2 * (3 if recipe.lora else 4) + (2 if recipe.method == DPO else 0)
    training = tokens * per_weight * shape.parameters / (gpu.flops * work.utilisation * gpus)
    if recipe.method != GRPO:
        return Hours(training / 3600, 0.0, 0.0)
    steps = work.rows * recipe.trl["num_train_epochs"] * answers / recipe.step_rows
    # In a step's roll-outs, generating a token reads all weights, and keys and values of all answers.
    cache_bytes = 2 * 2 * shape.layers * shape.key_heads * shape.head_size
    read_bytes = 2 * shape.parameters + recipe.step_rows / gpus * cache_bytes * (
        work.prompt_tokens + work.answer_tokens / 2
    )
    roll_outs = steps * work.answer_tokens * read_bytes / (gpu.bandwidth * work.decoding)
    return Hours(training / 3600, roll_outs / 3600, steps * work.reward_s / 3600)


def idle(recipe: Recipe, shape: ModelShape, gpu: Gpu, gpus: int, work: Work) -> dict[str, float]:
    """Return the share of the time that GPUs wait for the rewards of GRPO.

    A service without GPUs computes the rewards. The share depends on the schedule:

    in turn      all answers of a step are generated, then rewarded, then learnt from, as in `GRPOTrainer`
    streamed     each group is rewarded when it is complete: all but the last while others are generated
    one behind   the next step's answers are generated meanwhile, with weights that are one step old

    >>> from venus_toolkit.training.recipe import read_recipe
    >>> busy = idle(read_recipe("grpo"), QWEN_3B, H100, 8, Work(984, answer_tokens=1500, reward_s=60.0))
    >>> {way: round(share, 2) for way, share in busy.items()}
    {'in turn': 0.74, 'streamed': 0.71, 'one behind': 0.66}
    """
    training, roll_outs, rewards = hours(recipe, shape, gpu, gpus, work)
    busy = training + roll_outs
    groups = recipe.step_rows // recipe.trl["num_generations"]
    steps = {
        "in turn": busy + rewards,
        "streamed": max(roll_outs, rewards * (1 - 1 / groups)) + rewards / groups + training,
        "one behind": max(busy, rewards),
    }
    return {way: 1 - busy / step for way, step in steps.items()}


def idle_table(
    gpu: Gpu = H100, shape: ModelShape = QWEN_3B, cores: tuple[int, ...] = (2, 8, 32, 128)
) -> str:
    """Return a Markdown table of the idle shares for the paper's set, shown in docs/environments.md."""
    ways = ("in turn", "streamed", "one behind")
    head = [
        "cores that reward",
        "rewards of a step",
        *(f"{n} GPU, {way}" for n in (1, 8) for way in ways),
    ]
    lines = [head, ["---:"] * len(head)]
    recipe = read_recipe(GRPO)
    for count in cores:
        # `python -m bench --only rewards`: 512 answers with 20 tests each in C++ took 50.1 s
        # on two cores, and a task of the paper has 100 tests.
        work = replace(PAPER[GRPO], reward_s=100.2 * 100 / 20 / count)
        shares = [idle(recipe, shape, gpu, gpus, work)[way] for gpus in (1, 8) for way in ways]
        lines.append(
            [str(count), f"{work.reward_s:.1f} s", *(f"{100 * share:.0f} %" for share in shares)]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shape_of(config: Any, name: str) -> ModelShape:
    """Return the shape of a model from its configuration in transformers.

    >>> from types import SimpleNamespace as Config
    >>> config = Config(num_hidden_layers=36, hidden_size=2048, intermediate_size=11_008, num_attention_heads=16,
    ...                 num_key_value_heads=2, vocab_size=151_936, tie_word_embeddings=True, model_type="qwen2")
    >>> shape_of(config, "Qwen2.5-3B") == QWEN_3B
    True

    The parameters are those of embeddings, attention, the three projections of a layer, and norms.
    """
    heads, hidden = config.num_attention_heads, config.hidden_size
    key_heads = getattr(config, "num_key_value_heads", None) or heads
    head_size = getattr(config, "head_dim", None) or hidden // heads
    inner = getattr(config, "intermediate_size", None) or 4 * hidden
    queries, keys = heads * head_size, key_heads * head_size
    # Qwen2 has biases in attention, Qwen3 norms of queries and keys.
    small = {"qwen2": queries + 2 * keys, "qwen3": 2 * head_size}.get(
        getattr(config, "model_type", ""), 0
    )
    layer = 2 * hidden * queries + 2 * hidden * keys + small + 3 * hidden * inner + 2 * hidden
    embeddings = (
        config.vocab_size * hidden * (1 if getattr(config, "tie_word_embeddings", False) else 2)
    )
    parameters = embeddings + config.num_hidden_layers * layer + hidden
    return ModelShape(
        name,
        parameters,
        config.num_hidden_layers,
        hidden,
        inner,
        heads,
        key_heads,
        head_size,
        config.vocab_size,
    )


def machine_table(
    recipe: Recipe, shape: ModelShape, work: Work, counts: tuple[int, ...] = (1, 8)
) -> Iterator[list[str]]:
    """Yield headings, then the memory and the hours of a recipe on each type of GPU.

    In a sharded run (FSDP2, ZeRO-3) each GPU has its part of weights, gradients and optimiser.
    """
    yield [
        "",
        "GiB there",
        "GiB needed",
        *(f"{n} sharded" for n in counts[1:]),
        *(f"hours, {n} GPU" for n in counts),
    ]
    for gpu in GPUS:
        there, needed = gpu.memory_bytes / GIB, memory(recipe, shape, gpu)
        held = needed.weights + needed.gradients + needed.optimizer
        totals = [needed.total, *(needed.total - held + held / count for count in counts[1:])]
        shown = [
            f"{total / GIB:.1f}{'' if total <= gpu.memory_bytes else ' (too much)'}"
            for total in totals
        ]
        times = [f"{hours(recipe, shape, gpu, count, work).total:.1f}" for count in counts]
        yield [gpu.name, f"{there:.1f}", *shown, *times]


def paper_table(gpu: Gpu = H100, shape: ModelShape = QWEN_3B) -> str:
    """Return a Markdown table of the needs of the paper's recipes, shown in docs/train.md."""
    head = [
        "",
        "weights",
        "gradients",
        "optimiser",
        "activations",
        "logits",
        "vLLM",
        "GPU",
        "hours, 1 GPU",
        "8 GPUs",
    ]
    lines = [head, ["---"] * len(head)]
    for name, work in PAPER.items():
        recipe = read_recipe(name)
        needed = memory(recipe, shape, gpu)
        cells = [f"{part / GIB:.1f}" for part in (*needed, needed.total)]
        times = [f"{hours(recipe, shape, gpu, count, work).total:.1f}" for count in (1, 8)]
        lines.append([f"`{name}`", *cells, *times])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
