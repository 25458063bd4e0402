"""How Recite trains its own cross-encoder: data, model, loop, export, comparison."""
