"""Widgets that ask a trained model and show its answer."""
