-- The data model. Every key starts with the tenant; a local file has one. Times are microseconds since the epoch, UTC.

create table migration (
  number integer primary key,
  name text not null,
  checksum text not null,
  applied_at integer not null
) strict;

create table meta (
  tenant integer not null,
  key text not null,
  value any not null,
  primary key (tenant, key)
) strict, without rowid;

create table namespace (
  id integer primary key,
  tenant integer not null,
  path text not null,
  settings text not null default '{}',
  created_at integer not null,
  unique (tenant, path)
) strict;

-- `number` is the memory's place in the index; a changed text takes a new one, so an old posting can never be mistaken for a new one.
-- `previous` is the number of the memory before it in its thread or parent; that one's words count a little for it.
-- `speaker` are the terms of the name of who speaks in it; a question that names somebody looks for what that one said.
-- `wording` is shared by texts that differ in case and white space alone.
-- `change` is the store-wide count at the last change that a reader's index must follow.
create table memory (
  number integer primary key autoincrement,
  tenant integer not null,
  id text not null,
  change integer not null,
  namespace integer not null references namespace (id),
  kind text not null,
  subtype text,
  title text not null,
  title_given integer not null,
  thread text,
  previous integer,
  speaker text,
  author text,
  agent text,
  origin text not null,
  confidence real not null,
  verification text,
  status text not null,
  importance real not null,
  importance_given integer not null,
  volatility text not null,
  volatility_given integer not null,
  pinned integer not null,
  access_level text not null,
  language text,
  occurred_at integer not null,
  occurred_until integer,
  occurred_given integer not null,
  valid_from integer not null,
  valid_to integer,
  recorded_at integer not null,
  retired_at integer,
  updated_at integer not null,
  expires_at integer,
  last_confirmed_at integer,
  parent_id text,
  ordinal integer,
  version integer not null,
  content_hash text not null,
  signature text,
  identity blob,
  wording integer not null,
  length integer not null,
  embedded integer not null,
  access_count integer not null default 0,
  last_accessed_at integer,
  unique (tenant, id)
) strict;

-- The bulky parts, apart so that filters scan narrow rows.
create table body (
  number integer primary key,
  tenant integer not null,
  content text not null,
  context text,
  source text,
  evidence text,
  metadata text,
  verification_note text
) strict;

-- One a part of the source, of the memories that have it: ten together cost 3 microseconds a memory written.
create index body_source_type on body (tenant, json_extract(source, '$.type')) where json_extract(source, '$.type') is not null;
create index body_source_id on body (tenant, json_extract(source, '$.id')) where json_extract(source, '$.id') is not null;
create index body_source_path on body (tenant, json_extract(source, '$.path')) where json_extract(source, '$.path') is not null;
create index body_source_url on body (tenant, json_extract(source, '$.url')) where json_extract(source, '$.url') is not null;
create index body_source_repo on body (tenant, json_extract(source, '$.repo')) where json_extract(source, '$.repo') is not null;
create index body_source_thread on body (tenant, json_extract(source, '$.thread')) where json_extract(source, '$.thread') is not null;
create index body_source_tool_call on body (tenant, json_extract(source, '$.tool_call')) where json_extract(source, '$.tool_call') is not null;
create index body_source_language on body (tenant, json_extract(source, '$.language')) where json_extract(source, '$.language') is not null;
create index body_source_folder on body (tenant, json_extract(source, '$.folder')) where json_extract(source, '$.folder') is not null;
create index body_source_workspace on body (tenant, json_extract(source, '$.workspace')) where json_extract(source, '$.workspace') is not null;

create unique index memory_identity on memory (tenant, identity) where identity is not null;
create index memory_tail on memory (tenant, substr(id, -6));
create index memory_change on memory (tenant, change);
create index memory_recorded on memory (tenant, namespace, recorded_at);
create index memory_thread on memory (tenant, namespace, thread, recorded_at, id) where thread is not null;
create index memory_previous on memory (previous) where previous is not null;
create index memory_parent on memory (tenant, parent_id, ordinal) where parent_id is not null;
create index memory_pinned on memory (tenant, namespace) where pinned;
create index memory_author on memory (tenant, author, number);
create index memory_agent on memory (tenant, agent, number);
create index memory_unembedded on memory (tenant, number) where not embedded;

-- Numbers that no longer stand for anything, for readers whose index still holds them.
create table tombstone (
  number integer primary key,
  tenant integer not null,
  memory text not null,
  change integer not null
) strict;

create index tombstone_change on tombstone (tenant, change);
create index tombstone_memory on tombstone (tenant, memory);

create table tag (
  tenant integer not null,
  folded text not null,
  memory text not null,
  spelled text not null,
  place integer not null,
  primary key (tenant, folded, memory)
) strict, without rowid;

create index tag_memory on tag (tenant, memory, place);

create table version (
  tenant integer not null,
  memory text not null,
  number integer not null,
  state text not null,
  changed text not null,
  replaced_at integer not null,
  by text,
  reason text,
  primary key (tenant, memory, number)
) strict, without rowid;

create table relation (
  tenant integer not null,
  source text not null,
  target text not null,
  type text not null,
  weight real not null,
  origin text not null,
  certainty text not null,
  created_at integer not null,
  metadata text,
  primary key (tenant, source, target, type)
) strict, without rowid;

create index relation_target on relation (tenant, target);
create index relation_created on relation (tenant, created_at desc, source, target, type);

-- What memories speak of, by namespace. Its names are aliases: to merge two entities is to give the names of one to the other.
create table entity (
  id integer primary key autoincrement,
  tenant integer not null,
  namespace integer not null references namespace (id)
) strict;

-- `chosen` is 1 where a merge made it the name of its entity, 2 where a rename did: then it is shown though no text holds it.
create table alias (
  id integer primary key autoincrement,
  tenant integer not null,
  namespace integer not null references namespace (id),
  entity integer not null references entity (id),
  folded text not null,
  spelled text not null,
  kind text not null,
  chosen integer not null default 0,
  unique (tenant, namespace, folded, spelled, kind)
) strict;

create index alias_entity on alias (entity);
create index alias_folded on alias (tenant, folded);

-- Which memory mentions which name: its text holds it now, a caller said so, or, where neither, an earlier text held it.
-- That is kept because a name is known until the last memory that held it is erased.
create table mention (
  number integer not null,
  alias integer not null references alias (id),
  held integer not null,
  said integer not null,
  primary key (number, alias)
) strict, without rowid;

create index mention_alias on mention (alias, number);

-- A typed edge between two entities, as a memory says it.
create table entity_relation (
  tenant integer not null,
  number integer not null,
  source integer not null references alias (id),
  target integer not null references alias (id),
  type text not null,
  primary key (number, source, target, type)
) strict, without rowid;

create index entity_relation_source on entity_relation (source);
create index entity_relation_target on entity_relation (target);

create table event (
  id integer primary key autoincrement,
  tenant integer not null,
  at integer not null,
  operation text not null,
  principal text not null,
  agent text,
  memories text not null,
  fields text not null,
  reason text
) strict;

create index event_at on event (tenant, at);

create trigger event_is_never_changed before update on event begin
  select raise(abort, 'events are append-only');
end;

create trigger event_is_never_deleted before delete on event begin
  select raise(abort, 'events are append-only');
end;

create table job (
  id integer primary key autoincrement,
  tenant integer not null,
  kind text not null,
  memory text,
  payload text not null default '{}',
  run_at integer not null,
  leased_until integer not null default 0,
  attempts integer not null default 0,
  error text
) strict;

create unique index job_once on job (tenant, kind, memory);

create table proposal (
  id integer primary key autoincrement,
  tenant integer not null,
  kind text not null,
  memory text not null,
  other text,
  evidence text not null,
  created_at integer not null,
  decided_at integer,
  decision text
) strict;

create unique index proposal_once on proposal (tenant, kind, memory, other);

-- What recall showed to whom; a store of nearly the same text within a day is an echo.
create table delivery (
  tenant integer not null,
  principal text not null,
  agent text not null,
  memory text not null,
  at integer not null,
  primary key (tenant, principal, agent, memory)
) strict, without rowid;

create index delivery_at on delivery (tenant, at);

-- Questions that found nothing. `key` is the same for the same terms in any order; `place` is where the caller writes.
create table gap (
  id integer primary key autoincrement,
  tenant integer not null,
  principal text not null,
  place text not null,
  key text not null,
  query text not null,
  at integer not null
) strict;

create index gap_at on gap (tenant, at);

-- What deliveries and gaps come to by day, of those that are no longer kept.
create table daily (
  tenant integer not null,
  day integer not null,
  what text not null,
  count integer not null,
  primary key (tenant, day, what)
) strict, without rowid;

-- The keyword index. A memory's terms are kept by memory; sealed ones are also in posting lists by term, in blocks of 16,384 numbers.
create table terms (
  number integer primary key,
  tenant integer not null,
  list blob not null
) strict;

create table posting (
  id integer primary key,
  tenant integer not null,
  term text not null,
  block integer not null,
  count integer not null,
  numbers blob not null,
  weights blob not null,
  unique (tenant, term, block)
) strict;

-- The vector index: int8 codes with a scale, one or more a memory.
create table embedder (
  id integer primary key,
  tenant integer not null,
  identity text not null,
  dimensions integer not null,
  unique (tenant, identity, dimensions)
) strict;

create table vector (
  id integer primary key autoincrement,
  tenant integer not null,
  embedder integer not null references embedder (id),
  number integer not null,
  start integer not null,
  stop integer not null,
  scale real not null,
  code blob not null
) strict;

create index vector_number on vector (tenant, number, embedder);

-- Of a memory of one window the codes of its telling tokens, one bit a dimension each, with the vector that they belong to.
create table token (
  vector integer primary key references vector (id) on delete cascade,
  codes blob not null
) strict;
