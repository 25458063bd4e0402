"""The steps of the graph, one file each; `state.py` is their contract."""
