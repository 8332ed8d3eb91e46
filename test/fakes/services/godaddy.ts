import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

const refuse = (status: number, code: string, message: string, why: string) =>
  strict.refuseJson(status, { code, message }, why)

// no dump
const badRequest = (why: string) => refuse(400, 'BAD_REQUEST', 'Request was malformed', why)

const invalidBody = (path: string, message: string) =>
  strict.refuseJson(
    422,
    {
      code: 'INVALID_BODY',
      fields: [{ code: 'UNKNOWN_RESTRICTION', message, path }],
      message: "Request body doesn't fulfill schema, see details in `fields`",
    },
    `${path}: ${message}`,
  )

const TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'SOA', 'SRV', 'TXT']
const FIELDS = ['data', 'ttl', 'port', 'priority', 'protocol', 'service', 'weight']

const makeWith = (isByToken: boolean) => (world: FakeWorld) => {
  const authenticate = (authorization: string | undefined) => {
    const right = isByToken ? `Bearer ${world.password}` : `sso-key ${world.username}:${world.password}`
    if (authorization === right) return
    const form = isByToken ? /^Bearer \S+$/ : /^sso-key [^:]+:.+$/
    if (authorization === undefined || !form.test(authorization)) {
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
    data: strict.canonicalValue(record.type, record.value),
    name: strict.labelIn(zone, record.name, '@'),
    ttl: record.ttl,
    type: record.type,
    ...record.extra,
  })

  const replace = (name: string, type: string, found: FakeRecord[], body: unknown) => {
    if (!Array.isArray(body)) throw invalidBody('records', 'is not an array')
    if (body.length === 0) throw invalidBody('records', 'must have at least one record')
    const records = body.map((item: unknown, index): FakeRecord => {
      const path = `records[${index}]`
      if (!strict.isMembers(item)) throw invalidBody(path, 'is not an object')
      for (const field of Object.keys(item)) {
        if (!FIELDS.includes(field)) throw invalidBody(`${path}.${field}`, 'is not a known field')
      }
      const { data, ttl = 3600, ...rest } = item
      if (!strict.isValue(type, data)) throw invalidBody(`${path}.data`, `is not right for ${type}`)
      if (!strict.isInteger(ttl)) {
        throw invalidBody(`${path}.ttl`, 'is not an integer')
      }
      if (ttl < 600) throw invalidBody(`${path}.ttl`, 'must have a minimum value of 600')
      if (ttl > 604800) throw invalidBody(`${path}.ttl`, 'must have a maximum value of 604800')
      return { name, type, value: strict.canonicalValue(type, data), ttl, extra: rest }
    })
    if (new Set(records.map(({ value }) => value)).size < records.length) {
      // no dump
      const message = 'Another record with the same attributes already exists'
      throw refuse(422, 'DUPLICATE_RECORD', message, 'same value twice')
    }
    if (strict.isCnameClash(world, name, type) || (type === 'CNAME' && records.length > 1)) {
      // no dump
      const message = `Record name [${name}] conflicts with another record.`
      throw refuse(422, 'DUPLICATE_RECORD', message, 'CNAME beside other records')
    }
    strict.putInPlace(world, found, records)
    return strict.answerJson(200, '')
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = strict.readTarget(request.target, badRequest)
    const { method } = request
    const parts = strict.readParts(path, '/v1/', badRequest)
    const [root, zone, collection, type, label, ...more] = parts
    if (root !== 'domains' || more.length > 0 || (collection !== undefined && collection !== 'records')) {
      throw refuse(404, 'NOT_FOUND', 'Resource not found', 'unknown path') // no dump
    }
    authenticate(request.headers['authorization'])
    if (world.isReadOnly) {
      const message = 'Authenticated user is not allowed access'
      throw refuse(403, 'ACCESS_DENIED', message, 'account may not use the API')
    }
    const wrongMethod = (why: string) => refuse(405, 'METHOD_NOT_ALLOWED', 'Not allowed', why) // no dump
    const allow = strict.routeChecks(request, parameters, badRequest, wrongMethod, ['GET'])
    if (zone === undefined) {
      allow(['GET'], 'limit', 'marker', 'statuses', 'statusGroups', 'includes', 'modifiedDate')
      const marker = parameters.get('marker') ?? ''
      const limit = readNumber(parameters, 'limit', 100, 1000)
      const zones = [...world.zones]
        .sort()
        .filter((name) => name > marker)
        .slice(0, limit)
      return strict.answerJson(
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
      return strict.answerJson(200, { domain: zone, domainId: domainId(zone), status: 'ACTIVE' })
    }
    if (type !== undefined && !TYPES.includes(type)) throw badRequest(`unknown type ${type}`)
    const inZone = world.records.filter(({ name }) => name === zone || name.endsWith(`.${zone}`))
    const ofType = inZone.filter((record) => type === undefined || record.type === type)
    const some = (records: FakeRecord[]) => {
      const offset = readNumber(parameters, 'offset', 1, 1_000_000)
      const start = Math.max(offset - 1, 0)
      const end = start + readNumber(parameters, 'limit', 500, 500)
      return strict.answerJson(200, records.slice(start, end).map(view(zone)))
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
    if (method === 'PUT') return replace(name, type, found, strict.readJson(request, badRequest))
    // no dump
    if (found.length === 0) throw refuse(404, 'UNKNOWN_RECORD', 'The record does not exist', 'no such record')
    strict.putInPlace(world, found, [])
    return strict.answerJson(204, '')
  }

  return strict.orRefusal(respond)
}

export const godaddy: FakeService = {
  id: 'godaddy',
  origin: 'https://api.godaddy.com',
  make: makeWith(false),
}
/** With a personal access token, on the same paths of v1. */
export const godaddyByToken: FakeService = { ...godaddy, make: makeWith(true) }
