"""What a trained network has learnt inside."""
