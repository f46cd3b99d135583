"""Generated stories: the tasks of bAbI drawn anew from a seed, with people, places and objects of one's choice."""

from symshift.stories.worlds.generate import generate
from symshift.stories.worlds.telling import TASKS, Telling, task
from symshift.stories.worlds.world import World

__all__ = ["TASKS", "Telling", "World", "generate", "task"]
