"""Training sets derived from the train split of a release (docs/derive.md).

train split (train_split) ─▶ costs (separation) ─▶ choices (kinds)
    ─▶ sample without near duplicates (selection) ─▶ rows (kinds, cold_start) ─▶ Parquet, manifest
"""
