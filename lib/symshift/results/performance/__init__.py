"""What an update costs."""
