"""Recurrent Entity Networks: general and simple form, variants, and the form for candidates."""
