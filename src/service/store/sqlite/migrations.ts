import { FIRST_SCHEMA } from './first-schema.ts'
import { PUBLISH_SCHEMA } from './publish-schema.ts'

/**
 * The schema, one script per version; `user_version` of the database is the number of scripts applied. Scripts are
 * never edited after a release, only added. Times are milliseconds since the epoch; `buckets` and
 * `*_buckets` are pairs of 32-bit numbers: the start of a bucket in seconds since the epoch, and its count.
 */
export const MIGRATIONS: readonly string[] = [
  FIRST_SCHEMA,
  // The orders in which long listings are read.
  `
  CREATE INDEX name_in_order ON name (account_id, replace(labels_reversed, '.', char(1)));
  CREATE INDEX name_by_age ON name (account_id, created_at);
  `,
  // What an account holds, so that a page of a listing or a quota does not count a million rows (decision 0018). By
  // blocks of 1024 names in the order of their ids, so it also shows where a page deep in a listing begins. Triggers
  // maintain it. A name is deleted before what is at it (ON DELETE CASCADE), so each level subtracts all that is still
  // below it.
  `
  CREATE TABLE holding (
    account_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    zone_id INTEGER NOT NULL,
    names INTEGER NOT NULL,
    rdata INTEGER NOT NULL,
    PRIMARY KEY (account_id, block, zone_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX holding_of_zone ON holding (zone_id, block, names);
  INSERT INTO holding SELECT account_id, id / 1024, zone_id, count(*),
      sum((SELECT count(*) FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = name.id))
    FROM name GROUP BY 1, 2, 3;

  CREATE TRIGGER name_comes AFTER INSERT ON name BEGIN
    INSERT INTO holding VALUES (NEW.account_id, NEW.id / 1024, NEW.zone_id, 1, 0)
      ON CONFLICT DO UPDATE SET names = names + 1;
  END;
  CREATE TRIGGER name_goes BEFORE DELETE ON name BEGIN
    UPDATE holding SET names = names - 1, rdata = rdata -
        (SELECT count(*) FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = OLD.id)
      WHERE account_id = OLD.account_id AND block = OLD.id / 1024 AND zone_id = OLD.zone_id;
    DELETE FROM holding
      WHERE account_id = OLD.account_id AND block = OLD.id / 1024 AND zone_id = OLD.zone_id AND names = 0;
  END;
  CREATE TRIGGER rrset_goes BEFORE DELETE ON rrset BEGIN
    UPDATE holding SET rdata = rdata - (SELECT count(*) FROM rdata WHERE rrset_id = OLD.id)
      WHERE (account_id, block, zone_id) = (SELECT account_id, id / 1024, zone_id FROM name WHERE id = OLD.name_id);
  END;
  CREATE TRIGGER rdata_comes AFTER INSERT ON rdata BEGIN
    UPDATE holding SET rdata = rdata + 1 WHERE (account_id, block, zone_id) =
      (SELECT account_id, name.id / 1024, zone_id FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = NEW.rrset_id);
  END;
  CREATE TRIGGER rdata_goes AFTER DELETE ON rdata BEGIN
    UPDATE holding SET rdata = rdata - 1 WHERE (account_id, block, zone_id) =
      (SELECT account_id, name.id / 1024, zone_id FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = OLD.rrset_id);
  END;

  CREATE INDEX name_of_zone ON name (zone_id);
  CREATE INDEX name_by_name ON name (account_id, name);
  CREATE INDEX name_locked ON name (zone_id) WHERE is_prohibited = 1;
  -- It was written at every change of an address, for values that are few in one RRSet and seldom looked for elsewhere.
  DROP INDEX rdata_by_value;
  CREATE INDEX name_metadata_by_value ON name_metadata (key, value);
  CREATE INDEX rrset_metadata_by_value ON rrset_metadata (key, value);
  `,
  // Names only: the columns are called what the program and the specification call them.
  `
  ALTER TABLE plan RENAME COLUMN most_names TO max_names;
  ALTER TABLE plan RENAME COLUMN most_rdata TO max_rdata;
  ALTER TABLE plan RENAME COLUMN most_name_metadata TO max_name_metadata;
  ALTER TABLE plan RENAME COLUMN most_rrset_metadata TO max_rrset_metadata;
  ALTER TABLE plan RENAME COLUMN least_ttl TO min_ttl;
  ALTER TABLE zone RENAME COLUMN most_labels TO max_labels;
  ALTER TABLE zone RENAME COLUMN least_ttl TO min_ttl;
  ALTER TABLE usage RENAME COLUMN requests_ring TO request_times;
  ALTER TABLE usage RENAME COLUMN refusals_ring TO refusal_times;
  ALTER TABLE usage RENAME COLUMN undescriptive TO nondescriptive;
  ALTER TABLE nochg RENAME COLUMN ring TO times;
  ALTER TABLE login_failure RENAME COLUMN ring TO times;
  ALTER TABLE login_failure RENAME COLUMN deaf_until TO blocked_until;
  `,
  // What an operator can suspend and block; which hash key a hash was made with; what a shared zone allows. The wildcards of
  // a zone have three values: allowed, not allowed, or as usual for a zone of its kind.
  `
  CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  ALTER TABLE account ADD COLUMN is_suspended INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ddns_key ADD COLUMN is_blocked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ddns_key ADD COLUMN hash_key INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE api_key ADD COLUMN hash_key INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE name ADD COLUMN is_blocked INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX name_blocked ON name (zone_id) WHERE is_blocked = 1;
  ALTER TABLE zone ADD COLUMN wildcards INTEGER;
  UPDATE zone SET wildcards = 0 WHERE has_wildcards = 0;
  ALTER TABLE zone DROP COLUMN has_wildcards;
  ALTER TABLE zone ADD COLUMN has_open_nesting INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX name_beneath ON name (labels_reversed);
  CREATE INDEX login_failure_blocked ON login_failure (blocked_until) WHERE blocked_until IS NOT NULL;
  CREATE INDEX usage_blocked ON usage (blocked_until) WHERE blocked_until IS NOT NULL;
  `,
  // Counts are of buckets instead of one timestamp per event. The timestamps are dropped, because no count is of more than
  // a day; blocks and lockouts remain.
  `
  UPDATE usage SET request_times = x'', refusal_times = x'';
  DELETE FROM nochg;
  DELETE FROM login_failure WHERE blocked_until IS NULL;
  UPDATE login_failure SET times = x'', peer = 'update ' || peer;
  ALTER TABLE usage RENAME COLUMN request_times TO request_buckets;
  ALTER TABLE usage RENAME COLUMN refusal_times TO refusal_buckets;
  ALTER TABLE nochg RENAME COLUMN times TO buckets;
  ALTER TABLE login_failure RENAME COLUMN times TO buckets;
  `,
  // The target of a record: the last field of a value that ends with a dot. An address has none, so a change of an address
  // does not write the index.
  `
  CREATE INDEX rdata_by_target ON rdata (substr(value, length(rtrim(value, replace(value, ' ', ''))) + 1))
    WHERE substr(value, -1) = '.';
  `,
  // A name that was made by POST of Rdata is deleted with its last record.
  `
  ALTER TABLE name ADD COLUMN is_implicit INTEGER NOT NULL DEFAULT 0;
  `,
  // A limit for DDNS keys.
  `
  ALTER TABLE plan ADD COLUMN max_keys INTEGER NOT NULL DEFAULT 1000;
  `,
  // Changes by `holdfast admin`, until they are in the log of the service. An id is never used again.
  `
  CREATE TABLE operator_change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    operator TEXT NOT NULL,
    operation TEXT NOT NULL,
    subject TEXT NOT NULL
  ) STRICT;
  `,
  // Counters and caches know keys and accounts by their ids, so an id is never used again.
  `
  CREATE TABLE last_id (of TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER account_id_goes AFTER DELETE ON account BEGIN
    INSERT INTO last_id VALUES ('account', OLD.id) ON CONFLICT DO UPDATE SET id = max(id, excluded.id);
  END;
  CREATE TRIGGER ddns_key_id_goes AFTER DELETE ON ddns_key BEGIN
    INSERT INTO last_id VALUES ('ddns_key', OLD.id) ON CONFLICT DO UPDATE SET id = max(id, excluded.id);
  END;
  CREATE TRIGGER api_key_id_goes AFTER DELETE ON api_key BEGIN
    INSERT INTO last_id VALUES ('api_key', OLD.id) ON CONFLICT DO UPDATE SET id = max(id, excluded.id);
  END;
  `,
  PUBLISH_SCHEMA,
  // The next content of a zone, which comes in steps (decision 0050). Its zone is hidden: it has the name "#" and its id.
  `
  CREATE TABLE zone_draft (
    id INTEGER PRIMARY KEY REFERENCES zone (id) ON DELETE CASCADE,
    of_zone INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
  ) STRICT;
  `,
  // Who changed what (decision 0051). The entries of an account are numbered, those of updates apart.
  `
  CREATE TABLE trail (
    account_id INTEGER NOT NULL,
    is_update INTEGER NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    peer TEXT NOT NULL,
    operation TEXT NOT NULL,
    subject TEXT NOT NULL,
    dns_type TEXT,
    went TEXT,
    came TEXT,
    PRIMARY KEY (account_id, is_update, n)
  ) STRICT, WITHOUT ROWID;
  `,
  // A note on a zone. Keys that sign UPDATE messages, with secrets that are sealed; the MACs of the messages that were
  // handled, for as long as they could be sent again (decision 0056).
  `
  ALTER TABLE zone ADD COLUMN description TEXT NOT NULL DEFAULT '';
  CREATE TABLE tsig_key (
    name TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    algorithm TEXT NOT NULL,
    sealed BLOB NOT NULL,
    description TEXT NOT NULL,
    scopes TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tsig_key_of_account ON tsig_key (account_id);
  CREATE TABLE dns_update (mac BLOB PRIMARY KEY, rcode INTEGER NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX dns_update_by_age ON dns_update (at);
  `,
  // Sessions of the website, by the hash of what the browser has. Codes of links that are used once, by their hashes too.
  `
  CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    api_key_id INTEGER REFERENCES api_key (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    proved_at INTEGER NOT NULL,
    needs_factor INTEGER NOT NULL,
    peer TEXT NOT NULL,
    program TEXT NOT NULL
  ) STRICT;
  CREATE INDEX session_of_account ON session (account_id);
  CREATE INDEX session_of_api_key ON session (api_key_id) WHERE api_key_id IS NOT NULL;
  CREATE TABLE one_time_code (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    purpose TEXT NOT NULL,
    account_id INTEGER REFERENCES account (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE second_factor (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    description TEXT NOT NULL,
    content BLOB NOT NULL,
    counter INTEGER NOT NULL,
    is_confirmed INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT;
  CREATE INDEX second_factor_of_account ON second_factor (account_id);
  CREATE INDEX one_time_code_of_account ON one_time_code (account_id) WHERE account_id IS NOT NULL;
  `,
  // Accounts of operators, where mail for an account goes, and plans whose accounts need a second factor.
  `
  ALTER TABLE account ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN email TEXT NOT NULL DEFAULT '';
  ALTER TABLE plan ADD COLUMN needs_factor INTEGER NOT NULL DEFAULT 0;
  `,
  // What outlives a DDNS key; sign-ins and events of accounts; addresses that are confirmed; zones that wait for a proof.
  `
  CREATE TABLE sanction (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    source TEXT NOT NULL,
    last_key_id INTEGER NOT NULL,
    requests BLOB NOT NULL,
    refusals BLOB NOT NULL,
    nochgs BLOB NOT NULL,
    blocked_until INTEGER,
    is_blocked INTEGER NOT NULL,
    is_locked INTEGER NOT NULL,
    ends_at INTEGER,
    PRIMARY KEY (account_id, subject, source)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sign_in (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    network TEXT NOT NULL,
    peer TEXT NOT NULL,
    credential TEXT NOT NULL,
    program TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sign_in_of_account ON sign_in (account_id, id);
  CREATE TABLE account_event (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    subject TEXT NOT NULL,
    mail_to TEXT NOT NULL, -- empty: it causes no message
    mailed_at INTEGER
  ) STRICT;
  CREATE INDEX account_event_of_account ON account_event (account_id, id);
  CREATE INDEX account_event_to_mail ON account_event (id) WHERE mail_to <> '' AND mailed_at IS NULL;
  CREATE INDEX account_event_to_confirm ON account_event (lower(mail_to)) WHERE kind = 'emailGiven';
  ALTER TABLE account ADD COLUMN is_email_confirmed INTEGER NOT NULL DEFAULT 0;
  -- They were given by a person who had just shown the password, and links for a new one went there.
  UPDATE account SET is_email_confirmed = 1 WHERE email <> '';
  ALTER TABLE zone ADD COLUMN awaits_proof INTEGER NOT NULL DEFAULT 0;
  CREATE TRIGGER dns_zone_is_proved AFTER UPDATE OF awaits_proof ON zone WHEN NEW.awaits_proof <> OLD.awaits_proof BEGIN
    INSERT INTO dns_dirty VALUES (NEW.id, ''), (0, NEW.name) ON CONFLICT DO NOTHING;
  END;
  `,
]
