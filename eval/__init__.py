"""How good it is: measurements against baselines."""
