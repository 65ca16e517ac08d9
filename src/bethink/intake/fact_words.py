"""Words that can turn a sentence into another fact, and words that cannot, in the languages that agents write most."""

from __future__ import annotations

from typing import Final

from bethink.text.stopwords import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _first_of_line(text: str) -> dict[str, str]:
    lines = (line.split() for line in text.strip().splitlines())
    return {word: line[0] for line in lines for word in line}


DENIED: Final = "not"
_DENIALS: Final = _words(
    """
    no not non never none nobody nothing neither nor nowhere without cannot avoid avoids forbid forbids forbidden except
    unless fail fails failed failing unable lack lacks lacking rather instead hardly
    don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't mustn't needn't hasn't
    haven't hadn't ain't dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt hasnt havent
    nicht nichts nie niemals niemand ohne kein keine keinen keinem keiner keines außer
    nunca nadie nada ningún ninguna sin jamás tampoco excepto
    pas jamais sans aucun aucune rien sauf
    não nem sem nenhum nenhuma mai senza nessuno niet geen nooit zonder
    не нет нельзя никогда без кроме
    """
)
# In Japanese a denial is an ending.
DENYING_ENDINGS: Final = ("ない", "なか", "なく", "なけ", "ません")

# Stop words that tell facts apart: off is not on, was is not is, her is not him.
_TELLING: Final = _words(
    """
    no not nor off over up some will should can could was were had being he she him her his hers me us them
    """
)
FILLERS: Final = (STOP_WORDS - _TELLING) | _words(
    """
    1 please note remember really very quite actually basically simply currently now new single always usually kindly
    just way because since therefore hence however while during per via within until upon like still already again okay
    also means meant together each every times get gets make makes take takes let lets thus namely otherwise
    better little even keep keeps run runs turned
    der die das den dem des ein eine einen einem einer und oder ist sind war hat haben wir ich er sie es nun immer auch
    noch sich mit von zu im in am an auf für bei dass weil wird werden
    el la los las un una unos unas y o es son fue hay se su sus de del al en con por para que lo siempre ya eso porque
    le les du une et ou est sont on nous il elle ils ce cette qui dans pour sur au aux à donc
    は が を に で の と も へ や か です ます だ である には では とは へは への なお する して
    います いる あります ある
    """
)
# Words without a meaning of their own that say who does what to whom.
PIVOTS: Final = _words(
    "over than to from for by of into onto before after under above against versus vs als an auf für"
)

_NUMBERS: Final = """
    1 one first 1st
    2 two zwei zweite zweiten dos segundo deux deuxième twice
    3 three third drei dritte dritten tres tercero trois troisième
    4 four fourth vier vierte vierten cuatro cuarto quatre quatrième
    5 five fifth fünf fünfte fünften cinco quinto cinq
    6 six sixth sechs sechste seis
    7 seven seventh sieben siebte siete sept
    8 eight eighth acht achte ocho huit
    9 nine ninth neun neunte nueve neuf
    10 ten tenth zehn zehnte diez dix
    11 eleven eleventh elf onze
    12 twelve twelfth zwölf doce douze dozen
    13 thirteen
    14 fourteen
    15 fifteen fünfzehn quince quinze
    16 sixteen
    17 seventeen
    18 eighteen
    19 nineteen
    20 twenty zwanzig veinte vingt
    30 thirty dreißig treinta trente
    40 forty vierzig cuarenta quarante
    50 fifty fünfzig cincuenta cinquante
    60 sixty sechzig sesenta soixante
    70 seventy siebzig setenta
    80 eighty achtzig ochenta
    90 ninety neunzig noventa
    100 hundred hundert cien
    1000 thousand tausend mil mille
    1000000 million millionen millón millones
    half half halb medio moitié
    double double doubled doubles
"""
_DATES: Final = """
    monday mon mondays montag montags lunes lundi
    tuesday tue tues tuesdays dienstag dienstags martes mardi
    wednesday wed wednesdays mittwoch mittwochs miércoles mercredi
    thursday thu thur thurs thursdays donnerstag donnerstags jueves jeudi
    friday fri fridays freitag freitags viernes vendredi
    saturday sat saturdays samstag samstags sonnabend sábado samedi
    sunday sun sundays sonntag sonntags domingo dimanche
    today today heute hoy aujourd'hui
    yesterday yesterday gestern ayer
    tomorrow tomorrow morgen mañana demain
    weekend weekend weekends wochenende
    daily daily
    weekly weekly
    monthly monthly
    yearly yearly annually
    january jan januar enero janvier
    february feb februar febrero février
    march mar märz marzo mars
    april apr abril avril
    may mai mayo
    june jun juni junio juin
    july jul juli julio juillet
    august aug agosto août
    september sep sept septiembre septembre
    october oct oktober octubre octobre
    november nov noviembre novembre
    december dec dezember diciembre décembre
"""
_UNITS: Final = """
    ms millisecond milliseconds msec
    s sec secs second seconds sekunde sekunden segundo segundos seconde secondes
    min mins minute minutes minuten minuto minutos
    h hr hrs hour hours stunde stunden hora horas heure heures
    day days d tag tage tagen día días jour jours
    week weeks wk wks woche wochen semana semanas semaine semaines
    month months monat monate monaten mes meses mois
    year years yr yrs jahr jahre jahren año años ans
    kb kilobyte kilobytes kib
    mb megabyte megabytes mib
    gb gigabyte gigabytes gib
    tb terabyte terabytes tib
    mg milligram milligrams
    kg kilo kilos kilogram kilograms
    km kilometre kilometres kilometer kilometers
"""
# Near synonyms and abbreviations; tenses are kept apart.
_ALIKE: Final = """
    choose chooses pick picks select selects
    chose chosen picked selected
    stores holds
    kept stored held saved
    has have
    stops gives
    use utilise
    used utilised
    need require
    needs requires
    begin start
    begins starts
    began started
    finish complete
    finished completed
    fix repair
    fixed repaired
    execute executes
    told said
    says tells
    shows displays
    called named
    happens occurs
    happened occurred
    bought purchased
    contain contains include includes
    want wants
    prefer prefers likes
    large big
    fast quick quickly
    whole entire
    often frequently
    about roughly approximately around
    auth authentication
    db database
    repo repository
    config configuration
    env environment
    app application
    dev development
    prod production
    infra infrastructure
    max maximum
    min minimum
    deploy deployment
    docs documentation
    k8s kubernetes
    postgres postgresql
    js javascript
    ts typescript
"""
# The one spelling of a word under which it is compared; what is not here is compared as it is, but for its ending.
SPELLINGS: Final = (
    _first_of_line(_ALIKE)
    | _first_of_line(_UNITS)
    | _first_of_line(_NUMBERS)
    | _first_of_line(_DATES)
    | dict.fromkeys(_DENIALS, DENIED)
)
MONTHS: Final = tuple(line.split()[0] for line in _DATES.strip().splitlines()[-12:])
