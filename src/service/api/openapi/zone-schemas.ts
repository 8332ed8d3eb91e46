import { NAME_PUBLICATIONS, ZONE_PUBLICATIONS } from '../../model/publication.ts'
import { MAX_PENDING } from '../request/limits.ts'
import {
  boolean,
  closedObject,
  type Described,
  list,
  nullableBoolean,
  nullableList,
  nullableNumber,
  nullableString,
  nullableTime,
  ref,
  type Schema,
  string,
  time,
  wholeNumber,
} from './schema.ts'

export const SERIAL = { minimum: 0, maximum: 4_294_967_295 } as const

export const PUBLICATION_OF_ZONE = string(
  'What name servers give: all that is stored (published); all but the last change (pending); all, but not yet at every ' +
    'name server (behind); nothing, because no name server answers for the zone (unserved), or because the zone is not ' +
    'proved to belong to its owner (unproved).',
  { enum: ZONE_PUBLICATIONS },
)
export const PUBLICATION_OF_NAME = string(
  'What name servers give, as for a zone; or else: the records break a rule of DNS, and the last good ones are given ' +
    '(stuck), the operator has blocked the name (blocked), it is offline (offline), or has no address yet (no_address).',
  { enum: NAME_PUBLICATIONS },
)

const proof = closedObject('The TXT that proves it.', {
  name: string('The name of the TXT.'),
  value: string('Its text.'),
})
export const PROOF_OF_ZONE: Schema<Described<typeof proof> | null> = {
  ...proof,
  type: ['object', 'null'],
  description: 'The TXT record that proves the ownership of an unproved zone; null if the zone is proved.',
}

/** How far a zone is published, and what the DNS gives of it. */
export const ZONE_STATE_SCHEMAS = {
  Publication: closedObject('How far the changes of a zone are published.', {
    publication: PUBLICATION_OF_ZONE,
    serial: wholeNumber('The serial number that the service gives now (RFC 1035 §3.3.13).', SERIAL),
    published_at: nullableTime(
      'When the service published the last change, in UTC; null if that was never, or is longer ago than a day.',
    ),
    pending: wholeNumber(`How many names are changed and not published yet, up to ${MAX_PENDING}.`, {
      minimum: 0,
      maximum: MAX_PENDING,
    }),
    nameservers: list(
      ref('PublishedServer'),
      'The name servers that fetch the zone, as the node that answers knows them since it started.',
    ),
  }),
  PublishedServer: closedObject('A name server that fetches a zone from the service.', {
    server: string('Its name.'),
    serial: nullableNumber('The serial number that it was last seen with; null: not seen.', SERIAL),
    behind: nullableBoolean('Whether it has not fetched a change that it was notified of; null: not known.'),
    checked_at: nullableTime('When it was seen with this serial, in UTC.'),
    signs: boolean('Whether it signs the zone (DNSSEC); its serial is its own then.'),
  }),
  Delegation: closedObject('What the DNS serves for a zone. What did not answer in time is null.', {
    checked_at: time('When the DNS was looked at, in UTC; it is the same for a minute.'),
    parent: closedObject('What the parent zone has for the zone.', {
      zone_name: nullableString('The parent zone.'),
      nameservers: nullableList(string('A host name.'), 'Its NS.'),
      ds: nullableList(string('A DS.'), 'Its DS (RFC 4034 §5.3).'),
    }),
    nameservers: list(
      ref('DelegatedServer'),
      'The name servers of the service, and those that the parent has.',
    ),
    advice: list(string('One sentence.'), 'What to do, such as at the registrar. Empty: nothing was found.'),
  }),
  DelegatedServer: closedObject('What one name server serves for a zone.', {
    server: string('Its name.'),
    own: boolean('Whether it belongs to the service.'),
    at_parent: nullableBoolean('Whether the parent has an NS for it.'),
    answers: boolean('Whether it answers.'),
    authoritative: boolean('Whether it answers for the zone, with authority.'),
    serial: nullableNumber('The serial number that it gives.', SERIAL),
    dnskeys: nullableNumber('How many DNSSEC keys it serves.', { minimum: 0 }),
  }),
}
