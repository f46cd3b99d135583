"""Attention of tokens that have a semantic and a symbolic half."""

from symshift.ops.symbolic_attention.function import symbolic_attention
from symshift.ops.symbolic_attention.state import AttentionInputs, AttentionOutputs

__all__ = ["AttentionInputs", "AttentionOutputs", "symbolic_attention"]
