"""Many instances at once: a resumable run, its file of lines, and its processes."""
