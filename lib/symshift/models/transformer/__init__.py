"""Transformers that read a story sentence by sentence."""
