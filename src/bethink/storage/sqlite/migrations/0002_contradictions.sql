-- The few edges that every search needs.
create index relation_contradicts on relation (tenant) where type = 'contradicts' and certainty = 'extracted';

-- From here on `wording` leaves sentence marks out too; what was written before keeps its own until it is edited.
