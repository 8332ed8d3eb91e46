/**
 * What is published: a second copy of the zones in the form of messages, which a flush renders from the stored names. Every
 * changed name is in `dns_dirty` in the transaction that changed it, by triggers, so that no write can forget it: not the
 * one of another process, and not a cascade. `owner` is the name with its labels reversed, joined by char(1): the names
 * beneath one follow it in order. Zone 0 is the catalog (RFC 9432); its dirty names are those of zones that come and go.
 */
export const PUBLISH_SCHEMA = `
  CREATE TABLE dns_zone (
    id INTEGER PRIMARY KEY,
    apex TEXT NOT NULL UNIQUE,
    serial INTEGER NOT NULL,
    size INTEGER NOT NULL DEFAULT 0 -- octets of its records in dns_rr
  ) STRICT;
  CREATE TABLE dns_gone (apex TEXT PRIMARY KEY, serial INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE dns_rr (
    zone_id INTEGER NOT NULL,
    owner TEXT NOT NULL,
    type INTEGER NOT NULL,
    rdata BLOB NOT NULL,
    ttl INTEGER NOT NULL,
    PRIMARY KEY (zone_id, owner, type, rdata)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dns_journal (
    zone_id INTEGER NOT NULL,
    n INTEGER NOT NULL,
    serial_from INTEGER NOT NULL,
    serial_to INTEGER NOT NULL,
    gone BLOB NOT NULL,
    come BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (zone_id, n)
  ) STRICT;
  CREATE INDEX dns_journal_by_serial ON dns_journal (zone_id, serial_from);
  CREATE INDEX dns_journal_by_age ON dns_journal (at);
  CREATE TABLE dns_dirty (zone_id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (zone_id, name)) STRICT, WITHOUT ROWID;

  -- A serial begins with the time, so that it is higher than that of a copy that a name server may still have.
  -- ON CONFLICT and not OR IGNORE: the policy of the statement that fires a trigger would override that.
  CREATE TRIGGER dns_zone_comes AFTER INSERT ON zone BEGIN
    INSERT INTO dns_zone (id, apex, serial)
      VALUES (NEW.id, NEW.name, max(unixepoch(), coalesce((SELECT serial + 1 FROM dns_gone WHERE apex = NEW.name), 0)));
    DELETE FROM dns_gone WHERE apex = NEW.name;
    INSERT INTO dns_dirty VALUES (NEW.id, '@'), (0, NEW.name) ON CONFLICT DO NOTHING;
  END;
  -- Before the names of the zone go: they find no zone in dns_zone then, and leave no dirty names.
  CREATE TRIGGER dns_zone_goes BEFORE DELETE ON zone BEGIN
    INSERT INTO dns_gone SELECT apex, serial FROM dns_zone WHERE id = OLD.id ON CONFLICT DO UPDATE SET serial = excluded.serial;
    DELETE FROM dns_zone WHERE id = OLD.id;
    DELETE FROM dns_rr WHERE zone_id = OLD.id;
    DELETE FROM dns_journal WHERE zone_id = OLD.id;
    DELETE FROM dns_dirty WHERE zone_id = OLD.id;
    INSERT INTO dns_dirty VALUES (0, OLD.name) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_name_comes AFTER INSERT ON name BEGIN
    INSERT INTO dns_dirty VALUES (NEW.zone_id, NEW.name) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_name_changes AFTER UPDATE OF is_offline, offline_settings, is_blocked ON name
    WHEN NEW.is_offline <> OLD.is_offline OR NEW.is_blocked <> OLD.is_blocked
      OR NEW.offline_settings IS NOT OLD.offline_settings BEGIN
    INSERT INTO dns_dirty VALUES (NEW.zone_id, NEW.name) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_name_goes BEFORE DELETE ON name BEGIN
    INSERT INTO dns_dirty SELECT id, OLD.name FROM dns_zone WHERE id = OLD.zone_id ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_rrset_changes AFTER UPDATE OF ttl ON rrset WHEN NEW.ttl <> OLD.ttl BEGIN
    INSERT INTO dns_dirty SELECT zone_id, name FROM name WHERE id = NEW.name_id ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_rrset_goes BEFORE DELETE ON rrset BEGIN
    INSERT INTO dns_dirty SELECT zone_id, name FROM name WHERE id = OLD.name_id ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_rdata_comes AFTER INSERT ON rdata BEGIN
    INSERT INTO dns_dirty
      SELECT zone_id, name FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = NEW.rrset_id ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_rdata_changes AFTER UPDATE OF value ON rdata WHEN NEW.value <> OLD.value BEGIN
    INSERT INTO dns_dirty
      SELECT zone_id, name FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = NEW.rrset_id ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER dns_rdata_goes AFTER DELETE ON rdata BEGIN
    INSERT INTO dns_dirty
      SELECT zone_id, name FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = OLD.rrset_id ON CONFLICT DO NOTHING;
  END;

  INSERT INTO dns_zone (id, apex, serial) VALUES (0, '', unixepoch());
  INSERT INTO dns_zone (id, apex, serial) SELECT id, name, max(unixepoch(), serial + 1) FROM zone;
  INSERT INTO dns_dirty SELECT zone_id, name FROM name;
  INSERT OR IGNORE INTO dns_dirty SELECT id, '@' FROM zone;
  INSERT INTO dns_dirty SELECT 0, name FROM zone;
  ALTER TABLE zone DROP COLUMN serial;
`
