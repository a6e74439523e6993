"""What only several files together show. One module for each subject, imported by what needs it."""
