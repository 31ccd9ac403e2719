"""Read the output of `venus export verl` with verl itself.

This covers verl's configuration, data set and reward manager.

    python verl_reads.py MODEL ANSWERS.json SETTING…

The settings are those of train.sh. Prints the number of rows and verl's rewards for the answers to
the first row.
"""

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
import torch
from hydra import compose, initialize_config_module
from transformers import AutoTokenizer
from verl import DataProto
from verl.experimental.reward_loop import migrate_legacy_reward_impl
from verl.trainer.ppo.reward import load_reward_manager
from verl.utils.config import validate_config
from verl.utils.dataset.rl_dataset import RLHFDataset

model, answers, *settings = sys.argv[1:]
with initialize_config_module("verl.trainer.config", version_base=None):
    config = compose("ppo_trainer", overrides=settings)
config = migrate_legacy_reward_impl(config)
validate_config(config, use_reference_policy=False, use_critic=False)
tokenizer = AutoTokenizer.from_pretrained(model)
rows = RLHFDataset(list(config.data.train_files), tokenizer, config.data)
manager = load_reward_manager(config, tokenizer)


def answer_batch(text: str) -> DataProto:
    """Return an answer to the first row in the form that verl passes to the manager."""
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    columns = {
        "data_source": "venus",
        "reward_model": rows[0]["reward_model"],
        "extra_info": rows[0]["extra_info"],
    }
    return DataProto.from_dict(
        tensors={
            "prompts": torch.zeros((1, 3), dtype=torch.long),
            "responses": ids,
            "attention_mask": torch.ones((1, 3 + ids.shape[1]), dtype=torch.long),
        },
        non_tensors={name: np.array([value], dtype=object) for name, value in columns.items()},
    )


async def reward_answers() -> list[dict]:
    """Return the rewards of all answers, requested at once."""
    return await asyncio.gather(*(manager.run_single(answer_batch(text)) for text in texts))


texts = json.loads(Path(answers).read_text())
rewards = manager.loop.run_until_complete(reward_answers())
print(json.dumps({"rows": len(rows), "rewards": rewards}))
