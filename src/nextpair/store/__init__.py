"""What lives in files: comparisons and truths that are read, and the journals of campaigns."""
