"""The health of eval sets: whether they still separate versions, meet production, and are known to nobody else."""
