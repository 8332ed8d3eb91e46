import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Documents: doc.powerdns.com/authoritative/http-api (authoritative-api-swagger.yaml). Texts that users
// quote: of a conflict, of a wrong address, of a duplicate record, of several CNAMEs (jvns.ca,
// mess-with-dns); the other texts have no dump. Keys of `extra`: disabled (of a record), comments (of the
// record set; kept by a REPLACE that has no comments).

interface Change {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly records: readonly { readonly content: string; readonly disabled: boolean }[] | undefined
  readonly comments: readonly unknown[] | undefined
}

const TYPES = strict.words(
  'A AAAA ALIAS CAA CNAME DNAME DS HTTPS LOC MX NAPTR NS PTR SOA SPF SRV SSHFP SVCB TLSA',
  'TXT',
)
const STATUS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
}

const make = (world: FakeWorld) => {
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const at = (name: string, type: string) =>
    world.records.filter((record) => record.name === name && record.type === type)
  const shown = (found: readonly FakeRecord[]) => ({
    comments: found[0]?.extra['comments'] ?? [],
    name: `${found[0]?.name}.`,
    records: found.map((record) => ({
      content: record.type === 'CNAME' ? record.value.replace(/\.?$/, '.') : record.value,
      disabled: record.extra['disabled'] ?? false,
    })),
    ttl: found[0]?.ttl,
    type: found[0]?.type,
  })
  const zoneShown = (zone: string) => ({
    account: '',
    catalog: '',
    dnssec: false,
    edited_serial: 2026112701,
    id: `${zone}.`,
    kind: 'Native',
    last_check: 0,
    masters: [],
    name: `${zone}.`,
    notified_serial: 0,
    serial: 2026112701,
    url: `/api/v1/servers/localhost/zones/${zone}.`,
  })
  const apply = (change: Change) => {
    const old = at(change.name, change.type)
    const { comments = old[0]?.extra['comments'] } = change
    const records =
      change.records ??
      old.map((record) => ({ content: record.value, disabled: record.extra['disabled'] === true }))
    const fresh: FakeRecord[] = records.map(({ content, disabled }, index) =>
      Object.assign(old[index] ?? {}, {
        name: change.name,
        type: change.type,
        value: content,
        ttl: change.ttl,
        extra: { disabled, ...(comments === undefined ? {} : { comments }) },
      }),
    )
    strict.putOver(world, old, fresh)
  }

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    /** An answer of the web server itself: in the form that the client accepts. */
    const refuse = (status: number, why: string): FakeResponse => {
      const accept = headers['accept'] ?? ''
      const text = STATUS[status] ?? ''
      const more: Record<string, string> =
        status === 401 ? { 'www-authenticate': 'X-API-Key realm="PowerDNS"' } : {}
      const page = `<!html><title>${text}</title><h1>${text}</h1>`
      if (/text\/html/.test(accept))
        return strict.answerWith({ 'content-type': 'text/html; charset=utf-8' })(status, page, why, more)
      if (/application\/json/.test(accept)) return strict.answerJson(status, { error: text }, why, more)
      return strict.answerWith({ 'content-type': 'text/plain; charset=utf-8' })(status, text, why, more)
    }
    const unprocessable = (error: string) => strict.answerJson(422, { error }, error)

    if (headers['x-api-key'] !== world.password) return refuse(401, 'x-api-key')
    if (!strict.isEncoded(target)) return refuse(400, 'target is not percent-encoded')
    const { path, query } = strict.splitTarget(target)
    const parts = /^\/api\/v1\/servers\/localhost\/zones(?:\/([^/]+))?$/.exec(path)
    if (parts === null) return refuse(404, 'no such path')
    const id = parts[1] === undefined ? undefined : decodeURIComponent(parts[1])
    const allowed =
      id === undefined ? ['zone', 'dnssec'] : ['rrsets', 'rrset_name', 'rrset_type', 'include_disabled']
    const stray = strict.strayQuery(query, method === 'GET' ? allowed : [])
    if (stray !== undefined) return refuse(400, `query parameter ${stray}`)
    if (method === 'GET' && request.body !== '') return refuse(400, 'a body on a GET')
    if (!(id === undefined ? ['GET'] : ['GET', 'PATCH']).includes(method)) return refuse(405, 'method')

    if (id === undefined) {
      const wanted = query.get('zone')
      if (wanted !== null && !wanted.endsWith('.'))
        return unprocessable(`DNS Name '${wanted}' is not canonical`)
      return strict.answerJson(
        200,
        world.zones.filter((zone) => wanted === null || `${zone}.` === wanted.toLowerCase()).map(zoneShown),
      )
    }
    const zone = world.zones.find((item) => `${item}.` === id.toLowerCase())
    if (zone === undefined) return refuse(404, 'no such zone (the id has a final dot)')
    if (method === 'GET') {
      const name = query.get('rrset_name')
      const type = query.get('rrset_type')
      if (type !== null && name === null) return unprocessable('rrset_type without rrset_name')
      if (name !== null && !name.endsWith('.')) return unprocessable(`DNS Name '${name}' is not canonical`)
      if (query.get('rrsets') === 'false') return strict.answerJson(200, zoneShown(zone))
      const sets = new Map(
        world.records
          .filter((record) => zoneOf(record.name) === zone)
          .filter((record) => name === null || `${record.name}.` === name.toLowerCase())
          .filter((record) => type === null || record.type === type)
          .map((record) => [`${record.name} ${record.type}`, record] as const),
      )
      return strict.answerJson(200, {
        ...zoneShown(zone),
        rrsets: [...sets.values()].map((set) => shown(at(set.name, set.type))),
      })
    }

    // dump: rmbolger/Posh-ACME#617, of a proxy before the server; the server itself has no read-only keys
    if (world.isReadOnly) return strict.answerJson(403, { msg: 'Zone access not allowed' }, 'read-only key')
    if (!strict.isSentAs('application/json', request)) return refuse(400, 'content-type')
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return refuse(400, 'body is no JSON object')
    for (const key of Object.keys(body)) if (key !== 'rrsets') return unprocessable(`unknown member ${key}`)
    const { rrsets } = body
    if (!Array.isArray(rrsets)) return unprocessable('No rrsets given in update request') // no dump

    const changes: Change[] = []
    for (const set of rrsets as readonly unknown[]) {
      if (!strict.isMembers(set)) return unprocessable('an RRset is no JSON object')
      for (const key of Object.keys(set))
        if (!['name', 'type', 'ttl', 'changetype', 'records', 'comments'].includes(key))
          return unprocessable(`unknown member ${key}`)
      for (const key of ['name', 'type', 'changetype'])
        if (typeof set[key] !== 'string') return unprocessable(`Key '${key}' not present or not a String`)
      const [fqdn, type, kind] = [
        String(set['name']),
        String(set['type']),
        String(set['changetype']).toUpperCase(),
      ]
      if (!fqdn.endsWith('.')) return unprocessable(`DNS Name '${fqdn}' is not canonical`)
      const name = fqdn.slice(0, -1).toLowerCase()
      const label = `RRset ${fqdn} IN ${type}`
      if (zoneOf(name) !== zone) return unprocessable(`${label}: Name is out of zone`)
      if (!TYPES.includes(type)) return unprocessable(`${label}: unknown type given`)
      if (changes.some((change) => change.name === name && change.type === type))
        return unprocessable(`Duplicate RRset ${fqdn} IN ${type} with changetype: ${kind}`)
      const { ttl, records, comments } = set
      if (kind === 'DELETE') {
        if (ttl !== undefined) return unprocessable('ttl with DELETE')
        if (Array.isArray(records) && records.length > 0) return unprocessable('records with DELETE')
        changes.push({ name, type, ttl: 0, records: [], comments: [] })
        continue
      }
      if (kind !== 'REPLACE') return unprocessable('Changetype not understood')
      if (!Array.isArray(records) && !Array.isArray(comments))
        return unprocessable(`No change for RRset ${fqdn} IN ${type}`)
      if (!strict.isInteger(ttl) || ttl < 0 || ttl > 2147483647)
        return unprocessable("Key 'ttl' not present or not an Integer")
      const written: { content: string; disabled: boolean }[] = []
      for (const record of (records ?? []) as readonly unknown[]) {
        if (!strict.isMembers(record)) return unprocessable('a record is no JSON object')
        for (const key of Object.keys(record))
          if (!['content', 'disabled', 'modified_at'].includes(key))
            return unprocessable(`unknown member ${key}`)
        const { content, disabled = false } = record
        if (typeof content !== 'string') return unprocessable("Key 'content' not present or not a String")
        if (typeof disabled !== 'boolean') return unprocessable("Key 'disabled' is not a Boolean")
        if (!strict.fitsType(type, content) || (type === 'CNAME' && !content.endsWith('.')))
          return unprocessable(
            `Record ${fqdn}/${type} '${content}': Parsing record content ` +
              "(try 'pdnsutil check-zone'): unable to parse IP address, strange character: " +
              content.slice(0, 1),
          )
        if (written.some((other) => other.content === content))
          return unprocessable(`Duplicate record in RRset ${fqdn} IN ${type} with content "${content}"`)
        written.push({ content, disabled })
      }
      if (type === 'CNAME' && written.length > 1)
        return unprocessable(`RRset ${fqdn} IN CNAME has more than one record`)
      changes.push({
        name,
        type,
        ttl,
        records: Array.isArray(records) ? written : undefined,
        comments: Array.isArray(comments) ? comments : undefined,
      })
    }
    const isGone = (name: string, type: string) =>
      changes.some((change) => change.name === name && change.type === type && change.records?.length === 0)
    for (const change of changes) {
      const others = [...world.records, ...changes].filter(
        (other) => other.name === change.name && !isGone(other.name, other.type),
      )
      if (
        !isGone(change.name, change.type) &&
        others.some((other) => (other.type === 'CNAME') !== (change.type === 'CNAME'))
      )
        return unprocessable(`RRset ${change.name}. IN ${change.type}: Conflicts with pre-existing RRset`)
    }
    for (const change of changes) apply(change)
    return { status: 204, body: '' }
  }
}

export const powerdns: FakeService = { id: 'powerdns', origin: 'http://127.0.0.1:8081', make }
