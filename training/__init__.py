"""How a model is trained on a published dataset: SFT, DPO, cold start and GRPO.

Training reads a release (a dataset on the Hub with a revision, or a local release folder) and never
reaches into a builder. One recipe is one TOML file in `recipes/`. The heavy packages (torch,
transformers, trl, peft, vllm) are imported by the modules of this package only, and come with `pip
install 'venus-toolkit[train]'`.
"""
