"""Errors with unseen words and other numbers of names."""
