import { isIPv4, isIPv6 } from 'node:net'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'

type Json = Record<string, unknown>

class Refused extends Error {
  readonly response: FakeResponse
  constructor(response: FakeResponse) {
    super()
    this.response = response
  }
}

const answer = (status: number, body: unknown, why?: string): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...(why === undefined ? {} : { 'x-fake-why': why }) },
  body: body === '' ? '' : JSON.stringify(body),
})

const refuse = (status: number, object: string, cause: string, message: string, why: string) =>
  new Refused(answer(status, { object, cause, code: status, message }, why))

// no dump: form from another public fake of this API
const invalid = (name: string, description: string) =>
  new Refused(
    answer(400, { status: 'error', errors: [{ location: 'body', name, description }] }, description),
  )

const denied = (why: string) =>
  refuse(403, 'HTTPForbidden', 'Forbidden', 'Access was denied to this resource.', why)

// no dump
const badRequest = (why: string) => refuse(400, 'HTTPBadRequest', 'Bad Request', 'Bad request', why)

const isWellEncoded = (text: string, allowed: RegExp) =>
  allowed.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text)

const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest('escapes are not UTF-8')
  }
}

const readTarget = (target: string) => {
  const [path = '', ...rest] = target.split('?')
  const query = rest.join('?')
  if (!isWellEncoded(path, /^\/[\w\-.~!$&'()*+,;=:@%/]*$/)) throw badRequest('path is not percent-encoded')
  if (!isWellEncoded(query, /^[\w\-.~!$'()*+,;=:@%/?&]*$/)) throw badRequest('query is not percent-encoded')
  const parameters = new Map<string, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', value] = pair.split('=').map((part) => decode(part.replaceAll('+', ' ')))
    if (value === undefined) throw badRequest(`query parameter ${name} has no value`)
    if (parameters.has(name)) throw badRequest(`query parameter ${name} twice`)
    parameters.set(name, value)
  }
  return { path, parameters }
}

const readJson = (request: FakeRequest): unknown => {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw badRequest(`content type is ${type === '' ? 'missing' : type}`)
  try {
    return JSON.parse(request.body)
  } catch {
    throw badRequest('body is not JSON')
  }
}

const isV6 = (text: string) => isIPv6(text) && !text.includes('%')

const canonical = (type: string, value: string) =>
  type === 'AAAA' && isV6(value) ? new URL(`http://[${value}]/`).hostname.slice(1, -1) : value

const isValue = (type: string, value: unknown): value is string => {
  if (typeof value !== 'string' || value === '') return false
  return type === 'A' ? isIPv4(value) : type === 'AAAA' ? isV6(value) : true
}

const TYPES = [
  'A',
  'AAAA',
  'ALIAS',
  'CAA',
  'CDS',
  'CNAME',
  'DNAME',
  'DS',
  'HTTPS',
  'KEY',
  'LOC',
  'MX',
  'NAPTR',
  'NS',
  'OPENPGPKEY',
  'PTR',
  'RP',
  'SPF',
  'SRV',
  'SSHFP',
  'SVCB',
  'TLSA',
  'TXT',
  'WKS',
]
const ROOT = '/v5/livedns/'

const make = (world: FakeWorld) => {
  const zoneOf = (name: string) =>
    world.zones
      .filter((zone) => name === zone || name.endsWith(`.${zone}`))
      .sort((a, b) => b.length - a.length)[0]
  const labelOf = (name: string, zone: string) => (name === zone ? '@' : name.slice(0, -zone.length - 1))
  const href = (zone: string, rest = '') => `https://api.gandi.net${ROOT}domains/${zone}${rest}`

  const setView = (zone: string, records: readonly [FakeRecord, ...FakeRecord[]]) => {
    const [{ name, type, ttl, extra }] = records
    const label = labelOf(name, zone)
    return {
      rrset_name: label,
      rrset_type: type,
      rrset_ttl: ttl,
      rrset_values: records.map((record) => canonical(type, record.value)),
      rrset_href: href(zone, `/records/${label}/${type}`),
      ...extra,
    }
  }

  const authenticate = (authorization: string | undefined) => {
    if (authorization === undefined) {
      const message =
        'You must provide an access token or an API Key. See https://api.gandi.net/docs/authentication/'
      throw new Refused(answer(401, { message }, 'no credentials'))
    }
    if (authorization === `Bearer ${world.password}`) return
    throw denied('wrong token')
  }

  const page = (all: readonly unknown[], parameters: Map<string, string>) => {
    const read = (name: string, fallback: number) => {
      const text = parameters.get(name) ?? String(fallback)
      if (/^[1-9]\d*$/.test(text)) return Number(text)
      throw badRequest(`${name} is not a number`)
    }
    const size = read('per_page', 100)
    const begin = (read('page', 1) - 1) * size
    const { headers, ...rest } = answer(200, all.slice(begin, begin + size))
    return { ...rest, headers: { ...headers, 'total-count': String(all.length) } }
  }

  const readSet = (type: string, body: unknown) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalid('', 'body is not an object')
    }
    const { rrset_values: values, rrset_ttl: ttl = 10800, ...rest } = body as Json
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) throw invalid(unknown, `${unknown} is not in the schema`)
    if (!Array.isArray(values) || values.length === 0) {
      throw invalid('rrset_values', 'rrset_values is no list')
    }
    if (typeof ttl !== 'number' || !Number.isInteger(ttl)) {
      throw invalid('rrset_ttl', 'rrset_ttl is no integer')
    }
    if (ttl < 300) throw invalid('rrset_ttl', `${ttl} is less than minimum value 300`)
    if (ttl > 2592000) throw invalid('rrset_ttl', `${ttl} is greater than maximum value 2592000`)
    const texts = values.map((value: unknown) => {
      if (!isValue(type, value)) throw invalid('rrset_values', `${String(value)} is not right for ${type}`)
      return canonical(type, value)
    })
    if (new Set(texts).size < texts.length) throw invalid('rrset_values', 'a value stands twice')
    return { texts, ttl }
  }

  const put = (found: readonly FakeRecord[], records: readonly FakeRecord[]) => {
    const place = world.records.findIndex((record) => found.includes(record))
    const kept = world.records.filter((record) => !found.includes(record))
    kept.splice(place < 0 ? kept.length : place, 0, ...records)
    world.records.splice(0, world.records.length, ...kept)
  }

  const write = (name: string, type: string, found: readonly FakeRecord[], request: FakeRequest) => {
    const { texts, ttl } = readSet(type, readJson(request))
    if (request.method === 'POST' && found.length > 0) {
      const isSame =
        texts.length === found.length && found.every(({ value }) => texts.includes(canonical(type, value)))
      const message = isSame
        ? 'A DNS Record already exists with same value'
        : `A DNS Record already exists for ${name}/${type}` // no dump
      throw refuse(409, 'dns-record', 'Duplicate Entry', message, 'RRset exists')
    }
    const isClash = (record: FakeRecord) =>
      record.name === name && record.type !== type && [type, record.type].includes('CNAME')
    if (world.records.some(isClash) || (type === 'CNAME' && texts.length > 1)) {
      // no dump
      const message = `A CNAME record already exists for ${name}`
      throw refuse(409, 'dns-record', 'Conflict', message, 'CNAME in the way')
    }
    const extra = found[0]?.extra ?? {}
    put(
      found,
      texts.map((value) => ({ name, type, value, ttl, extra: { ...extra } })),
    )
    return answer(201, { message: 'DNS Record Created' })
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = readTarget(request.target)
    const { method } = request
    authenticate(request.headers['authorization'])
    const parts = path.startsWith(ROOT) ? path.slice(ROOT.length).split('/').map(decode) : []
    const [root, zone, collection, label, type, ...more] = parts
    const isKnown = root === 'domains' && more.length === 0 && (collection ?? 'records') === 'records'
    if (!isKnown) {
      throw refuse(404, 'HTTPNotFound', 'Not Found', 'The resource could not be found.', 'unknown path')
    }
    if (world.isReadOnly && method !== 'GET') {
      throw denied('token may not write')
    }
    const allow = (methods: string[], ...names: string[]) => {
      if (!methods.includes(method)) {
        // no dump
        const message = 'The method is not allowed for this resource.'
        throw refuse(405, 'HTTPMethodNotAllowed', 'Method Not Allowed', message, `method ${method}`)
      }
      for (const name of parameters.keys()) {
        if (method !== 'GET' || !names.includes(name)) throw badRequest(`unknown query ${name}`)
      }
      if (['GET', 'DELETE'].includes(method) && request.body !== '') throw badRequest(`body on ${method}`)
    }
    if (zone === undefined) {
      allow(['GET'], 'page', 'per_page', 'sharing_id', 'sort_by')
      return page(
        world.zones.map((fqdn) => ({
          fqdn,
          domain_href: href(fqdn),
          domain_records_href: href(fqdn, '/records'),
        })),
        parameters,
      )
    }
    if (!world.zones.includes(zone)) {
      throw refuse(404, 'LocalizedHTTPNotFound', 'Not Found', 'Unknown domain', 'unknown domain')
    }
    if (collection === undefined) {
      allow(['GET'])
      return answer(200, { fqdn: zone, domain_href: href(zone), domain_records_href: href(zone, '/records') })
    }
    const inZone = world.records.filter(({ name }) => zoneOf(name) === zone)
    if (label === undefined || type === undefined) {
      allow(['GET'], 'page', 'per_page', 'rrset_name', 'rrset_type')
      const sets = new Map<string, [FakeRecord, ...FakeRecord[]]>()
      for (const record of inZone) {
        const name = labelOf(record.name, zone)
        if (name !== (label ?? parameters.get('rrset_name') ?? name)) continue
        if (record.type !== (parameters.get('rrset_type') ?? record.type)) continue
        const key = `${name}/${record.type}`
        const set = sets.get(key)
        if (set === undefined) sets.set(key, [record])
        else set.push(record)
      }
      return page(
        [...sets.values()].map((set) => setView(zone, set)),
        parameters,
      )
    }
    allow(['GET', 'POST', 'PUT', 'DELETE'])
    if (!TYPES.includes(type)) throw badRequest(`unknown type ${type}`)
    const isLabel = /^(@|\*|(\*\.)?[\w-]+(\.[\w-]+)*)$/.test(label) && !`.${label}`.endsWith(`.${zone}`)
    if (!isLabel) throw badRequest(`${label} is not a name in the domain`)
    const name = (label === '@' ? zone : `${label}.${zone}`).toLowerCase()
    const found = inZone.filter((record) => record.name === name && record.type === type)
    if (method === 'PUT' || method === 'POST') return write(name, type, found, request)
    const [first, ...others] = found
    if (first === undefined) {
      const message = `Can't find the DNS record ${label}/${type} in the zone`
      throw refuse(404, 'dns-record', 'Not Found', message, 'no such RRset')
    }
    if (method === 'GET') return answer(200, setView(zone, [first, ...others]))
    put(found, [])
    return answer(204, '')
  }

  return (request: FakeRequest): FakeResponse => {
    try {
      return respond(request)
    } catch (error) {
      if (error instanceof Refused) return error.response
      throw error
    }
  }
}

export const gandi: FakeService = { id: 'gandi', origin: 'https://api.gandi.net', make }
