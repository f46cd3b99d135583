"""Notebooks, executed and kept as pages."""
