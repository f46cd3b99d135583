"""Finished runs: their store, which of them count, and the trained models that answer questions."""
