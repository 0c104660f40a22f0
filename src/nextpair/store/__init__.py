"""Things on disk: journals and files of comparisons."""
