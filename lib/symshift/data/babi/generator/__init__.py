"""The twenty tasks of bAbI generated from a seed, with people, places and objects of one's choice."""

from symshift.data.babi.generator.engine import generate
from symshift.data.babi.generator.story_builder import BABI_TASKS, TASKS, StoryBuilder, task
from symshift.data.babi.generator.world import World

__all__ = ["BABI_TASKS", "TASKS", "StoryBuilder", "World", "generate", "task"]
