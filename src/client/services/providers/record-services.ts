import type { Provider } from './provider.ts'

/** Each reads before its first write, and once a day what somebody else may have changed. */
const RECORDS = { batch: '1', nohost_stops: 'hostname', refresh: '1d' } as const

const APART = { ...RECORDS, families: 'apart' } as const

/** Services at which an update is a change of a record. */
// biome-ignore format: a table
export const RECORD_SERVICES = {
  'cloudflare': { name: 'Cloudflare', grade: 'A', protocol: 'cloudflare', hasNoUsername: true, settings: { server: 'https://api.cloudflare.com', ...RECORDS },
    username: 'none: leave it out', password: 'an API token with the permission Zone - DNS - Edit for this zone alone (dash.cloudflare.com/profile/api-tokens)',
    note: 'keeps TTL, proxy, comment and tags of a record; makes a record that is missing, without proxy' },
  'digitalocean': { name: 'DigitalOcean', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.digitalocean.com', ...APART },
    username: 'none: leave it out', password: 'an API token with the scopes domain:read, domain:create and domain:update', note: 'keeps the TTL of a record; makes a record that is missing' },
  'hetzner':    { name: 'Hetzner DNS (Cloud API)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.hetzner.cloud', ...APART },
    username: 'none: leave it out', password: 'an API token of the project with the zone, which may read and write (Hetzner Console)', note: 'keeps the TTL of a record, and drops its comment; makes a record that is missing' },
  'gandi':      { name: 'Gandi LiveDNS', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.gandi.net', ...APART },
    username: 'none: leave it out', password: 'a personal access token that may manage the technical configuration of the domain', note: 'keeps the TTL of a record; makes a record that is missing' },
  'ns1':        { name: 'NS1 (IBM)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.nsone.net', ...APART },
    username: 'none: leave it out', password: 'an API key that may view zones and manage the records of this one', note: 'keeps TTL, filters and metadata of a record; makes a record that is missing' },
  'ionos':      { name: 'IONOS (hosting)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.hosting.ionos.com', ...APART },
    username: 'none: leave it out', password: 'an API key as PREFIX.SECRET (developer.hosting.ionos.com)', note: 'keeps the TTL of a record; makes a record that is missing' },
  'desec-api':  { name: 'deSEC, by its API', grade: 'B', names: { suffixes: ['dedyn.io'] }, protocol: 'row', hasNoUsername: true, settings: { server: 'https://desec.io', ...APART, refresh: '0' },
    username: 'none: leave it out', password: 'the secret of a token with a policy for the names, not the password of the account',
    note: 'keeps the TTL of a record; makes a record that is missing; its terms ask for updates only when something changes, so there is no refresh' },
  'porkbun':    { name: 'Porkbun', grade: 'A', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.porkbun.com', ...APART },
    username: 'none: leave it out', apiKey: 'the API key (pk1_...)', password: 'the secret API key (sk1_...) (porkbun.com/account/api)',
    note: 'allow API access for the domain first; keeps TTL and notes of a record; makes a record that is missing' },
  'godaddy':    { name: 'GoDaddy', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.godaddy.com', ...APART },
    username: 'none: leave it out', apiKey: 'the API key, for production; without one, the password is a token', isApiKeyOptional: true, password: 'a personal access token, or the secret of the API key (developer.godaddy.com)',
    note: 'prefer a token: GoDaddy retires keys with a secret after 2026; keeps the TTL of a record; makes a record that is missing' },
  'netcup':     { name: 'netcup (CCP API)', grade: 'B', protocol: 'netcup', settings: { server: 'https://ccp.netcup.net', ...RECORDS },
    username: 'the customer number', apiKey: 'the API key', password: 'the API password (customercontrolpanel.de, master data, API)',
    note: 'new domains are in CloudDNS, which this API does not cover; the TTL is that of the zone; makes a record that is missing' },
  'dnspod':     { name: 'DNSPod (dnsapi.cn)', grade: 'B', protocol: 'row', settings: { server: 'https://dnsapi.cn', ...APART },
    username: 'the ID of the token', password: 'the token, without its ID (dnspod.cn, account, API keys)', note: 'keeps TTL, line, weight and remark of a record; makes a record that is missing' },
  'powerdns':   { name: 'PowerDNS, by its HTTP API', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { ...APART },
    username: 'none: leave it out', password: 'the API key (api-key of pdns.conf)', note: 'keeps TTL and comments of a record; makes a record that is missing; provider rfc2136 needs fewer rights' },
  'linode':     { name: 'Linode (Akamai)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.linode.com', ...APART },
    username: 'none: leave it out', password: 'a personal access token with Domains: Read/Write', note: 'keeps the TTL of a record; makes a record that is missing; a zone may have 500 records' },
  'vultr':      { name: 'Vultr', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.vultr.com', ...APART },
    username: 'none: leave it out', password: 'the API key of the account, with this address in its access control', note: 'keeps the TTL of a record; makes a record that is missing; a zone may have 500 records' },
  'vercel':     { name: 'Vercel', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.vercel.com', ...APART },
    username: 'none: leave it out', password: 'an access token of the account (vercel.com/account/tokens); team domains are not supported',
    note: 'keeps the TTL and the comment of a record; makes a record that is missing; a zone may have 100 records' },
  'scaleway':   { name: 'Scaleway Domains and DNS', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.scaleway.com', ...APART },
    username: 'none: leave it out', password: 'the secret key of an API key with DomainsDNSFullAccess', note: 'keeps the TTL and the comment of a record; makes a record that is missing' },
  'rfc2136':    { name: 'name server by RFC 2136 (BIND, Knot, PowerDNS ...)', grade: 'A', protocol: 'rfc2136', hasOffline: true, settings: { batch: '50', nohost_stops: 'hostname', refresh: '1d' },
    username: 'the name of the TSIG key', password: 'its secret in Base64; or password_file is the file that tsig-keygen or keymgr writes',
    note: 'server is the primary, as dns://HOST or dns://HOST:PORT; keeps the TTL of a record; makes a record that is missing' },
} as const satisfies Record<string, Provider>
