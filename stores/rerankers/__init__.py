"""Rerankers that Recite brings with it."""
