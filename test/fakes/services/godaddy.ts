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

const refuse = (status: number, code: string, message: string, why: string) =>
  new Refused(answer(status, { code, message }, why))

// no dump
const badRequest = (why: string) => refuse(400, 'BAD_REQUEST', 'Request was malformed', why)

const invalidBody = (path: string, message: string) =>
  new Refused(
    answer(
      422,
      {
        code: 'INVALID_BODY',
        fields: [{ code: 'UNKNOWN_RESTRICTION', message, path }],
        message: "Request body doesn't fulfill schema, see details in `fields`",
      },
      `${path}: ${message}`,
    ),
  )

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

const TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'SOA', 'SRV', 'TXT']
const FIELDS = ['data', 'ttl', 'port', 'priority', 'protocol', 'service', 'weight']

const make = (world: FakeWorld) => {
  const authenticate = (authorization: string | undefined) => {
    if (authorization === `sso-key ${world.username}:${world.password}`) return
    if (authorization === undefined || !/^sso-key [^:]+:.+$/.test(authorization)) {
      // no dump
      throw refuse(401, 'MALFORMED_CREDENTIALS', 'Authorization header is malformed', 'malformed header')
    }
    const message = 'Unauthorized : Could not authenticate API key/secret'
    throw refuse(401, 'UNABLE_TO_AUTHENTICATE', message, 'wrong API key or secret')
  }

  const domainId = (zone: string) => 1000 + world.zones.indexOf(zone)

  const readNumber = (parameters: Map<string, string>, name: string, fallback: number, most: number) => {
    const text = parameters.get(name) ?? String(fallback)
    if (/^\d+$/.test(text) && Number(text) <= most) return Number(text)
    throw badRequest(`${name} is not a number up to ${most}`)
  }

  const view = (zone: string) => (record: FakeRecord) => ({
    data: canonical(record.type, record.value),
    name: record.name === zone ? '@' : record.name.slice(0, -zone.length - 1),
    ttl: record.ttl,
    type: record.type,
    ...record.extra,
  })

  const replace = (name: string, type: string, found: FakeRecord[], body: unknown) => {
    if (!Array.isArray(body)) throw invalidBody('records', 'is not an array')
    if (body.length === 0) throw invalidBody('records', 'must have at least one record')
    const records = body.map((item: unknown, index): FakeRecord => {
      const path = `records[${index}]`
      const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
      if (!isObject) throw invalidBody(path, 'is not an object')
      const fields = item as Json
      for (const field of Object.keys(fields)) {
        if (!FIELDS.includes(field)) throw invalidBody(`${path}.${field}`, 'is not a known field')
      }
      const { data, ttl = 3600, ...rest } = fields
      if (!isValue(type, data)) throw invalidBody(`${path}.data`, `is not right for ${type}`)
      if (typeof ttl !== 'number' || !Number.isInteger(ttl)) {
        throw invalidBody(`${path}.ttl`, 'is not an integer')
      }
      if (ttl < 600) throw invalidBody(`${path}.ttl`, 'must have a minimum value of 600')
      if (ttl > 604800) throw invalidBody(`${path}.ttl`, 'must have a maximum value of 604800')
      return { name, type, value: canonical(type, data), ttl, extra: rest }
    })
    if (new Set(records.map(({ value }) => value)).size < records.length) {
      // no dump
      const message = 'Another record with the same attributes already exists'
      throw refuse(422, 'DUPLICATE_RECORD', message, 'same value twice')
    }
    const isClash = ({ name: other, type: otherType }: FakeRecord) =>
      other === name && otherType !== type && [type, otherType].includes('CNAME')
    if (world.records.some(isClash) || (type === 'CNAME' && records.length > 1)) {
      // no dump
      const message = `Record name [${name}] conflicts with another record.`
      throw refuse(422, 'DUPLICATE_RECORD', message, 'CNAME beside other records')
    }
    const place = world.records.findIndex((record) => found.includes(record))
    const kept = world.records.filter((record) => !found.includes(record))
    kept.splice(place < 0 ? kept.length : place, 0, ...records)
    world.records.splice(0, world.records.length, ...kept)
    return answer(200, '')
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = readTarget(request.target)
    const { method } = request
    const parts = path.startsWith('/v1/') ? path.slice(4).split('/').map(decode) : []
    const [root, zone, collection, type, label, ...more] = parts
    if (root !== 'domains' || more.length > 0 || (collection !== undefined && collection !== 'records')) {
      throw refuse(404, 'NOT_FOUND', 'Resource not found', 'unknown path') // no dump
    }
    authenticate(request.headers['authorization'])
    if (world.isReadOnly) {
      const message = 'Authenticated user is not allowed access'
      throw refuse(403, 'ACCESS_DENIED', message, 'account may not use the API')
    }
    const allow = (methods: string[], ...names: string[]) => {
      // no dump
      if (!methods.includes(method)) {
        throw refuse(405, 'METHOD_NOT_ALLOWED', 'Not allowed', `method ${method}`)
      }
      for (const name of parameters.keys()) {
        if (method !== 'GET' || !names.includes(name)) throw badRequest(`unknown query ${name}`)
      }
      if (method === 'GET' && request.body !== '') throw badRequest('body on GET')
    }
    if (zone === undefined) {
      allow(['GET'], 'limit', 'marker', 'statuses', 'statusGroups', 'includes', 'modifiedDate')
      const marker = parameters.get('marker') ?? ''
      const limit = readNumber(parameters, 'limit', 100, 1000)
      const zones = [...world.zones]
        .sort()
        .filter((name) => name > marker)
        .slice(0, limit)
      return answer(
        200,
        zones.map((domain) => ({ domain, domainId: domainId(domain), status: 'ACTIVE' })),
      )
    }
    if (!world.zones.includes(zone)) {
      const message = 'The given domain is not registered, or does not have a zone file'
      throw refuse(404, 'UNKNOWN_DOMAIN', message, 'unknown domain')
    }
    if (collection === undefined) {
      allow(['GET'])
      return answer(200, { domain: zone, domainId: domainId(zone), status: 'ACTIVE' })
    }
    if (type !== undefined && !TYPES.includes(type)) throw badRequest(`unknown type ${type}`)
    const inZone = world.records.filter(({ name }) => name === zone || name.endsWith(`.${zone}`))
    const ofType = inZone.filter((record) => type === undefined || record.type === type)
    const some = (records: FakeRecord[]) => {
      const offset = readNumber(parameters, 'offset', 1, 1_000_000)
      const start = Math.max(offset - 1, 0)
      const end = start + readNumber(parameters, 'limit', 500, 500)
      return answer(200, records.slice(start, end).map(view(zone)))
    }
    if (type === undefined || label === undefined) {
      allow(['GET'], 'offset', 'limit')
      return some(ofType)
    }
    allow(['GET', 'PUT', 'DELETE'], 'offset', 'limit')
    const isLabel = /^(@|[\w*-]+(\.[\w-]+)*)$/.test(label) && !`${label}.`.endsWith(`${zone}.`)
    if (!isLabel) throw badRequest(`${label} is not a name in the domain`)
    const name = (label === '@' ? zone : `${label}.${zone}`).toLowerCase()
    const found = ofType.filter((record) => record.name === name)
    if (method === 'GET') return some(found)
    if (method === 'PUT') return replace(name, type, found, readJson(request))
    // no dump
    if (found.length === 0) throw refuse(404, 'UNKNOWN_RECORD', 'The record does not exist', 'no such record')
    const kept = world.records.filter((record) => !found.includes(record))
    world.records.splice(0, world.records.length, ...kept)
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

export const godaddy: FakeService = { id: 'godaddy', origin: 'https://api.godaddy.com', make }
