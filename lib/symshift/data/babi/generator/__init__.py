"""Generated stories: the tasks of bAbI drawn anew from a seed, with people, places and objects of one's choice."""

from symshift.data.babi.generator.engine import generate
from symshift.data.babi.generator.telling import TASKS, Telling, task
from symshift.data.babi.generator.world import World

__all__ = ["TASKS", "Telling", "World", "generate", "task"]
