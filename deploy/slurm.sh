#!/usr/bin/env bash
# A build on a Slurm cluster: sbatch deploy/slurm.sh --lang python --source taco:data --out /shared/release
# It uses all cores of each node; submit it again to resume. All nodes need the same version of the toolkit.
#SBATCH --job-name=venus
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --time=24:00:00
set -euo pipefail

export RAY_USAGE_STATS_ENABLED=0
export RAY_worker_niceness=0 # by default Ray lowers the priority of its workers, and only root can undo that
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 20000))
cores=$SLURM_CPUS_ON_NODE

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
srun --nodes=1 --ntasks=1 --nodelist="$head" \
    ray start --head --port="$port" --num-cpus="$cores" --include-dashboard=false --block &
sleep 20
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then
    srun --nodes=$((SLURM_JOB_NUM_NODES - 1)) --ntasks=$((SLURM_JOB_NUM_NODES - 1)) --exclude="$head" \
        ray start --address="$head:$port" --num-cpus="$cores" --block &
    sleep 20
fi
venus build "$@" --engine ray --ray-address "$head:$port"
