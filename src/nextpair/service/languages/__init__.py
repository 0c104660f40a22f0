"""What workers read, in the languages that a campaign can be held in: one file each."""
