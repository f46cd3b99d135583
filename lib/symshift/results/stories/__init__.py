"""Single stories and what models attend to in them."""
