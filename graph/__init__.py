"""The composition root: where the parts meet."""
