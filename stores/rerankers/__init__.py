"""Rerankers: what gives the best hits a second opinion, behind the one-method port `Reranker`."""
