"""Words that tell names from other words, and what sort of thing a name stands for."""

from __future__ import annotations

from typing import Final

from .stopwords import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DAYS: Final = "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"
_MONTHS: Final = (
    "january february march april may june july august september october november december jan feb mar apr"
    " jun jul aug sep sept oct nov dec"
)
# At the head of a sentence every word has a capital: these are not names there.
_STARTERS: Final = """
absolutely according account accounts across actually adding admin after afternoon again agent agents agreed ah alert
alerts all almost alpha already alright although always amazing and annual another answer answers any anyone anything
anyway app application approved archive argument around article ask asked aspect assume audit author authors automated
available avoid aw awesome back backend backup bad ball baseline basic basically batch bear because bed before beginning
behind being below best beta better between beware beyond big birthday block board body book books both box branch
bread break breakfast bring budget bug bugs build builds business button bye cache call calls camp can cannot car care
case cat cats cause change changes chapter check child children choose city class clean cleanup client clients cloud
code coffee collection column command comment comments commit common community company config configuration confirm
congrats congratulations connection consider contact container contains content context continue contract cool copy
core cost could country course create created credit cron current currently customer customers daily dance dark
dashboard data database date day days dead deadline deal dear debug decided decision default define definitely delete
demo deploy deploys depends design desk detail details dev developer developers did dinner disable disk do docs
document does dog dogs dont door double down draft drop due during each early easy edge edit editor either email empty
enable end engineer engineers english enjoy enough ensure entry environment error errors especially eve even evening
event events ever every everybody everyone everything exactly example examples except exciting export extra family
fantastic father feature features feel few field file files final finally find fine first fix fixed flag flow focus
folder follow food for found four free fresh friend friends from front frontend full function fun funny future game
games general get getting girl give given glad go goal goals god going good got grandma grandpa great green group guess
guide guy guys ha haha half happy hard has hate have having he head health heard hello help her here hey hi high hint
his history hmm hold holiday home hope hopefully host hot hour hours house how however huge human husband idea ideas if
image import important in include incoming indeed index info information input inside install instead interesting
internal into issue issues it item items its job jobs just keep key keys kid kids kind know known label last late lately
later latest launch law lead learn learning left legacy less let lets level library life light like limit line link
links list little live load local lock log login logs long look looks lot lots love low luckily lunch machine mail main
maintenance make makes man manager many map marketing master match maybe me mean meanwhile meet meeting meetings member
members memory merge message method metric metrics middle migration mind minimum minor miss mobile mock mode model
module mom moment monitor month more morning most mostly mother mountain move moving mr mrs much mum music must my name
nature near need needs neither net network never new news next nice night no nobody node none nope nor normal not note
notes nothing notice now number object obviously odd of off office often oh ok okay old on once one ones online only
open option options or order original other others our out output over overall owner package page part parent parents
parking part parts party password past patch path pattern pause pay payment payments people per perfect performance
perhaps permission person personal phone photo photos pick pipeline place plan plans platform play please plus point
policy port possible post power pr practice prefer preference present pretty price primary prior private probably
problem problems process prod product production profile program project projects promise proof proxy public pull push
put quality query question questions queue quick quickly quite random rate rather raw read reader really reason recall
recent recently record red refactor reference region release releases reload remember remind remote remove replace
report request requests require required rerun reset resolve resource rest result results retry return reuse review
right risk road role rollback room root rough route row rule rules run running runtime safe sales same sample save say
scale schedule schema school science scope score script search second secret section security see seems self send senior
separate server servers service services session set setting settings setup seven several share she ship shop short
should show side sign signup simple simply since single sister site six size skip slack sleep slow small so software
some somebody someone something sometimes son song soon sorry sort sound sounds source space speaking special specific
split sport spring sprint staff stage staging standard star start started startup state status stay step steps still
stop storage store story strange strategy street string strong stuff style such sugar summary summer sun super support
sure surprisingly switch sync system systems table tag take task tasks tea team teams tech tell temporary ten test
testing tests text thank thanks that the their them then there therefore these they thing things think third this those
though thought thread three through throughput thus ticket tickets time timeout timezone tip title to today todo
together token tokens tomorrow tonight too tool tools top topic total totally towards town traffic training travel tree
trip true truly try turn twice two type typically ugh under unfortunately unit unless unlike until up update updates
upgrade upon us usage use used user users using usually value values variable various vendor version very via video view
visit wait walk want warning was watch water way we weather web website wednesday week weekend weekly weeks welcome well
were what whatever when whenever where whether which while white who whole why wife will window winter wish with within
without woah woman women wonderful word words work worker workers works world would wow wrap write wrong yay yeah year
years yep yes yesterday yet yo you young your yours yup zero
"""
# Greetings and acronyms that say little about what a text is about.
_GENERIC: Final = """
api apis url urls uri http https html css json xml yaml toml csv sql id ids uuid pr prs mr ci cd ui ux db os cpu gpu ram
ok todo fixme note nb faq asap eta tbd tba fyi btw imo lol omg wtf pdf png jpg jpeg gif svg utf ascii io am pm utc gmt
est pst cet am usd eur gbp qa hr it vp ceo cto cfo coo rfc adr pol poc mvp kpi okr roi sla slo sli rpc rest ssh tls ssl
ttl dns ip tcp udp vm vms ide sdk cli gui orm crud eof eol ascii ps re vs ie eg etc max min avg sum true false null none
wip lgtm tldr diy tv dvd cd ac xs xl xxl ii iii iv vi vii viii ix yes no now not stop warning error info debug must
should never always important do
"""
NOT_NAMES: Final = STOP_WORDS | _words(_DAYS) | _words(_MONTHS) | _words(_GENERIC)
NOT_AT_THE_HEAD: Final = NOT_NAMES | _words(_STARTERS)
# Endings of words that are no names at the head of a sentence: Caching, Deployment, Surprisingly.
TELLTALE_ENDINGS: Final = (
    "ing",
    "ly",
    "tion",
    "tions",
    "ment",
    "ments",
    "ness",
    "ity",
    "ities",
    "sion",
    "ance",
    "ence",
)
# What a person does, and few things do.
PERSON_VERBS: Final = _words(
    "said says told tells asked asks likes liked loves loved hates hated prefers preferred wants wanted"
    " thinks thought believes feels felt lives lived works worked joined left moved met knows knew remembers"
    " mentioned suggested suggests recommends recommended proposed agreed disagreed decided approved rejected"
    " wrote reviewed replied answered plays played studies studied teaches taught enjoys enjoyed married"
    " graduated bought owns hired promised plans planned reported noted explained pointed argued went loves"
    " reads drinks eats speaks"
)
# What follows a subject; it makes a name of an unknown word at the head of a sentence.
AFTER_A_SUBJECT: Final = PERSON_VERBS | _words(
    "is was has had will would can could should does did got gets became runs uses used supports replaced"
    " replaces needs failed fails handles serves stores and"
)
BEFORE_A_PERSON: Final = _words("with by met told asked tell ask meet thanks hi hello dear hey")
TITLES: Final = _words("mr mrs ms miss dr prof professor sir madam herr frau señor señora mme")
BEFORE_A_PLACE: Final = _words("in near across outside around visiting visited")
# The last word, or the word behind, of a name of this sort; else the word before it.
SORT_BY_WORD: Final = {
    word: sort
    for sort, words in {
        "organisation": "inc corp corporation ltd llc gmbh ag sa plc university foundation labs bank"
        " institute agency company college association museum hospital school church ministry",
        "team": "team squad guild",
        "project": "project initiative",
        "service": "service api gateway cluster server endpoint",
        "place": "street avenue park river lake mountain island beach city county bay valley square",
        "event": "conference summit festival meetup hackathon marathon workshop",
        "product": "app",
        "repo": "repo repository",
    }.items()
    for word in words.split()
}
KNOWN: Final = {
    name: sort
    for sort, names in {
        "tool": "python typescript javascript rust golang java kotlin swift ruby php perl scala haskell"
        " elixir erlang docker kubernetes k8s terraform ansible jenkins git npm pnpm yarn pip poetry"
        " webpack vite babel eslint ruff mypy pytest jest mocha cypress playwright selenium django"
        " flask fastapi rails laravel react vue angular svelte nextjs nodejs deno express spring"
        " pytorch tensorflow numpy pandas scipy jupyter spark kafka rabbitmq celery airflow dbt nginx"
        " apache envoy istio helm grafana prometheus sentry datadog kibana elasticsearch opensearch"
        " postgres postgresql mysql mariadb sqlite mongodb redis memcached cassandra clickhouse duckdb"
        " dynamodb snowflake bigquery neo4j pinecone qdrant milvus weaviate pgvector graphql grpc"
        " protobuf openapi linux ubuntu debian macos windows android ios vim emacs vscode cursor"
        " windsurf intellij obsidian notion figma excel pydantic sqlalchemy alembic onnx ollama"
        " langchain opentelemetry vault consul nomad bazel gradle maven cmake tailwind bootstrap"
        " jquery redux sass eslint prettier tmux bash zsh powershell",
        "service": "github gitlab bitbucket aws azure gcp heroku vercel netlify cloudflare slack discord jira"
        " confluence trello asana zendesk stripe paypal twilio sendgrid mailchimp okta auth0"
        " dropbox gmail zoom youtube netflix spotify twitter facebook instagram linkedin reddit"
        " wikipedia whatsapp telegram uber airbnb",
        "organisation": "google microsoft apple amazon meta openai anthropic nvidia intel ibm oracle samsung"
        " sony tesla nasa nato who unicef",
        "product": "chatgpt claude gemini copilot iphone ipad macbook playstation xbox kindle alexa siri",
    }.items()
    for name in names.split()
}
# In small letters these are words like any other; the rest are names however they are written.
_AMBIGUOUS: Final = _words(
    "airflow airbnb alexa amazon android apple bash babel bootstrap celery claude consul copilot cursor cypress discord"
    " express excel figma flask gemini helm intel jest julia kindle linear mercury meta mocha nasa nato nomad notion"
    " obsidian oracle perl pip playwright poetry react redux ruby rust sass scala sentry siri slack spark spring stripe"
    " svelte swift uber vault who windows windsurf yarn zoom zsh tesla sony git"
)
PLAINLY_KNOWN: Final = KNOWN.keys() - _AMBIGUOUS
EXTENSIONS: Final = _words(
    "py pyi pyx ipynb ts tsx js jsx mjs cjs vue svelte rs go java kt kts scala rb php pl lua r jl c h cc cpp"
    " cxx hpp cs m mm swift dart ex exs erl hs clj el sh bash zsh fish ps1 bat sql graphql proto html htm css"
    " scss sass less xml xsd json jsonl yaml yml toml ini cfg conf env lock md mdx rst txt tex csv tsv parquet"
    " pdf doc docx xls xlsx ppt pptx odt png jpg jpeg gif svg webp mp3 mp4 mov wav zip gz xz tar tgz whl jar"
    " db sqlite log pem crt key tf tfvars gradle cmake mk dockerfile"
)
WELL_KNOWN_FILES: Final = _words("makefile dockerfile procfile jenkinsfile gemfile rakefile vagrantfile codeowners")
