"""The environment in the words of each framework.

A module of this package needs that framework and no other.

    verifiers.py   a taskset and an `Env` (verifiers 0.4)
    openenv.py     an `Environment` and the app that serves it (OpenEnv 0.10)
    trl.py         what `GRPOTrainer(environment_factory=…)` takes (TRL 1.16)
    skyrl.py       a `BaseTextEnv` (SkyRL-Gym 0.4)
    tinker.py      a `MessageEnv` (tinker-cookbook 0.5)

All of them are translations of environment.py: an episode, its turns and what they are worth are
there.
"""
