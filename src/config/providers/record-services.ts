import type { Provider } from './provider.ts'

/** Each reads before its first write, and once a day what somebody else may have changed. */
const RECORDS = { batch: '1', nohost_stops: 'hostname', refresh: '1d' } as const

/** Services at which an update is a change of a record. */
// biome-ignore format: a table
export const RECORD_SERVICES = {
  'cloudflare': { name: 'Cloudflare', grade: 'A', protocol: 'cloudflare', hasNoUsername: true, settings: { server: 'https://api.cloudflare.com', ...RECORDS },
    username: 'none: leave it out', password: 'an API token with the permission Zone - DNS - Edit for this zone alone (dash.cloudflare.com/profile/api-tokens)',
    note: 'keeps TTL, proxy, comment and tags of a record; makes a record that is missing, without proxy' },
} as const satisfies Record<string, Provider>
