"""English words that say nothing about what a text is about."""

from __future__ import annotations

_WORDS = """
a about also am an and any are as at be been being but by can could did do does doing for from had has have having
he her hers him his how i if in into is it its just me might mine my no nor not of off on or our ours out over own
she should so some such than that the their theirs them then there these they this those through to too up us very
was we were what when where which while who whom whose why will with would you your yours
dont doesnt didnt isnt arent wasnt werent im ive id ill youre youve weve were theyre hes shes thats whats lets
please tell
"""
STOP_WORDS = frozenset(_WORDS.split())
