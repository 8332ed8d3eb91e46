/**
 * What the triggers of SQLite do, in PL/pgSQL: what accounts hold (`migrations.ts`), and which names have changed since
 * they were published (`publish-schema.ts`). In both, cascades run after the row of their owner is deleted. Changed
 * values are marked once for each statement, in the order of zone and name, because a batch of updates is one
 * statement.
 */
const MARK = 'ON CONFLICT (zone_id, name) DO UPDATE SET stamp = excluded.stamp'
const UPDATE_HOLDING = (
  change: string,
  rrset: string,
): string => `UPDATE holding SET rdata = holding.rdata ${change}
      FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = ${rrset}
      AND holding.account_id = name.account_id AND block = name.id / 1024 AND holding.zone_id = name.zone_id`
const MARK_OF_RRSET = (rrset: string): string => `INSERT INTO dns_dirty (zone_id, name)
      SELECT zone_id, name FROM rrset JOIN name ON name.id = name_id WHERE rrset.id = ${rrset} ${MARK}`

interface Trigger {
  readonly name: string
  readonly when: string
  readonly body: string
}

// biome-ignore format: a table
const TRIGGERS: readonly Trigger[] = [
  { name: 'name_comes', when: 'AFTER INSERT ON name FOR EACH ROW', body: `
    INSERT INTO holding VALUES (NEW.account_id, NEW.id / 1024, NEW.zone_id, 1, 0)
      ON CONFLICT (account_id, block, zone_id) DO UPDATE SET names = holding.names + 1;
    INSERT INTO dns_dirty (zone_id, name) VALUES (NEW.zone_id, NEW.name) ${MARK};` },
  { name: 'name_goes', when: 'BEFORE DELETE ON name FOR EACH ROW', body: `
    UPDATE holding SET names = names - 1, rdata = rdata -
        (SELECT count(*) FROM rrset JOIN rdata ON rdata.rrset_id = rrset.id WHERE rrset.name_id = OLD.id)
      WHERE account_id = OLD.account_id AND block = OLD.id / 1024 AND zone_id = OLD.zone_id;
    DELETE FROM holding
      WHERE account_id = OLD.account_id AND block = OLD.id / 1024 AND zone_id = OLD.zone_id AND names = 0;
    INSERT INTO dns_dirty (zone_id, name) SELECT id, OLD.name FROM dns_zone WHERE id = OLD.zone_id ${MARK};
    RETURN OLD;` },
  { name: 'name_changes', when: `AFTER UPDATE OF is_offline, offline_settings, is_blocked ON name FOR EACH ROW
      WHEN (NEW.is_offline <> OLD.is_offline OR NEW.is_blocked <> OLD.is_blocked
        OR NEW.offline_settings IS DISTINCT FROM OLD.offline_settings)`, body: `
    INSERT INTO dns_dirty (zone_id, name) VALUES (NEW.zone_id, NEW.name) ${MARK};` },
  { name: 'rrset_goes', when: 'BEFORE DELETE ON rrset FOR EACH ROW', body: `
    UPDATE holding SET rdata = holding.rdata - (SELECT count(*) FROM rdata WHERE rrset_id = OLD.id)
      FROM name WHERE name.id = OLD.name_id
      AND holding.account_id = name.account_id AND block = name.id / 1024 AND holding.zone_id = name.zone_id;
    INSERT INTO dns_dirty (zone_id, name) SELECT zone_id, name FROM name WHERE id = OLD.name_id ${MARK};
    RETURN OLD;` },
  { name: 'rrset_changes', when: 'AFTER UPDATE OF ttl ON rrset FOR EACH ROW WHEN (NEW.ttl <> OLD.ttl)', body: `
    INSERT INTO dns_dirty (zone_id, name) SELECT zone_id, name FROM name WHERE id = NEW.name_id ${MARK};` },
  { name: 'rdata_comes', when: 'AFTER INSERT ON rdata FOR EACH ROW', body: `
    ${UPDATE_HOLDING('+ 1', 'NEW.rrset_id')};
    ${MARK_OF_RRSET('NEW.rrset_id')};` },
  { name: 'rdata_goes', when: 'AFTER DELETE ON rdata FOR EACH ROW', body: `
    ${UPDATE_HOLDING('- 1', 'OLD.rrset_id')};
    ${MARK_OF_RRSET('OLD.rrset_id')};` },
  { name: 'rdata_changes', when: `AFTER UPDATE ON rdata REFERENCING OLD TABLE AS went NEW TABLE AS came
      FOR EACH STATEMENT`, body: `
    INSERT INTO dns_dirty (zone_id, name)
      SELECT DISTINCT name.zone_id, name.name FROM came JOIN went ON went.id = came.id
        JOIN rrset ON rrset.id = came.rrset_id JOIN name ON name.id = name_id
        WHERE came.value <> went.value ORDER BY 1, 2 ${MARK};` },
  { name: 'zone_comes', when: 'AFTER INSERT ON zone FOR EACH ROW', body: `
    INSERT INTO dns_zone (id, apex, serial) VALUES (NEW.id, NEW.name,
      greatest(extract(epoch FROM clock_timestamp())::bigint, (SELECT serial + 1 FROM dns_gone WHERE apex = NEW.name)));
    DELETE FROM dns_gone WHERE apex = NEW.name;
    INSERT INTO dns_dirty (zone_id, name) VALUES (NEW.id, '@'), (0, NEW.name) ${MARK};` },
  { name: 'zone_goes', when: 'BEFORE DELETE ON zone FOR EACH ROW', body: `
    INSERT INTO dns_gone SELECT apex, serial FROM dns_zone WHERE id = OLD.id
      ON CONFLICT (apex) DO UPDATE SET serial = excluded.serial;
    DELETE FROM dns_zone WHERE id = OLD.id;
    DELETE FROM dns_rr WHERE zone_id = OLD.id;
    DELETE FROM dns_journal WHERE zone_id = OLD.id;
    DELETE FROM dns_dirty WHERE zone_id = OLD.id;
    INSERT INTO dns_dirty (zone_id, name) VALUES (0, OLD.name) ${MARK};
    RETURN OLD;` },
]

/** As statements; `name`, `value` and others are columns there, and no variables have such names. */
const statementsOf = ({ name, when, body }: Trigger): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}
    ${body.includes('RETURN OLD') ? '' : 'RETURN NULL;'} END $$;
CREATE TRIGGER ${name} ${when} EXECUTE FUNCTION ${name}();`

export const POSTGRES_TRIGGERS = TRIGGERS.map(statementsOf).join('\n')

export const PROOF_TRIGGER = statementsOf({
  name: 'zone_is_proved',
  when: `AFTER UPDATE OF awaits_proof ON zone FOR EACH ROW WHEN (NEW.awaits_proof <> OLD.awaits_proof)`,
  body: `
    INSERT INTO dns_dirty (zone_id, name) VALUES (NEW.id, ''), (0, NEW.name) ${MARK};`,
})
