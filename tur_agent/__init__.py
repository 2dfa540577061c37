"""What the agent runs: the `tur` command. It reaches nothing that only a human may do."""
