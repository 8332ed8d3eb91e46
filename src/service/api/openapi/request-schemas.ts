import { parseInstant } from '../../../shared/base/time.ts'
import { TSIG_ALGORITHMS, type TsigAlgorithm } from '../../../shared/dns/tsig.ts'
import { asciiName, parseTarget } from '../../model/dns-name.ts'
import { MAX_RRSET_RECORDS, MAX_TTL } from '../../model/draft.ts'
import { parseScope, SCOPE_FORMS } from '../../rules/permission.ts'
import {
  isNewPassword,
  MAX_CHANGES,
  MAX_DESCRIPTION_LENGTH,
  MAX_HOSTNAMES,
  MAX_METADATA_LENGTH,
  MAX_PASSWORD_LENGTH,
  MAX_SCOPES,
  MIN_PASSWORD_LENGTH,
} from '../request/limits.ts'
import {
  boolean,
  closedObject,
  coded,
  list,
  nullableString,
  nullableTime,
  openObject,
  ref,
  ruled,
  string,
  texts,
  wholeNumber,
} from './schema.ts'

const rdata = coded(list(ref('NewRdata'), 'The Rdata.', { maxItems: MAX_RRSET_RECORDS }))
const ttl = coded(
  wholeNumber('Time to live in seconds. Left out at creation: the default of the service.', {
    minimum: 0,
    maximum: MAX_TTL,
  }),
)
const dns_type = coded(ref('DnsType', 'The DNS type of the RRSet.'))
export const METADATA = ref('NewMetadata', 'Metadata to set. Keys that are not named stay.')
const metadata = METADATA
const DESCRIPTION = { maxLength: MAX_DESCRIPTION_LENGTH } as const
const updateGroup = (what: string) =>
  coded(
    nullableString(`The username of the DDNS key that may update ${what}; null is none.`, {
      pattern: '^[a-z0-9]{7}$',
    }),
  )
const value = coded(string('The data of the record in the presentation format of its type (RFC 1035 §5.1).'))
const scopes = (what: string) =>
  list(
    ruled(
      string('read, zone:NAME, name:FQDN or type:TYPE.'),
      `one of ${SCOPE_FORMS}`,
      (text) => parseScope(text) !== undefined,
    ),
    what,
    { maxItems: MAX_SCOPES },
  )
const expires = (what: string) =>
  ruled(
    nullableTime(`When the key stops working, in UTC${what}`),
    'a time to come in UTC, such as 2031-01-31T00:00:00Z',
    (text) => text === null || parseInstant(text) !== undefined,
  )
const description = (what: string) => string(`A text of the user${what}.`, DESCRIPTION)

const KEY_FIELDS = {
  description: description(', such as the name of a device'),
  hostnames: list(
    coded(string('A whole name of this account.')),
    'The names that the key may update; the empty list detaches all targets.',
    { maxItems: MAX_HOSTNAMES },
  ),
}

/** The changes of one request. */
export const RRSET_CHANGES = list(ref('RRSetPatch'), undefined, { maxItems: MAX_CHANGES })

/** The schemas of request bodies. */
export const REQUEST_SCHEMAS = {
  NewMetadata: texts({
    description: `Keys of 1 to ${MAX_METADATA_LENGTH} characters, and values. The empty string as a value removes the key.`,
    propertyNames: { minLength: 1, maxLength: MAX_METADATA_LENGTH },
    additionalProperties: { type: 'string', maxLength: MAX_METADATA_LENGTH },
  }),
  MetadataChange: openObject('A change of metadata.', { metadata }, ['metadata']),
  NewRdata: coded(
    openObject(
      'One record of an RRSet.',
      {
        value,
        label: coded(
          string(
            'Identifies the Rdata in its RRSet; a new one does not begin with _. Left out: the service creates one.',
            {
              pattern: '^[A-Za-z0-9_-]{1,63}$',
            },
          ),
        ),
        update_group: updateGroup('this Rdata alone'),
      },
      ['value'],
    ),
  ),
  RdataChange: openObject(
    'The Rdata with the label in the path.',
    {
      value,
      update_group: updateGroup('this Rdata alone'),
    },
    ['value'],
  ),
  NewRRSet: coded(
    openObject('An RRSet to create.', { dns_type, ttl, rdata, metadata }, ['dns_type', 'rdata']),
  ),
  RRSetChange: openObject('What replaces the RRSet in the path. What is left out stays.', {
    ttl,
    rdata,
    metadata,
  }),
  RRSetPatch: openObject(
    'One change of a batch. What is left out stays; an empty rdata deletes the RRSet.',
    {
      name: coded(string('The name, relative to the zone; @ is the apex.'), 'characters'),
      dns_type,
      ttl,
      rdata,
      metadata,
    },
    ['name', 'dns_type'],
  ),
  NewName: openObject(
    'A name to create, with everything at it.',
    {
      name: coded(string('The name, relative to the zone.', { minLength: 1 })),
      rrsets: coded(list(ref('NewRRSet'), 'The RRSets of the name.')),
      metadata: coded(metadata),
      update_group: updateGroup('the whole name'),
      offline: boolean('Whether the name is offline; an offline name needs offline_settings.'),
      offline_settings: coded(ref('NewOfflineSettings', 'What is served while the name is offline.')),
    },
    ['name'],
  ),
  NamePatch: openObject('A change of a name. What is left out stays.', {
    name: coded(
      string(
        'Its new name, relative to the zone. Its records, keys, metadata and offline settings stay with it.',
        {
          minLength: 1,
        },
      ),
    ),
    offline: boolean('Whether the name is offline; an offline name needs offline settings.'),
  }),
  NewOfflineSettings: openObject(
    'What is served while a name is offline.',
    {
      action: coded(
        string('What is served: nothing, an address, a redirect, or a page.', {
          enum: ['none', 'record', 'redirect', 'page'],
        }),
        'text',
      ),
      dns_type: coded(
        string('For the action record: the type of the address.', { enum: ['A', 'AAAA'] }),
        'text',
      ),
      rdata: coded(string('For the action record: the address.'), 'text'),
      url: coded(string('For the action redirect: an absolute http or https URL.'), 'text'),
      title: coded(string('For the action page: its title.'), 'text'),
      message: string('For the action page: its text.'),
      logo_url: coded(string('For the action page: an absolute http or https URL of an image.'), 'text'),
      email: coded(string('For the action page: the e-mail address to contact.', { maxLength: 254 }), 'text'),
    },
    ['action'],
  ),
  NewZone: openObject(
    'A zone to create.',
    {
      zone_name: ruled(
        string('The domain name of the zone, of two labels or more.'),
        'a domain name, such as example.com',
        (text) => parseTarget(asciiName(text)) !== undefined,
      ),
      metadata,
    },
    ['zone_name'],
  ),
  ZonePatch: openObject('The settings of a zone. What is left out stays.', {
    description: description(', such as what the zone is for'),
    default_ttl: coded(
      wholeNumber('Time to live of records that are made without one, in seconds.', {
        minimum: 0,
        maximum: MAX_TTL,
      }),
    ),
  }),
  NewKey: closedObject('A DDNS key to create.', KEY_FIELDS, []),
  KeyChange: closedObject(
    'The fields of a DDNS key. What is left out stays.',
    {
      ...KEY_FIELDS,
      regenerate_password: boolean('Whether the key gets a new password, which the response shows.'),
    },
    [],
  ),
  NewApiKey: closedObject(
    'An API key to create.',
    {
      description: description(', such as the name of a program'),
      scopes: scopes('What the key is limited to; without scopes it may do all that the account may do.'),
      expires_at: expires('; null is never.'),
    },
    [],
  ),
  ApiKeyChange: closedObject(
    'The fields of an API key that change. What is left out stays.',
    {
      description: description(', such as the name of a program'),
      scopes: scopes(
        'All scopes of the key. The present ones cover each of them, and each kind of them stays.',
      ),
      expires_at: expires(': earlier than it would now.'),
    },
    [],
  ),
  NewTsigKey: closedObject(
    'A TSIG key to create.',
    {
      description: description(', such as the name of a program'),
      algorithm: string('The algorithm of the signatures; hmac-sha256 without it.', {
        enum: Object.keys(TSIG_ALGORITHMS) as TsigAlgorithm[],
      }),
      scopes: scopes(
        'What the key is limited to; without scopes it may change all records that the account may change.',
      ),
      expires_at: expires('; null is never.'),
    },
    [],
  ),
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
  PasswordChange: closedObject(
    'A new password of the account.',
    {
      old_password: string('The present password.', { minLength: 1 }),
      new_password: ruled(
        string('The password from now on, without control characters.', {
          minLength: MIN_PASSWORD_LENGTH,
          maxLength: MAX_PASSWORD_LENGTH,
        }),
        `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters, without control characters`,
        isNewPassword,
      ),
    },
    ['old_password', 'new_password'],
  ),
  NewTotp: closedObject(
    'An authenticator app to add.',
    { description: description(', such as the name of the phone') },
    [],
  ),
  FactorCode: closedObject('A code of an authenticator app.', { code: string('Six digits.') }, ['code']),
}
