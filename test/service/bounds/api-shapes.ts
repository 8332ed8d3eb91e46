import { CHAIN, many, MANY } from './world.ts'

/** A request in which a caller chooses two numbers. */
export interface Shape {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly query?: string
  /** A text is a master file. */
  readonly body?: unknown
  /** Objects that are stored at what the request names, each once. */
  readonly targets?: number
}

const RECORDS = '/v1/dns/records/example.test'
const KEYS = '/v1/account/ddns-keys'
/** Changes of one PATCH; 500 may be in it. */
const CHANGES = 150
/** A fat name has 200 records in 2 RRSets. */
const FAT = 203

const set = (name: string, type: string, ...values: readonly string[]) => ({
  name,
  dns_type: type,
  rdata: values.map((value) => ({ value })),
})
const ofGroup = (nth: number) => ({ label: 'w', value: `192.0.2.${nth % 250}`, update_group: 'kkk1111' })
const condition = (nth: number) => ({ op: 'contains', key: `k${nth}`, value: 'x' })
const nested = (depth: number): object =>
  depth === 0 ? condition(0) : { or: [nested(depth - 1), condition(depth)] }

// biome-ignore format: a table
export const SHAPES: readonly Shape[] = [
  // Changes of records x what each of them is judged by.
  { what: 'names x targets of the key that is attached to each', method: 'PATCH', path: RECORDS, targets: MANY,
    body: many(CHANGES, (nth) => ({ name: `g${nth}`, dns_type: 'A', rdata: [ofGroup(nth)] })) },
  { what: 'RRSets of a new name x targets of a key', method: 'POST', path: RECORDS, targets: MANY,
    body: { name: 'sets', rrsets: [['A', '192.0.2.1'], ['AAAA', '2001:db8::1'], ['TXT', '"a"'], ['MX',
      '1 a.test.'], ['CAA', '0 issue "a"']]
      .map(([dns_type, value]) => ({ dns_type, ttl: 60, rdata: [{ label: 'w', value, update_group: 'kkk1111' }] })) } },
  { what: 'names with ALIAS x links of the chain that they begin', method: 'PATCH', path: RECORDS, targets: CHAIN * 24,
    body: many(CHANGES, (nth) => set(`a${nth}`, 'ALIAS', 'chain0.example.test')) },
  { what: 'names with CNAME x links of the chain that they begin', method: 'PATCH', path: RECORDS, targets: CHAIN * 24,
    body: many(CHANGES, (nth) => set(`c${nth}`, 'CNAME', 'chain0.example.test.')) },
  { what: 'links of a chain that leads out of the zone x names that point to its first', method: 'PATCH', path: RECORDS,
    targets: 2 * MANY,
    body: many(CHAIN, (nth) => set(`x${nth}`, 'CNAME',
      nth === CHAIN - 1 ? 'www.other.test.' : `x${nth + 1}.example.test.`)) },
  { what: 'names with MX x records of their targets', method: 'PATCH', path: RECORDS, targets: 20 * FAT,
    body: many(CHANGES, (nth) => set(`m${nth}`, 'MX', ...many(20, (n) => `10 fat${n}.example.test`))) },
  { what: 'names with NS x records of their targets', method: 'PATCH', path: RECORDS, targets: 20 * FAT,
    body: many(CHANGES, (nth) => set(`s${nth}`, 'NS', ...many(20, (n) => `fat${n}.example.test`))) },
  { what: 'names with SRV x records of one target', method: 'PATCH', path: RECORDS, targets: FAT,
    body: many(CHANGES, (nth) => set(`_s${nth}`, 'SRV', '1 2 3 fat0.example.test.')) },
  { what: 'new names above x names beneath', method: 'PATCH', path: RECORDS, targets: MANY,
    body: ['e', 'd.e', 'c.d.e', 'b.c.d.e'].map((name) => set(name, 'A', '192.0.2.1')) },
  { what: 'names in a shared zone x names above and beneath', method: 'PATCH', path: '/v1/dns/records/dyn.test',
    body: many(CHANGES, (nth) => set(`_s${nth}.mine`, 'TXT', '"x"')) },
  { what: 'RRSets of one name x its records', method: 'PATCH', path: RECORDS, targets: FAT,
    body: ['AAAA', 'MX', 'CAA'].map((type, nth) => set('fat1', type, ['2001:db8::1', '1 a.test.',
      '0 issue "a"'][nth] ?? '')) },
  { what: 'one name many times x its records', method: 'PATCH', path: RECORDS, targets: FAT,
    body: many(CHANGES, () => set('fat2', 'AAAA', '2001:db8::1')) },
  // DDNS keys: hostnames x what is stored at them.
  { what: 'hostnames of a key x spellings of one fat name', method: 'POST', path: KEYS, targets: FAT,
    body: { description: 'd', hostnames: many(CHANGES, (nth) => ['fat3.example.test', 'FAT3.Example.Test',
      'fat3.example.test.'][nth % 3]) } },
  { what: 'hostnames of a change x spellings of one fat name', method: 'PUT', path: `${KEYS}/kkk2222`, targets: FAT,
    body: { hostnames: many(CHANGES, (nth) => (nth % 2 === 0 ? 'fat4.example.test' : 'FAT4.example.test')) } },
  { what: 'hostnames of a key x its present targets', method: 'PUT', path: `${KEYS}/kkk1111`, targets: 4 * MANY,
    body: { hostnames: many(MANY, (nth) => `k${nth}.example.test`) } },
  // Scopes of API keys and TSIG keys x names.
  { what: 'scopes of an API key x records of the names', method: 'POST', path: '/v1/account/api-keys',
    body: { description: 'd', scopes: many(50, (nth) => `name:fat${nth % 20}.example.test`) } },
  { what: 'scopes of a TSIG key x records of the names', method: 'POST', path: '/v1/account/tsig-keys',
    body: { description: 'd', scopes: many(50, (nth) => `name:fat${nth % 20}.example.test`) } },
  // Listings: alternatives x rows, of which one is shown.
  ...['label', 'rdata', 'dns_type', 'name', 'zone_name', 'update_group'].map((filter) => ({
    what: `alternatives of filter[${filter}] x names`, method: 'GET', path: '/v1/dns/records',
    query: `limit=1&${many(60, (nth) => `filter[${filter}][]=l${nth}`).join('&')}` })),
  ...(['metadata', 'zone_metadata', 'rrset_metadata'] as const).flatMap((parameter) => [
    { what: `alternatives of ${parameter} x names`, method: 'GET', path: '/v1/dns/records',
      query: `limit=1&${parameter}=${JSON.stringify({ or: many(60, condition) })}` },
    { what: `nested alternatives of ${parameter} x names`, method: 'GET', path: '/v1/dns/records',
      query: `limit=1&${parameter}=${JSON.stringify(nested(14))}` }]),
  ...['name_only', 'summary', 'detail'].map((view) => ({
    what: `sort keys x names in the view ${view}`, method: 'GET', path: '/v1/dns/records',
      targets: view === 'detail' ? FAT : 0,
    query: `view=${view}&limit=1&sort[name_labels_reversed]=asc&sort[zone_name]=asc&sort[updated_at]=desc&sort[dns_type]=asc` })),
  ...['name_only', 'summary'].map((view) => ({
    what: `a page x records of its names in the view ${view}`, method: 'GET', path: '/v1/dns/records',
    query: `view=${view}&limit=20&filter[search]=fat` })),
  { what: 'a far page x names before it', method: 'GET', path: '/v1/dns/records',
      query: 'view=name_only&limit=1&offset=500' },
  { what: 'keys of a page x their targets', method: 'GET', path: KEYS, query: 'limit=100', targets: MANY },
  // Metadata x records of the name.
  { what: 'metadata x records of the name', method: 'POST', path: `${RECORDS}/fat5/metadata`, targets: FAT,
    body: { metadata: Object.fromEntries(many(CHANGES, (nth) => [`k${nth}`, 'v'])) } },
  { what: 'metadata of an RRSet x its records', method: 'POST', path: `${RECORDS}/fat5/rrsets/A/metadata`, targets: FAT,
    body: { metadata: Object.fromEntries(many(CHANGES, (nth) => [`k${nth}`, 'v'])) } },
  // Labels x records.
  { what: 'records without labels x labels of the RRSet', method: 'PUT', path: `${RECORDS}/fat6/rrsets/TXT/rdata`,
      targets: FAT,
    body: many(100, (nth) => ({ value: `"new ${nth}"` })) },
  { what: 'a record more x records of the RRSet', method: 'POST', path: `${RECORDS}/fat7/rrsets/TXT/rdata`, targets: FAT,
    body: many(CHANGES, (nth) => ({ value: `"new ${nth}"` })) },
  // Challenges x links of the chain that they follow.
  { what: 'a challenge x records at the end of a chain', method: 'POST', path: '/v1/acme/httpreq/present',
      targets: CHAIN * 24,
    body: { fqdn: 'chain0.example.test.', value: 'v' } },
  // A file x rows.
  { what: 'lines of a file x names of the zone', method: 'POST', path: '/v1/dns/zones/example.test/import',
      query: 'dry_run=true',
    targets: 20 * FAT + CHAIN * 24 + 8 * 3 * MANY,
    body: many(CHANGES, (nth) => `a${nth} 60 IN ALIAS chain0.example.test.\nchain${nth % CHAIN} 60 IN ${
      nth % CHAIN === CHAIN - 1 ? 'A 192.0.2.1' : `ALIAS chain${(nth % CHAIN) + 1}.example.test.`}\n`).join('') },
]
