"""The generators of the twenty tasks; importing them registers them in `TASKS`."""

from symshift.data.babi.generator.tasks import (
    task_1_11_12_13,
    task_2_3_6,
    task_4_19,
    task_5_7_8,
    task_9_10,
    task_14,
    task_15_16,
    task_17,
    task_18,
    task_20,
)

__all__ = [
    "task_1_11_12_13",
    "task_2_3_6",
    "task_4_19",
    "task_5_7_8",
    "task_9_10",
    "task_14",
    "task_15_16",
    "task_17",
    "task_18",
    "task_20",
]
