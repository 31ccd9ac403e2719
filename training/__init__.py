"""How a model is trained on a published dataset: SFT, DPO, cold start and GRPO.

Training reads a release (a dataset on the Hub with a revision, or a local release folder) and never
reaches into a builder. Each recipe is a TOML file in `recipes/`. Only the modules of this package
import the heavy packages (torch, transformers, trl, peft, vllm), which come with `pip install
'venus-toolkit[train]'`.
"""
