/** What an account gets from the file of another client, besides its hostnames. */
export type ServicePart =
  | 'username'
  | 'password'
  | 'api_key'
  | 'zone'
  | 'server'
  | 'tsig_algorithm'
  | 'label'
  | 'names'

/** How a service of another client becomes an account. Keys with "|" between them: the first that is set. */
export interface ServiceRow {
  readonly provider: string
  /** Its keys, where they are not the usual ones of the client. `label` stands before each hostname, which is the zone. */
  readonly keys?: Partial<Readonly<Record<ServicePart, string>>>
  /** Holdfast needs another secret than the other client: how to get it. */
  readonly newSecret?: string
  /** The secret is the same if this key has such a value. */
  readonly sameIf?: readonly [key: string, pattern: RegExp]
  /** The host that the other client asks, where it is not that of the preset. */
  readonly asked?: string
  /** The hostnames of the other client are numbers of records. */
  readonly hasRecordNumbers?: true
  /** The password is "username,password". */
  readonly isPair?: true
  /** Keys that Holdfast finds out itself. */
  readonly unneeded?: string
}

export type OtherClient = 'ddclient' | 'inadyn' | 'openwrt' | 'ddns-updater' | 'ddns-go'

const GLOBAL_KEY = 'it is the global API key; make an API token with the permission Zone - DNS - Edit'
const CONSOLE_TOKEN = 'its API ended in May 2026; make a token in the Hetzner Console'
const GANDI_KEY = 'API keys have ended; make a personal access token'
const UPDATE_KEY = 'make the update key on its website'
const UPDATE_TOKEN = 'make the randomized update token (v2) of the record'
const IONOS_KEY = 'it is that of an update URL, which answers nothing; make an API key'

const TENCENT_KEYS = 'it has the keys of Tencent Cloud; use provider dnspod with a token of DNSPod'
const CDN = 'it sets the origin of a CDN, not a record'

/** Services whose keys differ from those of the update protocol. A text says why one stays, or what to use. */
// biome-ignore format: a table
export const CLIENT_SERVICES: Readonly<Record<OtherClient, Readonly<Record<string, ServiceRow | string>>>> = {
  ddclient: {
    cloudflare:   { provider: 'cloudflare', newSecret: GLOBAL_KEY, sameIf: ['login', /^(?:|token)$/i] },
    porkbun:      { provider: 'porkbun', keys: { password: 'secretapikey', api_key: 'apikey', zone: 'root-domain' }, unneeded: 'on-root-domain' },
    godaddy:      { provider: 'godaddy', keys: { api_key: 'login' } },
    hetzner:      { provider: 'hetzner', newSecret: CONSOLE_TOKEN },
    gandi:        { provider: 'gandi', newSecret: GANDI_KEY, sameIf: ['use-personal-access-token', /^(?:yes|true|1)$/i], unneeded: 'use-personal-access-token' },
    digitalocean: { provider: 'digitalocean' },
    netcup:       { provider: 'netcup', keys: { api_key: 'apikey|api-key' } },
    ionos:        { provider: 'ionos' },
    ns1:          { provider: 'ns1' },
    duckdns:      { provider: 'duckdns' },
    namecheap:    { provider: 'namecheap', keys: { zone: 'login' } },
    zoneedit1:    { provider: 'zoneedit', asked: 'dynamic.zoneedit.com' },
    keysystems:   { provider: 'key-systems' },
    njalla:       { provider: 'njalla', unneeded: 'quietreply' },
    regfishde:    { provider: 'regfish' },
    dnsmadeeasy:  { provider: 'dnsmadeeasy', hasRecordNumbers: true },
    dynadot:      { provider: 'dynadot' },
    dondominio:   { provider: 'dondominio' },
    freemyip:     { provider: 'freemyip' },
    ddnss:        { provider: 'ddnss-key' },
    freedns:      { provider: 'freedns', asked: 'freedns.afraid.org/api' },
    nsupdate:     { provider: 'rfc2136', keys: { tsig_algorithm: 'tsig_algorithm' }, unneeded: 'tcp' },
    cloudns:      'write url with dynurl, its secret as {password}, and success with the answer of the service',
    directnic:    'write url with urlv4, its secret as {password}, and success with the answer of the service',
    yandex:       'its answers are not known; you can write its request as url',
  },
  inadyn: {
    'cloudflare.com':       { provider: 'cloudflare', keys: { zone: 'username' } },
    'porkbun.com':          { provider: 'porkbun', keys: { api_key: 'username' } },
    'dnspod.cn':            { provider: 'dnspod' },
    'duckdns.org':          { provider: 'duckdns', keys: { password: 'username' } },
    'dynv6.com':            { provider: 'dynv6-api', keys: { password: 'username' } },
    'freedns.afraid.org':   { provider: 'freedns', asked: 'freedns.afraid.org/api' },
    'goip.de':              { provider: 'goip' },
    'regfish.de':           { provider: 'regfish', keys: { password: 'username' } },
    'zoneedit.com':         { provider: 'zoneedit', asked: 'dynamic.zoneedit.com' },
    'namecheap.com':        { provider: 'namecheap', keys: { label: 'username', zone: 'hostname' } },
    'freemyip.com':         { provider: 'freemyip' },
    'ddnss.de':             { provider: 'ddnss-key', newSecret: UPDATE_KEY },
    'domaindiscount24.com': { provider: 'key-systems' },
    'dnsmadeeasy.com':      { provider: 'dnsmadeeasy', hasRecordNumbers: true },
  },
  openwrt: {
    'cloudflare.com-v4':    { provider: 'cloudflare', newSecret: GLOBAL_KEY, sameIf: ['username', /^Bearer$/], unneeded: 'param_opt' },
    'porkbun.com-v3':       { provider: 'porkbun', keys: { api_key: 'username' }, unneeded: 'rec_id' },
    'godaddy.com-v1':       { provider: 'godaddy', keys: { api_key: 'username' } },
    'netcup.com':           { provider: 'netcup', keys: { api_key: 'param_enc', zone: 'param_opt' } },
    'dnspod.cn':            { provider: 'dnspod' },
    'dnspod.cn-v3':         TENCENT_KEYS,
    'digitalocean.com-v2':  { provider: 'digitalocean', keys: { label: 'username', zone: 'domain' }, unneeded: 'param_opt' },
    'gandi.net':            { provider: 'gandi', keys: { label: 'username', zone: 'domain' }, newSecret: GANDI_KEY },
    'gandi.net-v2':         { provider: 'gandi', keys: { label: 'username', zone: 'domain' } },
    'hetzner.cloud':        { provider: 'hetzner', keys: { label: 'username', zone: 'domain' } },
    'ns1.com':              { provider: 'ns1', keys: { names: 'lookup_host', zone: 'domain' } },
    'ionos.com':            { provider: 'ionos', newSecret: IONOS_KEY },
    'pdns':                 { provider: 'powerdns', keys: { label: 'username', zone: 'domain', server: 'param_opt' } },
    'bind-nsupdate':        { provider: 'rfc2136', keys: { server: 'dns_server' } },
    'scaleway.com':         { provider: 'scaleway', keys: { zone: 'username' }, unneeded: 'param_opt' },
    'duckdns.org':          { provider: 'duckdns' },
    'namecheap.com':        { provider: 'namecheap', keys: { label: 'username', zone: 'domain' } },
    'afraid.org':           { provider: 'freedns-token', newSecret: UPDATE_TOKEN },
    'afraid.org-keyauth':   { provider: 'freedns-token', newSecret: UPDATE_TOKEN },
    'afraid.org-v2-token':  { provider: 'freedns-token', keys: { names: 'lookup_host' }, asked: 'freedns.afraid.org' },
    'afraid.org-v2-basic':  { provider: 'freedns' },
    'dondominio.com':       { provider: 'dondominio' },
    'goip.de':              { provider: 'goip' },
    'njal.la':              { provider: 'njalla' },
    'regfish.de':           { provider: 'regfish' },
    'moniker.com':          { provider: 'key-systems' },
    'dnsmadeeasy.com':      { provider: 'dnsmadeeasy', hasRecordNumbers: true },
    'ddnss.de':             { provider: 'ddnss-key', newSecret: UPDATE_KEY },
    'zoneedit.com':         { provider: 'zoneedit', asked: 'dynamic.zoneedit.com' },
  },
  'ddns-updater': {
    cloudflare:   { provider: 'cloudflare', keys: { password: 'token' }, newSecret: GLOBAL_KEY, sameIf: ['token', /./], unneeded: 'zone_identifier|email|key|user_service_key' },
    porkbun:      { provider: 'porkbun', keys: { password: 'secret_api_key|secretapikey', api_key: 'api_key|apikey' } },
    godaddy:      { provider: 'godaddy', keys: { password: 'secret', api_key: 'key' } },
    netcup:       { provider: 'netcup', keys: { username: 'customer_number', api_key: 'api_key' } },
    dnspod:       { provider: 'dnspod', keys: { password: 'token' }, isPair: true },
    digitalocean: { provider: 'digitalocean' },
    gandi:        { provider: 'gandi', keys: { password: 'personal_access_token' }, newSecret: GANDI_KEY, sameIf: ['personal_access_token', /./], unneeded: 'key' },
    hetzner:      { provider: 'hetzner', newSecret: CONSOLE_TOKEN, unneeded: 'zone_identifier' },
    hetznercloud: { provider: 'hetzner', unneeded: 'zone_identifier' },
    ionos:        { provider: 'ionos', keys: { password: 'api_key' } },
    powerdns:     { provider: 'powerdns', keys: { password: 'api_key', server: 'server_url' } },
    rfc2136:      { provider: 'rfc2136', keys: { username: 'tsig_key_name', password: 'tsig_secret', server: 'server', tsig_algorithm: 'tsig_algorithm' } },
    linode:       { provider: 'linode' },
    vultr:        { provider: 'vultr', keys: { password: 'apiKey|apikey' } },
    vercel:       { provider: 'vercel' },
    scaleway:     { provider: 'scaleway', keys: { password: 'secret_key', label: 'field_name', zone: 'domain' }, unneeded: 'field_type' },
    duckdns:      { provider: 'duckdns' },
    namecheap:    { provider: 'namecheap' },
    zoneedit:     { provider: 'zoneedit' },
    dondominio:   { provider: 'dondominio', keys: { password: 'key|password' }, unneeded: 'name' },
    goip:         { provider: 'goip' },
    'goip.de':    { provider: 'goip' },
    njalla:       { provider: 'njalla' },
    ddnss:        { provider: 'ddnss-key', newSecret: UPDATE_KEY, unneeded: 'dual_stack' },
    dd24:         { provider: 'key-systems' },
    dynv6:        { provider: 'dynv6-api' },
    freedns:      { provider: 'freedns-token' },
  },
  'ddns-go': {
    cloudflare:   { provider: 'cloudflare' },
    porkbun:      { provider: 'porkbun', keys: { api_key: 'id' } },
    godaddy:      { provider: 'godaddy', keys: { api_key: 'id' } },
    dnspod:       { provider: 'dnspod' },
    namecheap:    { provider: 'namecheap' },
    dynadot:      { provider: 'dynadot' },
    dynv6:        { provider: 'dynv6-api', asked: 'dynv6.com/api/v2' },
    nsone:        { provider: 'ns1' },
    vercel:       { provider: 'vercel' },
    desec:        { provider: 'desec-api' },
    tencentcloud: TENCENT_KEYS,
    cloudns:      'write url with the dynamic URL of the record, and success',
    edgeone:      CDN,
    aliesa:       CDN,
  },
}

export const rowOf = (client: OtherClient, name: string): ServiceRow | string | undefined =>
  Object.hasOwn(CLIENT_SERVICES[client], name) ? CLIENT_SERVICES[client][name] : undefined
