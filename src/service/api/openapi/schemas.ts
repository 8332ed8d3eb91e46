import { TSIG_ALGORITHMS } from '../../../shared/dns/tsig.ts'
import { RDATA_TYPES } from '../../model/rdata/types.ts'
import { IMPORT_SCHEMAS } from './import-schemas.ts'
import { ACCOUNT_SCHEMAS, lastUpdate } from './account-schemas.ts'
import { OPERATOR_SCHEMAS } from './operator-schemas.ts'
import { REQUEST_SCHEMAS } from './request-schemas.ts'
import {
  PROOF_OF_ZONE,
  PUBLICATION_OF_NAME,
  PUBLICATION_OF_ZONE,
  SERIAL,
  ZONE_STATE_SCHEMAS,
} from './zone-schemas.ts'
import {
  boolean,
  closedObject,
  INT64,
  keysOf,
  list,
  nullableString,
  nullableTime,
  orNull,
  ref,
  type Described,
  type Ref,
  type Schema,
  string,
  time,
  wholeNumber,
} from './schema.ts'

const metadata = ref('Metadata', 'Metadata of the user.')
const warnings = list(ref('Warning'), 'What was done, but may not be what is meant. Empty without warnings.')
const created = (what: string) => nullableTime(`When the ${what} was created, in UTC.`)
const updated = (what: string) => nullableTime(`When the ${what} was last changed, in UTC.`)

/** The response with one object. */
export const item = <const N extends string>(name: N) =>
  closedObject('A success.', { data: ref(name, 'The object.'), warnings })
/** The response to a write, which may have been a preview. */
export const withChanges = <T>(schema: Schema<T>): Schema<T> => ({
  ...schema,
  properties: {
    ...(schema['properties'] as object),
    changes: list(ref('PreviewedChange'), 'Only in the response to dry_run=true: what would change.'),
  },
})
/** The response with a page of a listing. */
export const items = <const N extends string>(name: N, page = 'Page') =>
  closedObject('A page of a listing.', {
    data: list(ref(name), 'The objects of this page.'),
    page: ref(page, 'The place of this page in the listing.'),
    warnings,
  })

/** Of a name in every view but `name_only`. */
const SUMMARY = {
  zone_name: string('The zone of the name, without a dot at the end.'),
  name: string('The name, relative to its zone; @ is the apex.'),
  zone_is_shared: boolean('Whether other accounts may have names in the zone.'),
  offline: boolean('Whether the name is offline: its offline settings are served.'),
  update_group: nullableString('The username of the DDNS key that may update the whole name.'),
  created_at: created('name'),
  updated_at: updated('name'),
  published_at: nullableTime('When the present state of the name was published, in UTC; null before that.'),
  publication: PUBLICATION_OF_NAME,
} as const
const DETAILS = {
  metadata,
  rrsets: list(ref('RRSet'), 'The RRSets of the name.'),
  last_update: lastUpdate(
    'the DDNS keys of this account that may update the name or one of its Rdata, also one for another of their names',
  ),
  offline_settings: orNull(
    ref('OfflineSettings'),
    'Only with expand[]=offline_settings. Null: the name has none.',
  ),
} as const

const ERRORS_AND_PAGES = {
  Warning: closedObject(
    'A warning about a request that was done.',
    {
      code: string('Identifies the kind of the warning.'),
      title: string('What the kind of the warning means.'),
      detail: string('What it is about in this request.'),
    },
    ['code', 'title'],
  ),
  Error: closedObject(
    'One reason why a request was refused.',
    {
      id: string('Identifies this error in reports.'),
      code: string('Identifies the kind of the error.'),
      title: string('What the kind of the error means.'),
      detail: string('What is wrong in this request, and what would be right.'),
      location: string('The part of the request that is wrong.', {
        enum: ['path', 'query', 'body', 'header'],
      }),
      pointer: string('The place in the body, as a JSON pointer (RFC 6901).'),
    },
    ['id', 'code', 'title'],
  ),
  ErrorResponse: closedObject('A refusal: nothing was changed.', {
    errors: list(ref('Error'), 'All errors of the first phase that has any.', { minItems: 1 }),
    warnings,
  }),
  CommandSuccess: withChanges(closedObject('A change that was made.', { warnings })),
  PreviewedChange: closedObject('What a request with dry_run=true would change.', {
    subject: string('The whole name of an RRSet, or what else would change.'),
    dns_type: nullableString('The DNS type of the RRSet; null for anything else.'),
    before: nullableString('TTL and values as they are; null if there are none.'),
    after: nullableString('TTL and values as they would be; null if there would be none.'),
  }),
  Page: closedObject('The place of a page in its listing.', {
    offset: wholeNumber(
      'How many objects precede this page; with a cursor, how many were shown before it.',
      INT64,
    ),
    limit: wholeNumber('The greatest number of objects in this page, as it was applied.', INT64),
    total: wholeNumber('The number of objects in the whole listing.', INT64),
    next: nullableString('The cursor of the next page, for the parameter after; null if no objects follow.'),
  }),
  FilterExpression: {
    description: 'A condition on metadata, or a combination: at most 64 conditions, at most 16 levels.',
    oneOf: [
      closedObject('A condition on one key.', {
        op: string('exact: the value is equal. contains: the value contains this text.', {
          enum: ['exact', 'contains'],
        }),
        key: string('The key of the metadata.'),
        value: string('The text to compare with.'),
      }),
      closedObject('All of the expressions match.', {
        and: list(ref('FilterExpression'), 'The expressions.'),
      }),
      closedObject('One of the expressions matches.', {
        or: list(ref('FilterExpression'), 'The expressions.'),
      }),
    ],
  },
}

/** The schemas of responses are closed: a response has the fields that are described here, and no others. */
const RESPONSE_SCHEMAS = {
  DnsType: string('A DNS type that the service supports.', { enum: Object.keys(RDATA_TYPES) }),
  Metadata: {
    type: 'object',
    description: 'Keys and values that the user chooses. The service only stores them.',
    additionalProperties: { type: 'string' },
  } as Schema<Readonly<Record<string, string>>>,
  Rdata: closedObject('One record of an RRSet.', {
    label: string('Identifies the Rdata in its RRSet; one that the service created begins with _.'),
    value: string('The data of the record in its canonical form.'),
    update_group: nullableString('The username of the DDNS key that may update this Rdata alone.'),
  }),
  RRSet: closedObject('All records of one type at a name.', {
    dns_type: ref('DnsType', 'The DNS type.'),
    ttl: wholeNumber('Time to live in seconds.', { minimum: 0 }),
    rdata: list(ref('Rdata'), 'The Rdata, in the order in which they were added.'),
    metadata,
    created_at: created('RRSet'),
    updated_at: updated('RRSet'),
  }),
  Name: closedObject('A name with everything at it.', { ...SUMMARY, ...DETAILS }, [
    ...keysOf(SUMMARY),
    'metadata',
    'rrsets',
    'last_update',
  ]),
  ListedName: closedObject(
    'A name in the listing of all zones. The view name_only has zone_name and name; ' +
      'the view detail has everything but dns_types.',
    {
      ...SUMMARY,
      dns_types: list(ref('DnsType'), 'Only in the view summary: the types of its RRSets.'),
      ...DETAILS,
    },
    ['zone_name', 'name'],
  ),
  OfflineSettings: closedObject(
    'What is served while a name is offline.',
    {
      action: string('What is served: nothing, an address, a redirect, or a page.', {
        enum: ['none', 'record', 'redirect', 'page'],
      }),
      dns_type: string('Of the action record: the type of the address.', { enum: ['A', 'AAAA'] }),
      rdata: string('Of the action record: the address.'),
      url: string('Of the action redirect: its target.'),
      title: string('Of the action page: its title.'),
      message: string('Of the action page: its text.'),
      logo_url: string('Of the action page: the URL of an image.'),
      email: string('Of the action page: the e-mail address to contact.'),
    },
    ['action'],
  ),
  Zone: closedObject('A zone.', {
    name: string('The domain name of the zone, without a dot at the end.'),
    is_shared: boolean('Whether other accounts may have names in the zone.'),
    is_own: boolean('Whether the zone is of this account.'),
    takes_names: boolean('Whether this account may make names in the zone.'),
    created_at: time('When the zone was created, in UTC.'),
    updated_at: time('When something in the zone was last changed, in UTC.'),
    description: string('The text of the owner.'),
    default_ttl: wholeNumber('Time to live of records that are made without one, in seconds.', {
      minimum: 0,
    }),
    serial: wholeNumber('The serial number of the SOA (RFC 1035 §3.3.13).', SERIAL),
    publication: PUBLICATION_OF_ZONE,
    proof: PROOF_OF_ZONE,
    nameservers: list(string('A host name.'), 'The name servers of the service.'),
    metadata,
  }),
  ZoneFile: string(
    'A master file (RFC 1035 §5). Types of the service that DNS does not have stand behind ";holdfast ".',
  ),
  ...IMPORT_SCHEMAS,
  Authority: closedObject('A name server of the zones.', { name: string('Its host name.') }),
  Client: closedObject('A program that updates addresses with a DDNS key.', {
    ddns_key_username: string('The username of its DDNS key.'),
    user_agent: string('The User-Agent of its last request.'),
    last_address: string('The address from which its last request came.'),
    last_reply: string('The reply to its last request.'),
    last_used_at: time('When its last request came, in UTC.'),
  }),
  Target: closedObject(
    'What a DDNS key may update.',
    {
      zone_name: string('The zone of the name.'),
      name: string('The name, relative to its zone.'),
      dns_type: string('For a single Rdata: the type of its RRSet.'),
      label: string('For a single Rdata: its label.'),
    },
    ['zone_name', 'name'],
  ),
  Key: closedObject(
    'A DDNS key.',
    {
      username: string('What a client gives as username.'),
      description: string('The text of the user.'),
      targets: list(ref('Target'), 'What the key may update.'),
      created_at: time('When the key was created, in UTC.'),
      last_used_at: nullableTime('When the key was last used, in UTC; null is never.'),
      last_update: lastUpdate('the key'),
      block: orNull(ref('KeyBlock'), 'Why its requests are answered abuse now; null: it is not blocked.'),
      password: string('Only in the response to the creation: the password, which is not shown again.'),
    },
    ['username', 'description', 'targets', 'created_at', 'last_used_at', 'last_update', 'block'],
  ),
  KeyChanged: closedObject(
    'The change of a key.',
    { password: string('Only with regenerate_password: the new password, which is not shown again.') },
    [],
  ),
  ApiKey: closedObject(
    'An API key.',
    {
      id: wholeNumber('Identifies the key in the path.'),
      description: string('The text of the user.'),
      scopes: list(string('One scope.'), 'What the key is limited to; empty: not limited.'),
      created_at: time('When the key was created, in UTC.'),
      expires_at: nullableTime('When the key stops working, in UTC; null is never.'),
      last_used_at: nullableTime('When the key was last used, in UTC, exact to one minute; null is never.'),
      key: string('Only in the response to the creation: the key itself, which is not shown again.'),
    },
    ['id', 'description', 'scopes', 'created_at', 'expires_at', 'last_used_at'],
  ),
  TsigKey: closedObject(
    'A TSIG key, which signs UPDATE messages (RFC 2136, RFC 8945).',
    {
      name: string('The name of the key in the messages.'),
      algorithm: string('The algorithm of the signatures.', { enum: Object.keys(TSIG_ALGORITHMS) }),
      description: string('The text of the user.'),
      scopes: list(string('One scope.'), 'What the key is limited to; empty: not limited.'),
      created_at: time('When the key was created, in UTC.'),
      expires_at: nullableTime('When the key stops working, in UTC; null is never.'),
      last_used_at: nullableTime('When the key was last used, in UTC, exact to one minute; null is never.'),
      secret: string('Only in the response to the creation: the secret in base64, which is not shown again.'),
    },
    ['name', 'algorithm', 'description', 'scopes', 'created_at', 'expires_at', 'last_used_at'],
  ),
  About: closedObject('The service.', {
    name: string('The name of the API.'),
    version: string('The version of the API.'),
  }),
}

/** The schemas of requests and responses. */
export const SCHEMAS = {
  ...ERRORS_AND_PAGES,
  ...RESPONSE_SCHEMAS,
  ...ZONE_STATE_SCHEMAS,
  ...ACCOUNT_SCHEMAS,
  ...OPERATOR_SCHEMAS,
  ...REQUEST_SCHEMAS,
}

type Schemas = typeof SCHEMAS
export type SchemaName = keyof Schemas
type Resolved<T> =
  T extends Ref<infer N>
    ? N extends keyof Schemas
      ? Named<N>
      : never
    : T extends readonly (infer I)[]
      ? readonly Resolved<I>[]
      : T extends object
        ? { readonly [K in keyof T]: Resolved<T[K]> }
        : T
/** What the schema of this name describes. */
export type Named<N extends SchemaName> = Resolved<Described<Schemas[N]>>
/** What a schema describes, with what its references name. */
export type Whole<S> = Resolved<Described<S>>
