"""New declarations as text, with the comments that teach. Pure: flags and the fleet in, a file's path and text out."""
