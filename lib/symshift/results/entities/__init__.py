"""What entity networks hold in their slots."""
