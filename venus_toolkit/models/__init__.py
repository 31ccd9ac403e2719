"""Language models: clients (`client`, `in_process`), `prompts`, and the reading of `answers`."""
