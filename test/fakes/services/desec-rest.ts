import { isIPv4, isIPv6 } from 'node:net'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Documents: desec.readthedocs.io (docs/dns/domains.rst, docs/dns/rrsets.rst); texts of refusals: the
// published source of the service (desec-io/desec-stack, api/desecapi/serializers/records.py). No field is
// peculiar to this service.

type Errors = Record<string, readonly string[]>
interface Change {
  readonly name: string
  readonly type: string
  readonly values: readonly string[]
  readonly ttl: number
}

const PAGE = 500
const LEAST_TTL = 3600
const MOST_TTL = 86400
const STAMP = '2026-11-27T10:00:00.000000Z'
const MANAGEABLE = strict.words('A AAAA CAA CNAME HTTPS LOC MX NS PTR SRV SSHFP SVCB TLSA TXT')
const AUTOMATIC = ['SOA', 'DNSKEY', 'CDS', 'CDNSKEY', 'NSEC3PARAM', 'RRSIG', 'OPT']
const READ_ONLY = ['created', 'domain', 'name', 'touched']

const typeName = (value: unknown) =>
  value === null
    ? 'NoneType'
    : Array.isArray(value)
      ? 'list'
      : typeof value === 'string'
        ? 'str'
        : typeof value === 'number'
          ? 'int'
          : typeof value === 'boolean'
            ? 'bool'
            : 'dict'
/** In the canonical form, or undefined if it is not valid. */
const canonical = (type: string, value: string): string | undefined => {
  if (type === 'A') return isIPv4(value) ? value : undefined
  if (type === 'AAAA') return isIPv6(value) ? new URL(`http://[${value}]`).hostname.slice(1, -1) : undefined
  if (type === 'CNAME') return value.endsWith('.') ? value : undefined
  return value
}

const make = (world: FakeWorld) => {
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const nameOf = (subname: string, zone: string) => (subname === '' ? zone : `${subname}.${zone}`)
  const at = (name: string, type: string) =>
    world.records.filter((record) => record.name === name && record.type === type)
  const shown = (name: string, type: string, zone: string, found: readonly FakeRecord[]) => ({
    created: STAMP,
    domain: zone,
    subname: strict.labelIn(zone, name, ''),
    name: `${name}.`,
    records: found.map((record) => (type === 'CNAME' ? record.value.replace(/\.?$/, '.') : record.value)),
    ttl: found[0]?.ttl ?? LEAST_TTL,
    type,
    touched: STAMP,
  })
  const apply = ({ name, type, values, ttl }: Change) => {
    const old = at(name, type)
    const fresh = values.map((value, index) =>
      Object.assign(old[index] ?? { extra: {} }, { name, type, value, ttl }),
    )
    strict.putOver(world, old, fresh)
  }

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    const detail = (status: number, text: string, why: string) =>
      strict.answerJson(status, { detail: text }, why)
    const notFound = (why: string) => detail(404, 'Not found.', why) // no dump
    const notAllowed = () => detail(405, `Method "${method}" not allowed.`, 'method')

    if (!strict.isEncoded(target)) return notFound('target is not percent-encoded')
    const authorization = headers['authorization']
    if (authorization === undefined)
      return detail(401, 'Authentication credentials were not provided.', 'no authorization')
    if (authorization !== `Token ${world.password}`) return detail(401, 'Invalid token.', 'token') // no dump

    const { path, query } = strict.splitTarget(target)
    const segments = /^\/api\/v1\/domains\/(?:([^/]+)\/(?:(rrsets)\/(?:([^/]+)\/([^/]+)\/)?)?)?$/.exec(path)
    if (segments === null) return notFound('no such path')
    const [zone, hasRrsets, part, type] = segments.slice(1).map((item) => item && decodeURIComponent(item))
    const allowed =
      part !== undefined
        ? []
        : hasRrsets
          ? ['cursor', 'type', 'subname']
          : zone
            ? []
            : ['cursor', 'owns_qname']
    for (const key of query.keys()) {
      if (method !== 'GET' || !allowed.includes(key))
        return detail(400, 'Bad request.', `query parameter ${key}`)
      if (query.getAll(key).length > 1) return detail(400, 'Bad request.', `query parameter ${key} twice`)
    }
    if (method === 'GET' && request.body !== '') return detail(400, 'Bad request.', 'a body on a GET')
    if (world.isReadOnly && method !== 'GET')
      return detail(403, 'You do not have permission to perform this action.', 'read-only token') // no dump

    const paged = (items: readonly unknown[]): FakeResponse => {
      const cursor = query.get('cursor')
      if (cursor === null && items.length <= PAGE) return strict.answerJson(200, items)
      const link = (to: number, rel: string) => {
        const to64 = to === 0 ? '' : Buffer.from(`p${to}`).toString('base64url')
        query.set('cursor', to64)
        return `<https://desec.io${path}?${query.toString()}>; rel="${rel}"`
      }
      if (cursor === null)
        return strict.answerJson(
          400,
          {
            // no dump
            detail:
              `Pagination required. You can query up to ${PAGE} items at a time. ` +
              'Please use the `first` page link (see Link header).',
          },
          'cursor= is needed',
          { link: link(0, 'first') },
        )
      const start = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64url').toString().slice(1))
      if (!Number.isInteger(start)) return detail(404, 'Invalid cursor', 'cursor')
      const links = [link(0, 'first')]
      if (start > 0) links.push(link(Math.max(0, start - PAGE), 'prev'))
      if (start + PAGE < items.length) links.push(link(start + PAGE, 'next'))
      return strict.answerJson(200, items.slice(start, start + PAGE), undefined, { link: links.join(', ') })
    }

    const domain = (name: string) => ({
      created: STAMP,
      published: STAMP,
      name,
      minimum_ttl: LEAST_TTL,
      touched: STAMP,
    })
    if (zone === undefined) {
      if (method !== 'GET') return notAllowed()
      const qname = query.get('owns_qname')
      if (qname === null) return paged(world.zones.map(domain))
      if (!/^[\x21-\x7e]+$/.test(qname))
        return strict.answerJson(400, { owns_qname: ['Invalid domain name.'] }, 'owns_qname')
      const owner = zoneOf(qname.toLowerCase().replace(/\.$/, ''))
      return paged(owner === undefined ? [] : [domain(owner)])
    }
    if (!world.zones.includes(zone)) return notFound('no such domain')
    if (!hasRrsets)
      return method === 'GET' ? strict.answerJson(200, { ...domain(zone), keys: [] }) : notAllowed()

    const isSingle = part !== undefined && type !== undefined
    const asked = isSingle ? part.replace(/^@$|\.\.\.$/, '') : ''
    if (method === 'GET') {
      if (isSingle) {
        const found = zoneOf(nameOf(asked, zone)) === zone ? at(nameOf(asked, zone), type) : []
        return found.length === 0
          ? notFound('no such RRset')
          : strict.answerJson(200, shown(nameOf(asked, zone), type, zone, found))
      }
      const sets = new Map<string, { name: string; type: string }>()
      for (const record of world.records)
        if (zoneOf(record.name) === zone) sets.set(`${record.name} ${record.type}`, record)
      return paged(
        [...sets.values()]
          .map((set) => shown(set.name, set.type, zone, at(set.name, set.type)))
          .filter((set) => query.get('type') === null || set.type === query.get('type'))
          .filter((set) => query.get('subname') === null || set.subname === query.get('subname')),
      )
    }

    if (!(isSingle ? ['PATCH', 'PUT', 'DELETE'] : ['PATCH', 'PUT', 'POST']).includes(method))
      return notAllowed()
    if (method === 'DELETE') {
      apply({ name: nameOf(asked, zone), type: type ?? '', values: [], ttl: 0 })
      return strict.answerWith({})(204, '')
    }
    if (!strict.isSentAs('application/json', request))
      return detail(
        415,
        `Unsupported media type "${headers['content-type'] ?? ''}" in request.`,
        'content-type',
      )
    const body = strict.jsonOf(request.body)
    if (body === undefined)
      return detail(400, 'JSON parse error - Expecting value: line 1 column 1 (char 0)', 'JSON')

    const isList = Array.isArray(body)
    if (isSingle ? isList : !isList && method !== 'POST')
      return strict.answerJson(
        400,
        {
          non_field_errors: [
            isSingle
              ? 'Invalid data. Expected a dictionary, but got list.'
              : `Expected a list of items but got ${typeName(body)}.`,
          ],
        },
        isSingle ? 'an object is needed' : 'a list is needed',
      )
    const items: readonly unknown[] = isList ? body : [body]
    if (isSingle && at(nameOf(asked, zone), type).length === 0) return notFound('no such RRset')

    const errors: Errors[] = []
    const changes: Change[] = []
    let why = ''
    for (const item of items) {
      const error: Errors = {}
      errors.push(error)
      const fail = (key: string, text: string) => {
        error[key] = [...(error[key] ?? []), text]
        why = `${key}: ${text}`
      }
      if (!strict.isMembers(item)) {
        fail('non_field_errors', `Expected a dictionary, but got ${typeName(item)}.`)
        continue
      }
      for (const key of Object.keys(item))
        if (!['subname', 'type', 'ttl', 'records', ...READ_ONLY].includes(key)) fail(key, 'unknown member')
      const subname = item['subname'] ?? (isList || method === 'PUT' ? undefined : asked)
      const itsType = item['type'] ?? (isSingle && method === 'PATCH' ? type : undefined)
      if (typeof subname !== 'string') fail('subname', 'This field is required.')
      if (typeof itsType !== 'string') fail('type', 'This field is required.')
      if (typeof subname !== 'string' || typeof itsType !== 'string') continue
      if (!strict.isLabel(subname))
        // no dump
        fail(
          'subname',
          "Subname can only use (lowercase) a-z, 0-9, ., -, and _, may start with a '*.', or just be '*'.",
        )
      if (isSingle && (subname !== asked || itsType !== type))
        fail(subname === asked ? 'type' : 'subname', 'Can only be written on create.')
      if (AUTOMATIC.includes(itsType))
        fail('type', `You cannot tinker with the ${itsType} RR set. It is managed automatically.`)
      else if (!MANAGEABLE.includes(itsType))
        fail('type', `The ${itsType} RR set type is currently unsupported.`)

      const name = nameOf(subname, zone)
      if (zoneOf(name) !== zone) fail('subname', `this name is in the domain ${zoneOf(name)}`)
      const old = at(name, itsType)
      const isPartial = method === 'PATCH' && (old.length > 0 || JSON.stringify(item['records']) === '[]')
      const { ttl = isPartial ? (old[0]?.ttl ?? LEAST_TTL) : undefined } = item
      const { records = isPartial ? old.map((record) => record.value) : undefined } = item
      if (ttl === undefined) fail('ttl', 'This field is required.')
      else if (!strict.isInteger(ttl)) fail('ttl', 'A valid integer is required.')
      else if (ttl < LEAST_TTL) fail('ttl', `Ensure this value is greater than or equal to ${LEAST_TTL}.`)
      else if (ttl > MOST_TTL) fail('ttl', `Ensure this value is less than or equal to ${MOST_TTL}.`)
      if (records === undefined) fail('records', 'This field is required.')
      else if (!Array.isArray(records))
        fail('records', `Expected a list of items but got type "${typeName(records)}".`)
      else if (records.length === 0 && method === 'POST')
        fail('records', 'This field must not be empty when using POST.')
      if (!Array.isArray(records) || typeof ttl !== 'number') continue
      const values = records.map((value) =>
        typeof value === 'string' ? canonical(itsType, value) : undefined,
      )
      if (values.includes(undefined))
        fail('non_field_errors', 'Cannot parse record contents: Text input is malformed.') // no dump
      else if (new Set(values).size < values.length)
        fail('non_field_errors', 'Duplicate: records must be semantically unique')

      if (method === 'POST' && old.length > 0)
        fail(
          'non_field_errors',
          'Another RRset with the same subdomain and type exists for this domain. (Try modifying it.)',
        )
      if (changes.some((change) => change.name === name && change.type === itsType))
        fail('non_field_errors', 'Same subname and type as in position(s) 0, but must be unique.')
      const others = [
        ...new Set(world.records.filter((record) => record.name === name).map((record) => record.type)),
      ].filter((other) => (other === 'CNAME') !== (itsType === 'CNAME'))
      if (values.length > 0 && others.length > 0)
        fail(
          'non_field_errors',
          `RRset with conflicting type present: database (${others.sort().join(', ')}).` +
            ' (No other RRsets are allowed alongside CNAME.)',
        )
      changes.push({ name, type: itsType, values: values.map(String), ttl })
    }
    if (errors.some((error) => Object.keys(error).length > 0))
      return strict.answerJson(400, isList ? errors : errors[0], why)

    for (const change of changes) apply(change)
    const written = changes
      .filter((change) => change.values.length > 0)
      .map((change) => shown(change.name, change.type, zone, at(change.name, change.type)))
    if (isList) return strict.answerJson(method === 'POST' ? 201 : 200, written)
    return written.length === 0
      ? strict.answerWith({})(204, '')
      : strict.answerJson(method === 'POST' ? 201 : 200, written[0])
  }
}

export const desecRest: FakeService = { id: 'desec-rest', origin: 'https://desec.io', make }
