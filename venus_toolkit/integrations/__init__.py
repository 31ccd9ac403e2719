"""Adapters of the toolkit for other packages.

A module of this package needs only the package that it is named after. The rest of the toolkit does
not import these modules: inspect_ai finds its module through an entry point, and users of the other
packages import theirs by its path.

    inspect_ai.py  tasks of a release, with their scorer
    verl.py        the reward of an answer, or of a batch (verl 0.9 and before)
    verifiers.py   a taskset and an `Env` (verifiers 0.4)
    openenv.py     an `Environment` and the app that serves it (OpenEnv 0.10)
    trl.py         an `environment_factory` for `GRPOTrainer` (TRL 1.16)
    skyrl.py       a `BaseTextEnv` (SkyRL-Gym 0.4)
    tinker.py      a `MessageEnv` (tinker-cookbook 0.5)

They also need the extra `eval`, which reads releases. The last five adapt training/environment.py,
which defines episodes, turns and rewards. The HTTP protocols of other services are part of the
server (server/compat).
"""

from venus_toolkit.core.extras import require

require("eval")
