"""Embedders behind one interface."""
