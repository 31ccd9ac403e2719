"""The paper's claim in miniature: from generated problems to a page, with the toolkit's commands.

    python -m examples.reproduce --preset tiny --out build/reproduce

    small_problems.py  families of problems, programs of several shapes and costs, lessons and a teacher
    material/          templates of statements and programs; prompts/ has templates of prompts
    scratch.py         the base model: a tokenizer and a small transformer, trained on the lessons
    preset.py          the size of a reproduction; presets/NAME also holds the recipes of the methods
    stages.py          problems ─▶ release ─▶ derived sets; base model ─▶ cold start ─▶ SFT ─▶ DPO, GRPO; evaluations
    findings.py        the results, with intervals over seeds
    reproduce.py       all stages in order, and the page

Words: an *arm* is a method whose models are compared (cold start, sft, dpo, grpo); a *seed* is one
training and evaluation of all arms; a *shape* is a way to write a program; a *slip* is a program
that stops a term too early.
"""
