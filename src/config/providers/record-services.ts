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
  'digitalocean': { name: 'DigitalOcean', grade: 'A', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.digitalocean.com', ...APART },
    username: 'none: leave it out', password: 'an API token with the scopes domain:read, domain:create and domain:update', note: 'keeps the TTL of a record; makes a record that is missing' },
  'hetzner':    { name: 'Hetzner DNS (Cloud API)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.hetzner.cloud', ...APART },
    username: 'none: leave it out', password: 'an API token of the project with the zone, which may read and write (Hetzner Console)', note: 'keeps the TTL of a record, and drops its comment; makes a record that is missing' },
  'gandi':      { name: 'Gandi LiveDNS', grade: 'A', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.gandi.net', ...APART },
    username: 'none: leave it out', password: 'a personal access token that may manage the technical configuration of the domain', note: 'keeps the TTL of a record; makes a record that is missing' },
  'ns1':        { name: 'NS1 (IBM)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.nsone.net', ...APART },
    username: 'none: leave it out', password: 'an API key that may view zones and manage the records of this one', note: 'keeps TTL, filters and metadata of a record; makes a record that is missing' },
  'ionos':      { name: 'IONOS (hosting)', grade: 'B', protocol: 'row', hasNoUsername: true, settings: { server: 'https://api.hosting.ionos.com', ...APART },
    username: 'none: leave it out', password: 'an API key as PREFIX.SECRET (developer.hosting.ionos.com)', note: 'keeps the TTL of a record; makes a record that is missing' },
  'desec-api':  { name: 'deSEC, by its API', grade: 'A', protocol: 'row', hasNoUsername: true, settings: { server: 'https://desec.io', ...APART, refresh: '0' },
    username: 'none: leave it out', password: 'the secret of a token with a policy for the names, not the password of the account',
    note: 'keeps the TTL of a record; makes a record that is missing; its terms ask for updates only when something changes, so there is no refresh' },
} as const satisfies Record<string, Provider>
