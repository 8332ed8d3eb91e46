import { clientOf } from './client.ts'

const ZONE = '/v1/dns/records/{zone_name}'
const NAME = '/v1/dns/records/{zone_name}/{name}'
const RRSET = '/v1/dns/records/{zone_name}/{name}/rrsets/{dns_type}'

/** What a user does with a generated client: each line is checked against the document by the compiler. */
export async function smoke(url: string, key: string): Promise<readonly unknown[]> {
  const ask = clientOf(url, key)
  const zone = { zone_name: 'typed.test' }
  const www = { ...zone, name: 'www' }
  const made = await ask('post', '/v1/dns/zones', { body: { zone_name: 'typed.test' } })
  const name = await ask('post', ZONE, {
    path: zone,
    body: { name: 'www', rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }] },
  })
  const read = await ask('get', NAME, { path: www, query: { 'expand[]': ['offline_settings'] } })
  const header = { 'If-Match': read.headers.get('etag') ?? '' }
  const put = { path: { ...www, dns_type: 'A' as const }, body: { ttl: 300 } }
  const changed = await ask('put', RRSET, { ...put, header })
  const stale = await ask('put', RRSET, { ...put, header })
  const batch = await ask('patch', ZONE, {
    path: zone,
    body: ['a', 'b', 'c'].map((one) => ({ name: one, dns_type: 'TXT' as const, rdata: [{ value: 'x' }] })),
  })
  const ddns = await ask('post', '/v1/account/ddns-keys', { body: { hostnames: ['www.typed.test'] } })
  const api = await ask('post', '/v1/account/api-keys', { body: { scopes: ['read', 'zone:typed.test'] } })
  const reader = clientOf(url, api.body.data.key ?? '')
  const names: string[] = []
  for (let offset = 0, total = 1; offset < total; ) {
    const { body } = await reader('get', '/v1/dns/records', {
      query: {
        offset,
        limit: 2,
        sort: { name: 'desc' },
        filter: { zone_name: ['typed.test'], dns_type: ['TXT', 'A'] },
      },
    })
    names.push(...body.data.map((one) => one.name))
    offset += body.page.limit
    total = body.page.total
  }
  const refused = await reader('delete', NAME, { path: www })
  return [
    [made, name, read, changed, stale, batch, ddns, api, refused].map(({ status }) => status),
    read.body.data.rrsets.map(({ dns_type, ttl, rdata }) => [dns_type, ttl, rdata[0]?.value]),
    ddns.body.data.targets,
    names,
  ]
}
