"""Separates a model's thoughts from its answer, for all common marks of thoughts."""

from __future__ import annotations

import re

# The opening and closing marks of thoughts, with models that use them.
THOUGHTS = (
    ("<think>", "</think>"),  # DeepSeek R1, Qwen 3 and QwQ, GLM, MiniMax, Nemotron, Granite, SmolLM
    ("<thinking>", "</thinking>"),  # the paper's prompt, Claude on request
    ("<thought>", "</thought>"),  # EXAONE, Gemini's compatible API
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),  # Magistral
    ("\N{WHITE LEFT-POINTING TRIANGLE}think\N{WHITE RIGHT-POINTING TRIANGLE}",
     "\N{WHITE LEFT-POINTING TRIANGLE}/think\N{WHITE RIGHT-POINTING TRIANGLE}"),  # Kimi
    ("<seed:think>", "</seed:think>"),  # Seed-OSS
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # OpenThinker, Sky-T1
    ("Here is my thought process:", "Here is my response:"),  # Granite 3.2
)  # fmt: skip


def split_thoughts(text: str) -> tuple[str | None, str | None]:
    """Return an answer without the thoughts before it, and the thoughts; each may be None.

    A thought begins before the first code block. A closing mark alone is enough, because some
    templates put the opening one into the prompt. The last closing mark counts, because a model may
    mention it while it thinks, but not one inside a line of the answer's code.
    """
    # Remove end-of-text marks from the last 200 characters.
    text = text[:-200] + re.sub(r"(\s|<[|\uff5c][^<>]{1,40}[|\uff5c]>|</s>)+\Z", "", text[-200:])
    begun = text.lstrip()
    # The channels of gpt-oss (harmony): analysis and commentary are thoughts, final is the answer.
    if begun.startswith(("<|channel|>", "<|start|>")):
        head, final, rest = text.rpartition("<|channel|>final")
        answer = re.split(r"<\|(?:return|end|call)\|>", rest.partition("<|message|>")[2])[0]
        return (answer, head) if final else (None, text)
    # The same, if the tokenizer removed the marks.
    if begun.startswith("analysis") and "assistantfinal" in text:
        head, _, rest = text.rpartition("assistantfinal")
        return rest, head.removeprefix("analysis")
    thoughts = list[str]()
    # The closing marks of these also occur in plain text, so they need an opening mark.
    never_alone = ("<thought>", "<reasoning>", "Here is my thought process:")
    for opening, closing in THOUGHTS:
        if closing not in text and opening not in text:
            continue
        first_fence = min(
            (place for fence in ("```", "~~~") if (place := text.find(fence)) >= 0),
            default=len(text),
        )
        # Inside a line of prose, an opening mark may only be mentioned.
        start = text.find(opening, 0, first_fence)
        opened = start >= 0 and not text[text.rfind("\n", 0, start) + 1 : start].strip()
        place = _last_at_edge(text, closing)
        if place < 0:
            place = text.rfind(closing) if opened else text.rfind(closing, 0, first_fence)
        if place >= 0 and (opened or opening not in never_alone):
            end = text.index(closing, place)
            begun_here = 0 <= start < end
            thoughts.append(text[start + len(opening) if begun_here else 0 : end])
            # Keep the text before a thought: it may be the opening tag of the solution.
            text = (text[:start] if begun_here else "") + text[end + len(closing) :]
        elif opened:
            return None, text[start + len(opening) :]
    return text, "\n".join(thoughts) if thoughts else None


def _last_at_edge(text: str, mark: str) -> int:
    """Return the last place of a mark that begins or ends its line, up to white space; else -1."""
    place = text.rfind(mark)
    while place >= 0:
        # Look through at most 200 characters of white space.
        before, after = text[max(0, place - 200) : place], text[place + len(mark) :][:200]
        if not before.rpartition("\n")[2].strip() or not after.partition("\n")[0].strip():
            return place
        place = text.rfind(mark, 0, place)
    return -1
