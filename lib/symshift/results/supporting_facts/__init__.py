"""How well models name the sentences that an answer follows from."""
