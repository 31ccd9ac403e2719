"""What a model thought before it answered, in the forms that models mark it."""

from __future__ import annotations

import re

# How models mark their thoughts, by beginning and end.
THOUGHTS = (
    ("<think>", "</think>"),  # DeepSeek R1, Qwen 3 and QwQ, GLM, MiniMax, Nemotron, Granite, SmolLM
    ("<thinking>", "</thinking>"),  # the paper's prompt, Claude where it is asked to
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
    """Return an answer without the thoughts before it, and the thoughts.

    None: there is no answer, or no thought.

    A thought begins before the first code block. Some templates put its beginning into the prompt,
    so an end alone is enough. Of several ends the last one counts, as a model may mention it while
    it thinks, but not one inside a line of the answer's code.
    """
    # Marks of the end are searched for in the last 200 characters.
    text = text[:-200] + re.sub(r"(\s|<[|\uff5c][^<>]{1,40}[|\uff5c]>|</s>)+\Z", "", text[-200:])
    begun = text.lstrip()
    # The channels of gpt-oss (harmony): analysis and commentary are thoughts, final is the answer.
    if begun.startswith(("<|channel|>", "<|start|>")):
        head, final, rest = text.rpartition("<|channel|>final")
        answer = re.split(r"<\|(?:return|end|call)\|>", rest.partition("<|message|>")[2])[0]
        return (answer, head) if final else (None, text)
    # The same where a tokenizer left out the marks.
    if begun.startswith("analysis") and "assistantfinal" in text:
        head, _, rest = text.rpartition("assistantfinal")
        return rest, head.removeprefix("analysis")
    thoughts = list[str]()
    # The ends of these are also plain words or tags of documents: without a beginning they say
    # nothing.
    never_alone = ("<thought>", "<reasoning>", "Here is my thought process:")
    for opening, closing in THOUGHTS:
        if closing not in text and opening not in text:
            continue
        first_fence = min(
            (place for fence in ("```", "~~~") if (place := text.find(fence)) >= 0),
            default=len(text),
        )
        # Within a line of prose an opening tag may be no more than mentioned.
        start = text.find(opening, 0, first_fence)
        opened = start >= 0 and not text[text.rfind("\n", 0, start) + 1 : start].strip()
        place = _last_at_edge(text, closing)
        if place < 0:
            place = text.rfind(closing) if opened else text.rfind(closing, 0, first_fence)
        if place >= 0 and (opened or opening not in never_alone):
            end = text.index(closing, place)
            begun_here = 0 <= start < end
            thoughts.append(text[start + len(opening) if begun_here else 0 : end])
            # What stands before a thought is kept: it may be the tag that the code is to lie in.
            text = (text[:start] if begun_here else "") + text[end + len(closing) :]
        elif opened:
            return None, text[start + len(opening) :]
    return text, "\n".join(thoughts) if thoughts else None


def _last_at_edge(text: str, mark: str) -> int:
    """Return the last place of a mark that begins or ends its line, white space aside.

    -1: there is none.
    """
    place = text.rfind(mark)
    while place >= 0:
        # At most 200 characters of white space are looked through.
        before, after = text[max(0, place - 200) : place], text[place + len(mark) :][:200]
        if not before.rpartition("\n")[2].strip() or not after.partition("\n")[0].strip():
            return place
        place = text.rfind(mark, 0, place)
    return -1
