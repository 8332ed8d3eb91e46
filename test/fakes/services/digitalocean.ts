import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

const refuse = (status: number, id: string, message: string, why: string) =>
  strict.refuseJson(status, { id, message }, why)

const badRequest = (why: string) => refuse(400, 'bad_request', 'Bad request', why) // no dump

const unprocessable = (message: string) => refuse(422, 'unprocessable_entity', message, message)

const notFound = (why: string) =>
  refuse(404, 'not_found', 'The resource you were accessing could not be found.', why)

const TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'SOA', 'SRV', 'TXT']
const FIELDS = ['type', 'name', 'data', 'priority', 'port', 'ttl', 'weight', 'flags', 'tag']
const NUMBERS = ['priority', 'port', 'weight', 'flags']

const make = (world: FakeWorld) => {
  const recordId = strict.idsOf((before) => 28448411 + 11 * before)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const view = (zone: string) => (record: FakeRecord) => ({
    id: recordId(record),
    type: record.type,
    name: strict.labelIn(zone, record.name, '@'),
    data: strict.canonicalValue(record.type, record.value),
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
    const wrong = (name: string, why: string) => badRequest(`${name} ${why}`)
    const number = strict.readCount(parameters, 'page', [1, 1_000_000], wrong)
    const size = strict.readCount(parameters, 'per_page', [20, 200], wrong)
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
    return strict.answerJson(200, {
      [key]: all.slice((number - 1) * size, number * size),
      links: Object.keys(pages).length === 0 ? {} : { pages },
      meta: { total: all.length },
    })
  }

  const check = (zone: string, old: FakeRecord | undefined, body: strict.Members): FakeRecord => {
    strict.onlyMembers(body, FIELDS, badRequest)
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
    if (!strict.isValue(type, data)) {
      throw unprocessable(`IP address did not match IPv${type === 'A' ? 4 : 6} format`)
    }
    if (!strict.isInteger(ttl)) throw badRequest('ttl is not an integer')
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
    return { name, type, value: strict.canonicalValue(type, data), ttl, extra }
  }
  const checkClash = (record: FakeRecord, own: FakeRecord | undefined) => {
    const isOther = (peer: FakeRecord) =>
      peer !== own && peer.name === record.name && [peer.type, record.type].includes('CNAME')
    if (world.records.some(isOther)) {
      throw unprocessable('CNAME records cannot share a name with other records')
    }
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = strict.readTarget(request.target, badRequest)
    const { method } = request
    const { authorization } = request.headers
    if (authorization !== `Bearer ${world.password}`) {
      const body = '{"id": "Unauthorized", "message": "Unable to authenticate you" }'
      throw strict.refuseJson(401, body, authorization === undefined ? 'no token' : 'wrong token')
    }
    const parts = strict.readParts(path, '/v2/', badRequest)
    const [root, zone, collection, id, ...more] = parts
    const isKnown = root === 'domains' && more.length === 0 && (collection ?? 'records') === 'records'
    if (!isKnown) throw notFound('unknown path')
    if (world.isReadOnly && method !== 'GET') {
      const message = 'You do not have access for the attempted action.'
      throw refuse(403, 'forbidden', message, 'token may not write')
    }
    const wrongMethod = (why: string) => refuse(405, 'method_not_allowed', 'Not allowed', why) // no dump
    const allow = strict.routeChecks(request, parameters, badRequest, wrongMethod)
    if (zone === undefined) {
      allow(['GET'], 'page', 'per_page')
      return page('domains', world.zones.map(zoneView), path, parameters)
    }
    if (!world.zones.includes(zone)) throw notFound('unknown domain')
    if (collection === undefined) {
      allow(['GET'])
      return strict.answerJson(200, { domain: zoneView(zone) })
    }
    const inZone = world.records.filter(({ name }) => zoneOf(name) === zone)
    if (id === undefined) {
      allow(['GET', 'POST'], 'name', 'type', 'page', 'per_page')
      if (method === 'POST') {
        const record = check(zone, undefined, strict.readBody(request, badRequest))
        checkClash(record, undefined)
        world.records.push(record)
        return strict.answerJson(201, { domain_record: view(zone)(record) })
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
      return strict.answerJson(204, '')
    }
    if (method !== 'GET') {
      const body = strict.readBody(request, badRequest)
      const next = check(zone, record, body)
      checkClash(next, record)
      Object.assign(record, next)
    }
    return strict.answerJson(200, { domain_record: view(zone)(record) })
  }

  return strict.orRefusal(respond)
}

export const digitalocean: FakeService = { id: 'digitalocean', origin: 'https://api.digitalocean.com', make }
