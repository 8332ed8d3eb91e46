/** A JSON schema, as OpenAPI 3.1 uses them. */
export type Schema = Readonly<Record<string, unknown>>

export const STRING = { type: 'string' } as const
const orNull = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const record = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  properties,
  required,
})
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const moment = { type: 'string', format: 'date-time' } as const
export const metadata = { type: 'object', additionalProperties: STRING } as const

/** The schemas of requests and responses. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Warning: record({ code: STRING, title: STRING, detail: STRING }, ['code', 'title']),
  Error: record(
    {
      id: STRING,
      code: STRING,
      title: STRING,
      detail: STRING,
      location: { enum: ['path', 'query', 'body', 'header'] },
      pointer: STRING,
    },
    ['id', 'code', 'title'],
  ),
  ErrorResponse: record({ errors: { ...list(ref('Error')), minItems: 1 }, warnings: list(ref('Warning')) }),
  CommandSuccess: record({ warnings: list(ref('Warning')) }),
  Page: record({ offset: { type: 'integer' }, limit: { type: 'integer' }, total: { type: 'integer' } }),
  Metadata: metadata,
  NewRdata: record({ value: STRING, label: STRING, update_group: STRING }, ['value']),
  NewRRSet: record({ dns_type: STRING, ttl: { type: 'integer' }, rdata: list(ref('NewRdata')), metadata }, [
    'dns_type',
    'rdata',
  ]),
  RRSetChange: record({ ttl: { type: 'integer' }, rdata: list(ref('NewRdata')), metadata }, []),
  RRSetPatch: record(
    { name: STRING, dns_type: STRING, ttl: { type: 'integer' }, rdata: list(ref('NewRdata')), metadata },
    ['name', 'dns_type'],
  ),
  NewName: record(
    {
      name: STRING,
      rrsets: list(ref('NewRRSet')),
      metadata,
      update_group: STRING,
      offline: { type: 'boolean' },
      offline_settings: ref('OfflineSettings'),
    },
    ['name'],
  ),
  Rdata: record({ label: STRING, value: STRING, update_group: orNull(STRING) }),
  RRSet: record({
    dns_type: STRING,
    ttl: { type: 'integer' },
    rdata: list(ref('Rdata')),
    metadata,
    created_at: orNull(moment),
    updated_at: orNull(moment),
  }),
  Name: record(
    {
      zone_name: STRING,
      name: STRING,
      zone_is_shared: { type: 'boolean' },
      offline: { type: 'boolean' },
      update_group: orNull(STRING),
      metadata,
      rrsets: list(ref('RRSet')),
      created_at: orNull(moment),
      updated_at: orNull(moment),
      published_at: orNull(moment),
      offline_settings: orNull(ref('OfflineSettings')),
    },
    ['zone_name', 'name'],
  ),
  ListedName: record({ zone_name: STRING, name: STRING }),
  OfflineSettings: record(
    {
      action: { enum: ['none', 'record', 'redirect', 'page'] },
      dns_type: { enum: ['A', 'AAAA'] },
      rdata: STRING,
      url: STRING,
      title: STRING,
      message: STRING,
      logo_url: STRING,
      email: STRING,
    },
    ['action'],
  ),
  Zone: record({
    name: STRING,
    is_shared: { type: 'boolean' },
    created_at: moment,
    updated_at: moment,
    serial: { type: 'integer' },
    nameservers: list(STRING),
    metadata,
  }),
  NewZone: record({ zone_name: STRING, metadata }, ['zone_name']),
  Authority: record({ name: STRING }),
  Client: record({
    ddns_key_username: STRING,
    user_agent: STRING,
    last_address: STRING,
    last_reply: STRING,
    last_used_at: moment,
  }),
  Target: record({ zone_name: STRING, name: STRING, dns_type: STRING, label: STRING }, ['zone_name', 'name']),
  Key: record(
    {
      username: STRING,
      description: STRING,
      targets: list(ref('Target')),
      created_at: moment,
      last_used_at: orNull(moment),
      password: STRING,
    },
    ['username', 'description', 'targets', 'created_at', 'last_used_at'],
  ),
  KeyChange: record(
    { description: STRING, hostnames: list(STRING), regenerate_password: { type: 'boolean' } },
    [],
  ),
  NewApiKey: record({ description: STRING, scopes: list(STRING), expires_at: orNull(moment) }, []),
  ApiKey: record(
    {
      id: { type: 'integer' },
      description: STRING,
      scopes: list(STRING),
      created_at: moment,
      expires_at: orNull(moment),
      last_used_at: orNull(moment),
      key: STRING,
    },
    ['id', 'description', 'scopes', 'created_at', 'expires_at', 'last_used_at'],
  ),
  KeyChanged: record({ password: STRING }, []),
  About: record({ name: STRING, version: STRING }),
}
