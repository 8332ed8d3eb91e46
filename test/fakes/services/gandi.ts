import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

const refuse = (status: number, object: string, cause: string, message: string, why: string) =>
  strict.refuseJson(status, { object, cause, code: status, message }, why)

// no dump: form from another public fake of this API
const invalid = (name: string, description: string) =>
  strict.refuseJson(400, { status: 'error', errors: [{ location: 'body', name, description }] }, description)

const denied = (why: string) =>
  refuse(403, 'HTTPForbidden', 'Forbidden', 'Access was denied to this resource.', why)

// no dump
const badRequest = (why: string) => refuse(400, 'HTTPBadRequest', 'Bad Request', 'Bad request', why)

const TYPES = strict.words(
  'A AAAA ALIAS CAA CDS CNAME DNAME DS HTTPS KEY LOC MX NAPTR NS OPENPGPKEY PTR RP SPF SRV',
  'SSHFP SVCB TLSA TXT WKS',
)
const ROOT = '/v5/livedns/'

const make = (world: FakeWorld) => {
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const labelOf = (name: string, zone: string) => strict.labelIn(zone, name, '@')
  const href = (zone: string, rest = '') => `https://api.gandi.net${ROOT}domains/${zone}${rest}`

  const setView = (zone: string, records: readonly [FakeRecord, ...FakeRecord[]]) => {
    const [{ name, type, ttl, extra }] = records
    const label = labelOf(name, zone)
    return {
      rrset_name: label,
      rrset_type: type,
      rrset_ttl: ttl,
      rrset_values: records.map((record) => strict.canonicalValue(type, record.value)),
      rrset_href: href(zone, `/records/${label}/${type}`),
      ...extra,
    }
  }

  const authenticate = (authorization: string | undefined) => {
    if (authorization === undefined) {
      const message =
        'You must provide an access token or an API Key. See https://api.gandi.net/docs/authentication/'
      throw strict.refuseJson(401, { message }, 'no credentials')
    }
    if (authorization === `Bearer ${world.password}`) return
    throw denied('wrong token')
  }

  const page = (all: readonly unknown[], parameters: Map<string, string>) => {
    const wrong = (name: string) => badRequest(`${name} is not a number`)
    const size = strict.readCount(parameters, 'per_page', [100, Infinity], wrong)
    const begin = (strict.readCount(parameters, 'page', [1, Infinity], wrong) - 1) * size
    return strict.answerJson(200, all.slice(begin, begin + size), undefined, {
      'total-count': String(all.length),
    })
  }

  const readSet = (type: string, body: unknown) => {
    if (!strict.isMembers(body)) throw invalid('', 'body is not an object')
    const { rrset_values: values, rrset_ttl: ttl = 10800, ...rest } = body
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) throw invalid(unknown, `${unknown} is not in the schema`)
    if (!Array.isArray(values) || values.length === 0) {
      throw invalid('rrset_values', 'rrset_values is no list')
    }
    if (!strict.isInteger(ttl)) {
      throw invalid('rrset_ttl', 'rrset_ttl is no integer')
    }
    if (ttl < 300) throw invalid('rrset_ttl', `${ttl} is less than minimum value 300`)
    if (ttl > 2592000) throw invalid('rrset_ttl', `${ttl} is greater than maximum value 2592000`)
    const texts = values.map((value: unknown) => {
      if (!strict.isValue(type, value))
        throw invalid('rrset_values', `${String(value)} is not right for ${type}`)
      return strict.canonicalValue(type, value)
    })
    if (new Set(texts).size < texts.length) throw invalid('rrset_values', 'a value stands twice')
    return { texts, ttl }
  }

  const write = (name: string, type: string, found: readonly FakeRecord[], request: FakeRequest) => {
    const { texts, ttl } = readSet(type, strict.readJson(request, badRequest))
    if (request.method === 'POST' && found.length > 0) {
      const isSame =
        texts.length === found.length &&
        found.every(({ value }) => texts.includes(strict.canonicalValue(type, value)))
      const message = isSame
        ? 'A DNS Record already exists with same value'
        : `A DNS Record already exists for ${name}/${type}` // no dump
      throw refuse(409, 'dns-record', 'Duplicate Entry', message, 'RRset exists')
    }
    if (strict.isCnameClash(world, name, type) || (type === 'CNAME' && texts.length > 1)) {
      // no dump
      const message = `A CNAME record already exists for ${name}`
      throw refuse(409, 'dns-record', 'Conflict', message, 'CNAME in the way')
    }
    const extra = found[0]?.extra ?? {}
    strict.putInPlace(
      world,
      found,
      texts.map((value) => ({ name, type, value, ttl, extra: { ...extra } })),
    )
    return strict.answerJson(201, { message: 'DNS Record Created' })
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = strict.readTarget(request.target, badRequest)
    const { method } = request
    authenticate(request.headers['authorization'])
    const parts = strict.readParts(path, ROOT, badRequest)
    const [root, zone, collection, label, type, ...more] = parts
    const isKnown = root === 'domains' && more.length === 0 && (collection ?? 'records') === 'records'
    if (!isKnown) {
      throw refuse(404, 'HTTPNotFound', 'Not Found', 'The resource could not be found.', 'unknown path')
    }
    if (world.isReadOnly && method !== 'GET') {
      throw denied('token may not write')
    }
    const notAllowed = 'The method is not allowed for this resource.' // no dump
    const wrongMethod = (why: string) =>
      refuse(405, 'HTTPMethodNotAllowed', 'Method Not Allowed', notAllowed, why)
    const allow = strict.routeChecks(request, parameters, badRequest, wrongMethod)
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
      return strict.answerJson(200, {
        fqdn: zone,
        domain_href: href(zone),
        domain_records_href: href(zone, '/records'),
      })
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
    if (method === 'GET') return strict.answerJson(200, setView(zone, [first, ...others]))
    strict.putInPlace(world, found, [])
    return strict.answerJson(204, '')
  }

  return strict.orRefusal(respond)
}

export const gandi: FakeService = { id: 'gandi', origin: 'https://api.gandi.net', make }
