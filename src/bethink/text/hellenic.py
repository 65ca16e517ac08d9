"""The stem of Greek words: Snowball's, made one for the tenses of a verb."""

from __future__ import annotations

import re

from .irregular import stems
from .snowball import snowball

_LEAST = 4
# `έγραψα`: where the past has no other syllable to stress, it begins with ε.
_PAST = re.compile("ε(?=[βγδζθκλμνξπρστφχψ]+(?:αι|ει|οι|ου|αυ|ευ|[αεηιουω])[βγδζθκλμνξπρστφχψ]*[ψξ]$)")
# What becomes ψ, ξ or σ in the past and the future; `μαγειρεύω`, `μαγείρεψα`.
_LAST = str.maketrans("βπψγκξζν", "φφφχχχσσ")
_LABIAL = re.compile("(?<=[αε])υ$")
_IRREGULAR = stems("""
    βαζ: εβαλ βαλ; βλεπ: ειδ ιδ; βρισκ: βρηκ; διν: εδωσ δωσ; καν: εκαν; λεγ: ειπ; παιρν: πηρ; περν: περασ;
    πηγαιν: πηγ; στελν: εστειλ στειλ; τρωγ: εφαγ φαγ; φερν: εφερ; φευγ: εφυγ φυγ; μεν: εμειν μειν; πλεν: επλυν πλυν;
    αλλαζ: αλλαξ; παιζ: επαιξ παιξ; κοιταζ: κοιταξ; φτιαχν: εφτιαξ φτιαξ; διδασκ: διδαξ; ξεχν: ξεχασ; χαν: εχασ χασ;
    κλειν: εκλει κλεισ
""")


def greek(word: str) -> str:
    """Return the stem of a folded lower-case word."""
    stem = _PAST.sub("", snowball("greek", word))
    stem = _IRREGULAR.get(stem, stem)
    if len(stem) < _LEAST:
        return stem
    return _LABIAL.sub("φ", stem[:-1] + stem[-1].translate(_LAST))
