import type { ROUTES } from '../../../src/service/api/routes.ts'
import { OPERATOR } from './at-the-website.ts'

const R = '/v1/dns/records'
const KEY = '/v1/account/ddns-keys'
const HOME = `${R}/example.test/home`
const FREE = `${R}/example.test/free`
const A = [{ value: '192.0.2.77', label: 'w' }]
const NAME = {
  name: 'new',
  rrsets: [{ dns_type: 'A', ttl: 300, rdata: [{ value: '192.0.2.1', label: 'x', update_group: 'kkk1111' }] }],
  metadata: { k: 'v' },
}
const EXPRESSION =
  '{"and":[{"op":"exact","key":"k","value":"v"},{"or":[{"op":"contains","key":"a","value":""}]}]}'

/** A request that succeeds in the world of `apiWorld`. */
export interface Start {
  readonly route: keyof typeof ROUTES
  readonly path: string
  readonly query?: string
  readonly body?: unknown
}
export const STARTS: readonly Start[] = [
  { route: 'getAccount', path: '/v1/account' },
  {
    route: 'changePassword',
    path: '/v1/account/password',
    body: { old_password: 'wrong', new_password: 'another password' },
  },
  {
    route: 'listTrail',
    path: '/v1/account/trail',
    query:
      'limit=2&after=9-9&filter[name]=home&filter[zone_name]=example.test&filter[from]=2026-01-01T00:00:00Z',
  },
  { route: 'listKeys', path: KEY, query: 'sort[created_at]=asc&filter[description]=x&limit=5&offset=0' },
  { route: 'createKey', path: KEY, body: { description: 'd', hostnames: ['home.example.test'] } },
  { route: 'getKey', path: `${KEY}/kkk1111` },
  {
    route: 'changeKey',
    path: `${KEY}/kkk2222`,
    body: { hostnames: ['free.example.test'], description: 'd' },
  },
  { route: 'changeKey', path: `${KEY}/kkk2222`, body: { regenerate_password: true } },
  { route: 'deleteKey', path: `${KEY}/kkk2222` },
  { route: 'listApiKeys', path: '/v1/account/api-keys', query: 'limit=5&offset=0' },
  {
    route: 'createApiKey',
    path: '/v1/account/api-keys',
    body: { description: 'd', scopes: ['read', 'zone:example.test'], expires_at: '2099-01-01T00:00:00Z' },
  },
  { route: 'getApiKey', path: '/v1/account/api-keys/2' },
  {
    route: 'changeApiKey',
    path: '/v1/account/api-keys/2',
    body: { description: 'd', scopes: ['read', 'zone:example.test'], expires_at: '2099-01-01T00:00:00Z' },
  },
  { route: 'deleteApiKey', path: '/v1/account/api-keys/6' },
  { route: 'getAccountHistory', path: '/v1/account/history' },
  { route: 'listSessions', path: '/v1/account/sessions', query: 'limit=5&offset=0' },
  { route: 'deleteSession', path: '/v1/account/sessions/1' },
  { route: 'exportAccount', path: '/v1/account/export' },
  { route: 'deleteAccount', path: '/v1/account', query: 'confirm=b' },
  { route: 'changeAccount', path: '/v1/account', body: { email: 'a@mail.test' } },
  { route: 'createPasskeyOptions', path: '/v1/account/second-factors/passkey-options' },
  {
    route: 'createPasskey',
    path: '/v1/account/second-factors/passkeys',
    body: { credential: { id: 'x', response: { clientDataJSON: '' } }, description: 'd' },
  },
  { route: 'listOperatorAccounts', path: '/v1/operator/accounts', query: 'limit=5&filter[search]=a' },
  { route: 'getOperatorAccount', path: '/v1/operator/accounts/b' },
  {
    route: 'changeOperatorAccount',
    path: '/v1/operator/accounts/b',
    body: { plan: 'plan of a', website_only: true, suspended: false, operator: false, email: null },
  },
  { route: 'createResetLink', path: '/v1/operator/accounts/b/reset-link', body: { send: false } },
  { route: 'forgetSecondFactors', path: '/v1/operator/accounts/b/second-factors' },
  { route: 'listPlans', path: '/v1/operator/plans', query: 'limit=5&offset=0' },
  {
    route: 'setPlan',
    path: '/v1/operator/plans/plan%20of%20a',
    body: { max_names: 9, types: ['A'], has_offline: true, fixed_ttl: null },
  },
  { route: 'listBlocks', path: '/v1/operator/blocks' },
  { route: 'setBlock', path: '/v1/operator/blocks/b' },
  { route: 'deleteBlock', path: '/v1/operator/blocks/b' },
  { route: 'listLockouts', path: '/v1/operator/lockouts' },
  { route: 'deleteLockout', path: '/v1/operator/lockouts/b' },
  { route: 'getLoad', path: '/v1/operator/load' },
  { route: 'listSecondaries', path: '/v1/operator/secondaries' },
  { route: 'listInvitations', path: '/v1/operator/invitations' },
  {
    route: 'createInvitation',
    path: '/v1/operator/invitations',
    body: { plan: 'plan of a', zone: 'example.test', expires: '7d', email: 'x@mail.test' },
  },
  { route: 'deleteInvitation', path: '/v1/operator/invitations/1' },
  { route: 'listSecondFactors', path: '/v1/account/second-factors' },
  { route: 'createTotp', path: '/v1/account/second-factors/totp', body: { description: 'phone' } },
  { route: 'confirmSecondFactor', path: '/v1/account/second-factors/1/confirm', body: { code: '123456' } },
  { route: 'deleteSecondFactor', path: '/v1/account/second-factors/1' },
  { route: 'createRecoveryCodes', path: '/v1/account/recovery-codes' },
  { route: 'listTsigKeys', path: '/v1/account/tsig-keys', query: 'limit=5&offset=0' },
  {
    route: 'createTsigKey',
    path: '/v1/account/tsig-keys',
    body: {
      description: 'd',
      algorithm: 'hmac-sha512',
      scopes: ['type:TXT'],
      expires_at: '2099-01-01T00:00:00Z',
    },
  },
  { route: 'deleteTsigKey', path: '/v1/account/tsig-keys/key-aaaaaaaaaa' },
  {
    route: 'presentChallenge',
    path: '/v1/acme/httpreq/present',
    body: { fqdn: '_acme-challenge.new.example.test.', value: 'v' },
  },
  {
    route: 'cleanUpChallenge',
    path: '/v1/acme/httpreq/cleanup',
    body: { domain: 'example.test', token: 't', keyAuth: 't.k' },
  },
  { route: 'about', path: '/v1/dns/about' },
  { route: 'listZones', path: '/v1/dns/zones', query: 'limit=5&offset=0' },
  { route: 'createZone', path: '/v1/dns/zones', body: { zone_name: 'new.test', metadata: { a: 'b' } } },
  { route: 'getZone', path: '/v1/dns/zones/example.test' },
  {
    route: 'changeZone',
    path: '/v1/dns/zones/example.test',
    body: { description: 'd', default_ttl: 300 },
  },
  { route: 'deleteZone', path: '/v1/dns/zones/noadd.test' },
  { route: 'exportZone', path: '/v1/dns/zones/example.test/export' },
  {
    route: 'importZone',
    path: '/v1/dns/zones/example.test/import',
    query: 'dry_run=true',
    body: '$TTL 1h\nlocked 60 IN A 192.0.2.8\nfree ( IN A\n 192.0.2.7 ) ; x\n IN TXT "a" "\\059"\n',
  },
  { route: 'publishZone', path: '/v1/dns/zones/example.test/publish', body: {} },
  { route: 'getPublication', path: '/v1/dns/zones/example.test/publication' },
  { route: 'getDelegation', path: '/v1/dns/zones/example.test/delegation' },
  { route: 'getZoneMetadata', path: '/v1/dns/zones/example.test/metadata' },
  {
    route: 'setZoneMetadata',
    path: '/v1/dns/zones/example.test/metadata',
    body: { metadata: { k: 'v', l: '' } },
  },
  { route: 'listZones', path: '/v1/dns/zones', query: 'filter[is_shared]=true' },
  { route: 'listAuthorities', path: '/v1/dns/zone-authorities', query: 'limit=1' },
  { route: 'listClients', path: '/v1/dns/clients', query: 'offset=1' },
  {
    route: 'listNames',
    path: R,
    query: `view=detail&sort[name]=asc&filter[dns_type][]=A&expand[]=offline_settings&metadata=${EXPRESSION}`,
  },
  {
    route: 'listNames',
    path: R,
    query: `filter[label]=one&zone_metadata=${EXPRESSION}&rrset_metadata=${EXPRESSION}&sort[rdata]=desc`,
  },
  { route: 'listZoneNames', path: `${R}/example.test`, query: `sort[name]=desc&metadata=${EXPRESSION}` },
  {
    route: 'listZoneNames',
    path: `${R}/example.test`,
    query:
      'filter[search]=e&filter[state]=pending&filter[offline]=false&sort[updated_at]=desc&sort[published_at]=asc',
  },
  { route: 'listClients', path: '/v1/dns/clients', query: 'filter[ddns_key_username]=kkk1111' },
  { route: 'listApiKeys', path: '/v1/account/api-keys', query: 'filter[search]=x' },
  { route: 'createName', path: `${R}/example.test`, body: NAME },
  {
    route: 'createName',
    path: `${R}/example.test`,
    body: { name: 'off', offline: true, offline_settings: { action: 'redirect', url: 'http://x.test/' } },
  },
  {
    route: 'changeRRSets',
    path: `${R}/example.test`,
    body: [
      { name: 'free', dns_type: 'A', ttl: 300, rdata: A, metadata: { k: 'v' } },
      { name: 'batch', dns_type: 'AAAA', rdata: [{ value: '2001:db8::1' }] },
      { name: 'free', dns_type: 'TXT', rdata: [] },
    ],
  },
  { route: 'getName', path: HOME, query: 'expand[]=offline_settings' },
  { route: 'changeName', path: `${R}/example.test/free`, body: { name: 'renamed', offline: false } },
  { route: 'deleteName', path: `${R}/example.test/empty` },
  { route: 'publishName', path: `${HOME}/publish`, body: {} },
  { route: 'getNameMetadata', path: `${HOME}/metadata` },
  { route: 'setNameMetadata', path: `${HOME}/metadata`, body: { metadata: { k: 'v', l: '' } } },
  { route: 'getOffline', path: `${HOME}/offline-settings` },
  {
    route: 'setOffline',
    path: `${HOME}/offline-settings`,
    body: { action: 'page', title: 't', message: 'm', logo_url: 'https://x.test/l.png', email: 'a@b.test' },
  },
  {
    route: 'setOffline',
    path: `${HOME}/offline-settings`,
    body: { action: 'record', dns_type: 'A', rdata: '192.0.2.1' },
  },
  { route: 'deleteOffline', path: `${HOME}/offline-settings` },
  { route: 'listRRSets', path: `${FREE}/rrsets`, query: `sort[dns_type]=desc&metadata=${EXPRESSION}` },
  { route: 'createRRSets', path: `${R}/example.test/empty/rrsets`, body: NAME.rrsets },
  {
    route: 'createRRSets',
    path: `${FREE}/rrsets`,
    body: [{ dns_type: 'MX', rdata: [{ value: '10 mx.test.' }] }],
  },
  { route: 'getRRSet', path: `${FREE}/rrsets/TXT` },
  { route: 'replaceRRSet', path: `${FREE}/rrsets/A`, body: { ttl: 300, rdata: A, metadata: { k: 'v' } } },
  { route: 'replaceRRSet', path: `${FREE}/rrsets/TXT`, body: { ttl: 300 } },
  { route: 'deleteRRSet', path: `${FREE}/rrsets/TXT` },
  { route: 'getRRSetMetadata', path: `${HOME}/rrsets/A/metadata` },
  { route: 'setRRSetMetadata', path: `${HOME}/rrsets/A/metadata`, body: { metadata: { k: 'v' } } },
  { route: 'replaceRdata', path: `${FREE}/rrsets/A/rdata`, body: A },
  {
    route: 'replaceRdata',
    path: `${R}/example.test/empty/rrsets/SRV/rdata`,
    body: [{ value: '1 2 3 a.test.' }],
  },
  { route: 'appendRdata', path: `${R}/example.test/more/rrsets/A/rdata`, body: A },
  { route: 'appendRdata', path: `${R}/dyn.test/more/rrsets/TXT/rdata`, body: [{ value: '"a\\065" "b"' }] },
  { route: 'appendRdata', path: `${FREE}/rrsets/CAA/rdata`, body: [{ value: '0 issue "ca.test"' }] },
  { route: 'setRdata', path: `${FREE}/rrsets/TXT/rdata/t`, body: { value: 'hello' } },
  {
    route: 'setRdata',
    path: `${R}/example.test/empty/rrsets/_URL/rdata/u`,
    body: { value: 'https://x.test/' },
  },
  {
    route: 'setRdata',
    path: `${R}/example.test/empty/rrsets/ALIAS/rdata/u`,
    body: { value: 'free.example.test' },
  },
  { route: 'deleteRdata', path: `${HOME}/rrsets/A/rdata/one` },
]

export const loginFor = (path: string): string =>
  path.startsWith('/v1/operator') ? `Bearer ${OPERATOR}` : 'Bearer key-of-a'
