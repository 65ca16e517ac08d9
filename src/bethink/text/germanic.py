"""The stem of German words: Snowball's, and what it leaves on verbs."""

from __future__ import annotations

import re

from .irregular import stems
from .snowball import snowball

# "kopiert" with "kopieren", "geplant" with "planen", "hängt" with "hängen".
_FOREIGN_VERB = re.compile("(?<=.{3}i)ert$")
_PARTICIPLE = re.compile("^ge(?=.{3,}t$)")
_THIRD_PERSON = re.compile("(?<=.{3}[bcdfghklmnpr])t$")
# "angerufen" and "anzurufen" with "anrufen".
_SEPARABLE = (
    "ab|an|auf|aus|bei|durch|ein|fest|fort|her|heraus|herunter|hin|hinaus|hoch|los|mit|nach|statt|teil|um|vor|vorbei"
    "|weg|weiter|zu|zuruck|zusammen"
)
_SEPARATED = re.compile(f"^({_SEPARABLE})(?:ge|zu)(?=.{{3}})")
_PREFIXES = frozenset([*_SEPARABLE.split("|"), "be", "emp", "ent", "er", "uber", "unter", "ver", "zer"])
_SHORTEST_PREFIX, _LONGEST_PREFIX = min(map(len, _PREFIXES)), max(map(len, _PREFIXES))
_OF_A_VERB = re.compile("(?:en|t)(?:e[mnrs]?)?$")
# "ging" with "gehen": by the stem, for endings, umlauts and the t of the third person are gone.
_STRONG = stems("""
    beginn: begann begonn; bieg: bog; biet: bot gebot; bind: band gebund; bitt: gebet; blas: blies; bleib: blieb
    geblieb; brech: brach brich gebroch; brenn: brannt gebrannt; bring: bracht gebracht; denk: dacht gedacht; ess:
    ass isst gegess; fahr: fuhr gefahr; fall: fiel gefall; fang: fing gefang; find: fand gefund; flieg: flog geflog;
    fliess: floss gefloss; frier: fror gefror; geb: gab gib gegeb; geh: ging gegang; gewinn: gewann gewonn; giess:
    goss gegoss; grab: grub; greif: griff gegriff; halt: hielt gehalt; heb: hob gehob; helf: half hilf geholf; kenn:
    kannt gekannt; komm: kam gekomm; lad: lud gelad; lass: liess gelass; lauf: lief gelauf; leid: litt gelitt; leih:
    lieh gelieh; les: las lies liest geles; lieg: lag geleg; mess: mass miss misst gemess; nehm: nahm nimm genomm;
    nenn: nannt genannt; rat: riet; reiss: riss geriss; reit: ritt geritt; renn: rannt gerannt; ruf: rief geruf;
    schein: schien geschien; schiess: schoss geschoss; schlaf: schlief geschlaf; schlag: schlug geschlag; schliess:
    schloss geschloss; schmelz: schmolz geschmolz; schneid: schnitt geschnitt; schreib: schrieb geschrieb; schwimm:
    schwamm geschwomm; seh: sah sieh geseh; send: sandt gesandt; sing: sang gesung; sink: sank gesunk; sitz: sass
    gesess; sprech: sprach sprich gesproch; spring: sprang gesprung; steh: stand gestand; steig: stieg gestieg;
    sterb: starb stirb gestorb; streich: strich gestrich; streit: stritt gestritt; trag: trug getrag; treff: traf
    triff getroff; treib: trieb getrieb; tret: trat tritt getret; trink: trank getrunk; verlier: verlor verli;
    wachs: wuchs gewachs; wasch: wusch gewasch; wend: wandt gewandt; werf: warf wirf geworf; wieg: wog gewog; wiss:
    wusst gewusst; zieh: zog gezog
""")
_WITHIN = {form.removeprefix("ge"): stem for form, stem in _STRONG.items()} | _STRONG  # "angenommen" has lost its "ge"
_NOUNS = frozenset({"ass", "band", "bot", "gebet", "gebot", "lag", "mass", "stand", "strich"})


def german(word: str) -> str:
    """Return the stem of a lower-case word."""
    stem = snowball("german", word)
    if _OF_A_VERB.search(word):
        stem = _SEPARATED.sub(r"\1", stem)
    shorter = _weak(stem)
    return next((strong for form in (stem, shorter) if (strong := _strong(form))), shorter)


def german_part(word: str) -> str:
    """Return the stem of what may be part of a compound: of a noun or a regular verb, for `Lieferung` has no `lief`."""
    return _weak(snowball("german", word))


def _weak(stem: str) -> str:
    shorter = _FOREIGN_VERB.sub("", stem)
    return shorter if shorter != stem else _THIRD_PERSON.sub("", _PARTICIPLE.sub("", stem))


def _strong(form: str) -> str | None:
    """The stem that the infinitive of a strong verb has."""
    if form in _STRONG and form not in _NOUNS:
        return _STRONG[form]
    for place in range(_SHORTEST_PREFIX, min(_LONGEST_PREFIX + 1, len(form))):
        if form[place:] in _WITHIN and form[:place] in _PREFIXES:
            return form[:place] + _WITHIN[form[place:]]
    return None
