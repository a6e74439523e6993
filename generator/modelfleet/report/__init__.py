"""A change of the fleet for people: what `plan` shows. `compare` makes a Change of two Sides; every format shows the same sections.

Modules: `change` (the values), `compare` with `placements`, `objects`, `rollouts`, `pools`, `shortfalls`, `needs`, `alarms` and `risks`,
`sections` (the words), and a module for each format.
"""
