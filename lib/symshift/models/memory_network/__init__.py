"""End-to-end memory networks and their symbolic form."""
