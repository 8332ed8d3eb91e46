import { TSIG_ALGORITHMS } from '../../../shared/dns/tsig.ts'
import { MAX_TTL } from '../../model/draft.ts'
import { MAX_RRSET_RECORDS } from '../../rules/state.ts'
import {
  MAX_DESCRIPTION_LENGTH,
  MAX_HOSTNAMES,
  MAX_METADATA_LENGTH,
  MAX_PASSWORD_LENGTH,
  MAX_SCOPES,
  MIN_PASSWORD_LENGTH,
} from '../request/limits.ts'
import {
  boolean,
  list,
  nullableString,
  nullableTime,
  openObject,
  ref,
  string,
  wholeNumber,
} from './schema.ts'

const rdata = list(ref('NewRdata'), 'The Rdata.', { maxItems: MAX_RRSET_RECORDS })
const ttl = wholeNumber('Time to live in seconds. Left out at creation: the default of the service.', {
  minimum: 0,
  maximum: MAX_TTL,
})
const dns_type = ref('DnsType', 'The DNS type of the RRSet.')
const metadata = ref('NewMetadata', 'Metadata to set. Keys that are not named stay.')
const DESCRIPTION = { maxLength: MAX_DESCRIPTION_LENGTH } as const
const updateGroup = (what: string) =>
  nullableString(`The username of the DDNS key that may update ${what}; null is none.`, {
    pattern: '^[a-z0-9]{7}$',
  })

/** The schemas of request bodies. They are open: see `openObject`. */
export const REQUEST_SCHEMAS = {
  NewMetadata: {
    type: 'object',
    description: `Keys of 1 to ${MAX_METADATA_LENGTH} characters, and values. The empty string as a value removes the key.`,
    propertyNames: { minLength: 1, maxLength: MAX_METADATA_LENGTH },
    additionalProperties: { type: 'string', maxLength: MAX_METADATA_LENGTH },
  },
  MetadataChange: openObject('A change of metadata.', { metadata }, ['metadata']),
  NewRdata: openObject(
    'One record of an RRSet.',
    {
      value: string('The data of the record in the presentation format of its type (RFC 1035 §5.1).'),
      label: string(
        'Identifies the Rdata in its RRSet; a new one does not begin with _. Left out: the service creates one.',
        {
          pattern: '^[A-Za-z0-9_-]{1,63}$',
        },
      ),
      update_group: updateGroup('this Rdata alone'),
    },
    ['value'],
  ),
  RdataChange: openObject(
    'The Rdata with the label in the path.',
    {
      value: string('The data of the record in the presentation format of its type (RFC 1035 §5.1).'),
      update_group: updateGroup('this Rdata alone'),
    },
    ['value'],
  ),
  NewRRSet: openObject('An RRSet to create.', { dns_type, ttl, rdata, metadata }, ['dns_type', 'rdata']),
  RRSetChange: openObject('What replaces the RRSet in the path. What is left out stays.', {
    ttl,
    rdata,
    metadata,
  }),
  RRSetPatch: openObject(
    'One change of a batch. What is left out stays; an empty rdata deletes the RRSet.',
    { name: string('The name, relative to the zone; @ is the apex.'), dns_type, ttl, rdata, metadata },
    ['name', 'dns_type'],
  ),
  NewName: openObject(
    'A name to create, with everything at it.',
    {
      name: string('The name, relative to the zone.', { minLength: 1 }),
      rrsets: list(ref('NewRRSet'), 'The RRSets of the name.'),
      metadata,
      update_group: updateGroup('the whole name'),
      offline: boolean('Whether the name is offline; an offline name needs offline_settings.'),
      offline_settings: ref('NewOfflineSettings', 'What is served while the name is offline.'),
    },
    ['name'],
  ),
  NamePatch: openObject('A change of a name. What is left out stays.', {
    name: string(
      'Its new name, relative to the zone. Its records, keys, metadata and offline settings stay with it.',
      {
        minLength: 1,
      },
    ),
    offline: boolean('Whether the name is offline; an offline name needs offline settings.'),
  }),
  NewOfflineSettings: openObject(
    'What is served while a name is offline.',
    {
      action: string('What is served: nothing, an address, a redirect, or a page.', {
        enum: ['none', 'record', 'redirect', 'page'],
      }),
      dns_type: string('For the action record: the type of the address.', { enum: ['A', 'AAAA'] }),
      rdata: string('For the action record: the address.'),
      url: string('For the action redirect: an absolute http or https URL.'),
      title: string('For the action page: its title.'),
      message: string('For the action page: its text.'),
      logo_url: string('For the action page: an absolute http or https URL of an image.'),
      email: string('For the action page: the e-mail address to contact.', { maxLength: 254 }),
    },
    ['action'],
  ),
  NewZone: openObject(
    'A zone to create.',
    { zone_name: string('The domain name of the zone, of two labels or more.'), metadata },
    ['zone_name'],
  ),
  ZonePatch: openObject('The settings of a zone. What is left out stays.', {
    description: string('A text for the user, such as what the zone is for.', DESCRIPTION),
    default_ttl: wholeNumber('Time to live of records that are made without one, in seconds.', {
      minimum: 0,
      maximum: MAX_TTL,
    }),
  }),
  KeyChange: openObject('The fields of a DDNS key. What is left out stays.', {
    description: string('A text for the user, such as the name of a device.', DESCRIPTION),
    hostnames: list(
      string('A whole name of this account.'),
      'The names that the key may update; the empty list detaches all targets.',
      { maxItems: MAX_HOSTNAMES },
    ),
    regenerate_password: boolean(
      'In a change: whether the key gets a new password, which the response shows.',
    ),
  }),
  NewApiKey: openObject('An API key to create.', {
    description: string('A text for the user, such as the name of a program.', DESCRIPTION),
    scopes: list(
      string('read, zone:NAME, name:FQDN or type:TYPE.'),
      'What the key is limited to; without scopes it may do all that the account may do.',
      { maxItems: MAX_SCOPES },
    ),
    expires_at: nullableTime('When the key stops working, in UTC; null is never.'),
  }),
  Challenge: openObject(
    'A challenge of the type dns-01: `fqdn` and `value`, or `domain` and `keyAuth` (RFC 8555 §8.4).',
    {
      fqdn: string('The name of the TXT record, with or without a dot at the end.'),
      value: string('The text of the TXT record.'),
      domain: string('The name that the certificate is for; the record is at _acme-challenge beneath it.'),
      token: string('Not used.'),
      keyAuth: string('The key authorization; the record has its digest.'),
    },
  ),
  PasswordChange: openObject(
    'A new password of the account.',
    {
      old_password: string('The present password.'),
      new_password: string('The password from now on, without control characters.', {
        minLength: MIN_PASSWORD_LENGTH,
        maxLength: MAX_PASSWORD_LENGTH,
      }),
    },
    ['old_password', 'new_password'],
  ),
  ApiKeyChange: openObject('The fields of an API key that change. What is left out stays.', {
    description: string('A text for the user, such as the name of a program.', DESCRIPTION),
    scopes: list(
      string('read, zone:NAME, name:FQDN or type:TYPE.'),
      'All scopes of the key. The present ones cover each of them, and each kind of them stays.',
      { maxItems: MAX_SCOPES },
    ),
    expires_at: nullableTime('When the key stops working, in UTC: earlier than it would now.'),
  }),
  NewTotp: openObject('An authenticator app to add.', {
    description: string('A text of the user, such as the name of the phone.'),
  }),
  FactorCode: openObject('A code of an authenticator app.', { code: string('Six digits.') }, ['code']),
  NewTsigKey: openObject('A TSIG key to create.', {
    description: string('A text for the user, such as the name of a program.', DESCRIPTION),
    algorithm: string('The algorithm of the signatures; hmac-sha256 without it.', {
      enum: Object.keys(TSIG_ALGORITHMS),
    }),
    scopes: list(
      string('read, zone:NAME, name:FQDN or type:TYPE.'),
      'What the key is limited to; without scopes it may change all records that the account may change.',
      { maxItems: MAX_SCOPES },
    ),
    expires_at: nullableTime('When the key stops working, in UTC; null is never.'),
  }),
}
