"""The toolkit in the words of other packages.

A module of this package needs the package that it is named after and no other. No other package of
the toolkit imports one: inspect_ai finds its module through an entry point, and the others import
theirs by its path.

    inspect_ai.py  tasks of a release, with their scorer
    verl.py        the reward of an answer, or of a batch (verl 0.9 and before)
    verifiers.py   a taskset and an `Env` (verifiers 0.4)
    openenv.py     an `Environment` and the app that serves it (OpenEnv 0.10)
    trl.py         what `GRPOTrainer(environment_factory=…)` takes (TRL 1.16)
    skyrl.py       a `BaseTextEnv` (SkyRL-Gym 0.4)
    tinker.py      a `MessageEnv` (tinker-cookbook 0.5)

They also need the extra `eval`, which reads releases. The last five are translations of
training/environment.py: an episode, its turns and their rewards are there. The HTTP protocols of
other services are part of the server (server/compat).
"""

from venus_toolkit.core.extras import require

require("eval")
