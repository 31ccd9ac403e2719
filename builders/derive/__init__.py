"""Training sets derived from the train split of a release (docs/derive.md).

Train (reading) ─▶ costs (separation) ─▶ choices (kinds) ─▶ drawn by lot, near duplicates out (selection)
                                                         ─▶ rows (sft, dpo, grpo, cold_start) ─▶ Parquet, manifest
"""
