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
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const refuse = (status: number, id: string, message: string, why: string) =>
  new Refused(answer(status, { id, message }, why))

const badRequest = (why: string) => refuse(400, 'bad_request', 'Bad request', why) // no dump

const unprocessable = (message: string) => refuse(422, 'unprocessable_entity', message, message)

const notFound = (why: string) =>
  refuse(404, 'not_found', 'The resource you were accessing could not be found.', why)

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

const asObject = (value: unknown, what: string): Json => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw badRequest(`${what} is not an object`)
}

const onlyMembers = (body: Json, ...members: string[]) => {
  for (const member of Object.keys(body)) {
    if (!members.includes(member)) throw badRequest(`unknown member ${member}`)
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
const FIELDS = ['type', 'name', 'data', 'priority', 'port', 'ttl', 'weight', 'flags', 'tag']
const NUMBERS = ['priority', 'port', 'weight', 'flags']

const make = (world: FakeWorld) => {
  const ids = new WeakMap<FakeRecord, number>()
  let next = 28448400

  const recordId = (record: FakeRecord) => {
    const known = ids.get(record)
    if (known !== undefined) return known
    next += 11
    ids.set(record, next)
    return next
  }
  const zoneOf = (name: string) =>
    world.zones
      .filter((zone) => name === zone || name.endsWith(`.${zone}`))
      .sort((a, b) => b.length - a.length)[0]
  const view = (zone: string) => (record: FakeRecord) => ({
    id: recordId(record),
    type: record.type,
    name: record.name === zone ? '@' : record.name.slice(0, -zone.length - 1),
    data: canonical(record.type, record.value),
    priority: null,
    port: null,
    ttl: record.ttl,
    weight: null,
    flags: null,
    tag: null,
    ...record.extra,
  })
  const zoneView = (name: string) => ({ name, ttl: 1800, zone_file: `$ORIGIN ${name}.\n$TTL 1800\n` })

  const page = (key: string, all: readonly unknown[], path: string, parameters: Map<string, string>) => {
    const read = (name: string, fallback: number, most: number) => {
      const text = parameters.get(name) ?? String(fallback)
      if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text)
      throw badRequest(`${name} must be between 1 and ${most}`)
    }
    const number = read('page', 1, 1_000_000)
    const size = read('per_page', 20, 200)
    const last = Math.max(1, Math.ceil(all.length / size))
    const link = (to: number) => {
      const query = new URLSearchParams([...parameters])
      query.set('page', String(to))
      return `https://api.digitalocean.com${path}?${query.toString()}`
    }
    const pages = {
      ...(number > 1 ? { first: link(1), prev: link(number - 1) } : {}),
      ...(number < last ? { next: link(number + 1), last: link(last) } : {}),
    }
    return answer(200, {
      [key]: all.slice((number - 1) * size, number * size),
      links: Object.keys(pages).length === 0 ? {} : { pages },
      meta: { total: all.length },
    })
  }

  const check = (zone: string, old: FakeRecord | undefined, body: Json): FakeRecord => {
    onlyMembers(body, ...FIELDS)
    const { type, data = old?.value, ttl = old?.ttl ?? 1800 } = body
    if (type === undefined) throw unprocessable("Type can't be blank") // no dump
    if (typeof type !== 'string' || !TYPES.includes(type)) {
      throw unprocessable('Type is not a valid DNS record type')
    }
    const label = body['name'] ?? (old === undefined ? undefined : view(zone)(old).name)
    if (typeof label !== 'string' || label === '') throw unprocessable("Name can't be blank")
    const isLabel = /^(@|(\*|[\w-]+)(\.[\w-]+)*\.?)$/.test(label)
    if (!isLabel) throw unprocessable('Name Only valid hostname characters are allowed.')
    const isFull = label.endsWith('.')
    if (isFull ? zoneOf(label.slice(0, -1)) !== zone : `.${label}`.endsWith(`.${zone}`)) {
      throw unprocessable(`Name ${label} is not relative to the domain`)
    }
    if (data === undefined) throw unprocessable("Data can't be blank")
    // no dump
    if (!isValue(type, data)) {
      throw unprocessable(`IP address did not match IPv${type === 'A' ? 4 : 6} format`)
    }
    if (typeof ttl !== 'number' || !Number.isInteger(ttl)) throw badRequest('ttl is not an integer')
    if (ttl < 30) throw unprocessable('record ttl must be greater than 30')
    const extra = { ...old?.extra }
    for (const field of [...NUMBERS, 'tag']) {
      const value = body[field]
      if (value === undefined) continue
      const isRight = value === null || typeof value === (field === 'tag' ? 'string' : 'number')
      if (!isRight) throw badRequest(`${field} has a wrong type`)
      extra[field] = value
    }
    const name = (label === '@' ? zone : isFull ? label.slice(0, -1) : `${label}.${zone}`).toLowerCase()
    return { name, type, value: canonical(type, data), ttl, extra }
  }
  const checkClash = (record: FakeRecord, own: FakeRecord | undefined) => {
    const isOther = (peer: FakeRecord) =>
      peer !== own && peer.name === record.name && [peer.type, record.type].includes('CNAME')
    if (world.records.some(isOther)) {
      throw unprocessable('CNAME records cannot share a name with other records')
    }
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = readTarget(request.target)
    const { method } = request
    const { authorization } = request.headers
    if (authorization !== `Bearer ${world.password}`) {
      const body = '{"id": "Unauthorized", "message": "Unable to authenticate you" }'
      throw new Refused(answer(401, body, authorization === undefined ? 'no token' : 'wrong token'))
    }
    const parts = path.startsWith('/v2/') ? path.slice(4).split('/').map(decode) : []
    const [root, zone, collection, id, ...more] = parts
    const isKnown = root === 'domains' && more.length === 0 && (collection ?? 'records') === 'records'
    if (!isKnown) throw notFound('unknown path')
    if (world.isReadOnly && method !== 'GET') {
      const message = 'You do not have access for the attempted action.'
      throw refuse(403, 'forbidden', message, 'token may not write')
    }
    const allow = (methods: string[], ...names: string[]) => {
      // no dump
      if (!methods.includes(method)) {
        throw refuse(405, 'method_not_allowed', 'Not allowed', `method ${method}`)
      }
      for (const name of parameters.keys()) {
        if (method !== 'GET' || !names.includes(name)) throw badRequest(`unknown query ${name}`)
      }
      if (['GET', 'DELETE'].includes(method) && request.body !== '') throw badRequest(`body on ${method}`)
    }
    if (zone === undefined) {
      allow(['GET'], 'page', 'per_page')
      return page('domains', world.zones.map(zoneView), path, parameters)
    }
    if (!world.zones.includes(zone)) throw notFound('unknown domain')
    if (collection === undefined) {
      allow(['GET'])
      return answer(200, { domain: zoneView(zone) })
    }
    const inZone = world.records.filter(({ name }) => zoneOf(name) === zone)
    if (id === undefined) {
      allow(['GET', 'POST'], 'name', 'type', 'page', 'per_page')
      if (method === 'POST') {
        const record = check(zone, undefined, asObject(readJson(request), 'body'))
        checkClash(record, undefined)
        world.records.push(record)
        return answer(201, { domain_record: view(zone)(record) })
      }
      const name = parameters.get('name')?.toLowerCase()
      const type = parameters.get('type')
      if (type !== undefined && !TYPES.includes(type)) throw badRequest(`unknown type ${type}`)
      const found = inZone.filter(
        (record) => record.name === (name ?? record.name) && record.type === (type ?? record.type),
      )
      return page('domain_records', found.map(view(zone)), path, parameters)
    }
    allow(['GET', 'PATCH', 'PUT', 'DELETE'])
    const record = inZone.find((candidate) => String(recordId(candidate)) === id)
    if (record === undefined) throw notFound('no such record')
    if (method === 'DELETE') {
      world.records.splice(world.records.indexOf(record), 1)
      return answer(204, '')
    }
    if (method !== 'GET') {
      const body = asObject(readJson(request), 'body')
      const next = check(zone, record, body)
      checkClash(next, record)
      Object.assign(record, next)
    }
    return answer(200, { domain_record: view(zone)(record) })
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

export const digitalocean: FakeService = { id: 'digitalocean', origin: 'https://api.digitalocean.com', make }
