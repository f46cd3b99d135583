"""Files of questions, one format a file."""
