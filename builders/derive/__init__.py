"""Training sets derived from the train split of a release (docs/derive.md).

Train (train_split) ─▶ costs (separation) ─▶ choices (kinds) ─▶ sampled, near duplicates out
(selection)
                                                         ─▶ rows (kinds, cold_start) ─▶ Parquet,
                                                         manifest
"""
