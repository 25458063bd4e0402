"""What the commands do; `graph/cli.py` says how they are called."""
