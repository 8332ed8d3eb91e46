/** The first script of the migrations. Names of columns are those of its time. */
export const FIRST_SCHEMA = `
  CREATE TABLE plan (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    most_names INTEGER NOT NULL,
    most_rdata INTEGER NOT NULL,
    most_name_metadata INTEGER NOT NULL,
    most_rrset_metadata INTEGER NOT NULL,
    least_ttl INTEGER NOT NULL,
    fixed_ttl INTEGER,
    types TEXT,
    has_offline INTEGER NOT NULL,
    has_wildcards INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    password_hash BLOB NOT NULL,
    plan_id INTEGER NOT NULL REFERENCES plan (id),
    is_website_only INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    description TEXT NOT NULL,
    scopes TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT;
  CREATE INDEX api_key_of_account ON api_key (account_id);

  CREATE TABLE zone (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES account (id),
    is_shared INTEGER NOT NULL DEFAULT 0,
    is_prohibited INTEGER NOT NULL DEFAULT 0,
    is_website_only INTEGER NOT NULL DEFAULT 0,
    is_closed_to_new_names INTEGER NOT NULL DEFAULT 0,
    is_members_only INTEGER NOT NULL DEFAULT 0,
    has_no_new_rdata INTEGER NOT NULL DEFAULT 0,
    has_wildcards INTEGER NOT NULL DEFAULT 1,
    types TEXT,
    owner_only_types TEXT,
    most_labels INTEGER,
    least_ttl INTEGER,
    fixed_ttl INTEGER,
    default_ttl INTEGER NOT NULL DEFAULT 60,
    serial INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    published_at INTEGER
  ) STRICT;
  CREATE INDEX zone_of_account ON zone (account_id);

  CREATE TABLE zone_member (
    zone_id INTEGER NOT NULL REFERENCES zone (id) ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    PRIMARY KEY (zone_id, account_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE zone_metadata (
    zone_id INTEGER NOT NULL REFERENCES zone (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (zone_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ddns_key (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    username TEXT NOT NULL UNIQUE,
    password_hash BLOB NOT NULL,
    description TEXT NOT NULL,
    group_label TEXT,
    is_locked INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    UNIQUE (account_id, group_label)
  ) STRICT;

  CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    zone_id INTEGER NOT NULL REFERENCES zone (id) ON DELETE CASCADE,
    account_id INTEGER NOT NULL REFERENCES account (id),
    name TEXT NOT NULL,
    fqdn TEXT NOT NULL,
    labels_reversed TEXT NOT NULL,
    is_prohibited INTEGER NOT NULL DEFAULT 0,
    is_offline INTEGER NOT NULL DEFAULT 0,
    offline_settings TEXT,
    key_id INTEGER REFERENCES ddns_key (id) ON DELETE SET NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    published_at INTEGER,
    UNIQUE (zone_id, name)
  ) STRICT;
  CREATE INDEX name_by_fqdn ON name (fqdn);
  CREATE INDEX name_of_account ON name (account_id);
  CREATE INDEX name_of_key ON name (key_id) WHERE key_id IS NOT NULL;

  CREATE TABLE name_metadata (
    name_id INTEGER NOT NULL REFERENCES name (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rrset (
    id INTEGER PRIMARY KEY,
    name_id INTEGER NOT NULL REFERENCES name (id) ON DELETE CASCADE,
    dns_type TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    is_system INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (name_id, dns_type)
  ) STRICT;

  CREATE TABLE rrset_metadata (
    rrset_id INTEGER NOT NULL REFERENCES rrset (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (rrset_id, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rdata (
    id INTEGER PRIMARY KEY,
    rrset_id INTEGER NOT NULL REFERENCES rrset (id) ON DELETE CASCADE,
    label TEXT NOT NULL COLLATE NOCASE,
    value TEXT NOT NULL,
    key_id INTEGER REFERENCES ddns_key (id) ON DELETE SET NULL,
    is_system INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (rrset_id, label)
  ) STRICT;
  CREATE INDEX rdata_by_value ON rdata (rrset_id, value);
  CREATE INDEX rdata_of_key ON rdata (key_id) WHERE key_id IS NOT NULL;

  CREATE TABLE usage (
    subject TEXT PRIMARY KEY,
    requests_ring BLOB NOT NULL,
    refusals_ring BLOB NOT NULL,
    blocked_until INTEGER,
    undescriptive INTEGER NOT NULL DEFAULT 0,
    used_at INTEGER NOT NULL,
    agent TEXT NOT NULL,
    peer TEXT NOT NULL,
    reply TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE nochg (
    subject TEXT NOT NULL,
    hostname TEXT NOT NULL,
    ring BLOB NOT NULL,
    PRIMARY KEY (subject, hostname)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE login_failure (
    peer TEXT PRIMARY KEY,
    ring BLOB NOT NULL,
    deaf_until INTEGER
  ) STRICT, WITHOUT ROWID;
`
