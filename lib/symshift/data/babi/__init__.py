"""The bAbI tasks (Weston et al., 2015): the official text, and a generator of all twenty."""
