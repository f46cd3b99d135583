"""A symbolic solver of the twenty tasks and of the world model: answer and supporting facts from the text alone."""

from tests.babi_solver.relations import chains
from tests.babi_solver.solve import solve
from tests.babi_solver.world_model import replay

__all__ = ["chains", "replay", "solve"]
