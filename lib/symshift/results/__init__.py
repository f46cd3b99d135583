"""Tables and figures of stored runs."""
