"""Errors when words change: unseen words, more names, new people, fewer examples, audits."""
