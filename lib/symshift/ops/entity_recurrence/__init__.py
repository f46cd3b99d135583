"""The recurrence of an entity network's slots over the sentences of a story (Henaff et al. 2017)."""

from symshift.ops.entity_recurrence.function import entity_recurrence, simple_entity_recurrence
from symshift.ops.entity_recurrence.slots import SlotMixture, Slots

__all__ = ["SlotMixture", "Slots", "entity_recurrence", "simple_entity_recurrence"]
