"""A story of pull requests on the example repository: `python -m tests.story DIR` makes it, branch by branch, to look at."""
