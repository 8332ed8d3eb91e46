import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

const refuse = (status: number, code: string, message: string, why: string, details?: unknown) => {
  const error = { code, message, ...(details === undefined ? {} : { details }) }
  return strict.refuseJson(status, { error }, why)
}

const invalid = (field: string, message: string) =>
  refuse(422, 'invalid_input', `invalid input in field '${field}': ${message}`, `${field} ${message}`, {
    fields: [{ name: field, messages: [message] }],
  })

const badRequest = (why: string) => refuse(400, 'invalid_input', 'invalid input', why) // no dump

const notFound = (why: string) => refuse(404, 'not_found', 'Entity not found', why)

const readBody = (request: FakeRequest, ...members: string[]) => {
  const notJson = (why: string) => refuse(400, 'json_error', 'Invalid JSON input in your request', why)
  const body = strict.readBody(request, badRequest, notJson)
  for (const member of Object.keys(body))
    if (!members.includes(member)) throw invalid(member, 'is not allowed')
  return body
}

const TYPES = strict.words('A AAAA CAA CNAME DS HINFO HTTPS MX NS PTR RP SOA SRV SVCB TLSA TXT')
const SET_FIELDS = ['labels', 'protection']
const STARTED = '2016-01-30T23:55:00+00:00'

interface Action {
  readonly id: number
  readonly command: string
  readonly zone: number
}

const make = (world: FakeWorld) => {
  const actions: Action[] = []

  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const zoneId = (zone: string) => 42 + world.zones.indexOf(zone)
  const labelOf = (name: string, zone: string) => strict.labelIn(zone, name, '@')

  const setView = (zone: string, records: readonly FakeRecord[]) => {
    const [first] = records
    if (first === undefined) throw notFound('no such RRset')
    const label = labelOf(first.name, zone)
    return {
      id: `${label}/${first.type}`,
      name: label,
      type: first.type,
      ttl: first.ttl,
      labels: first.extra['labels'] ?? {},
      protection: first.extra['protection'] ?? { change: false },
      records: records.map(({ type, value, extra }) => {
        const { labels: _labels, protection: _protection, ...ownFields } = extra
        return { value: strict.canonicalValue(type, value), comment: '', ...ownFields }
      }),
      zone: zoneId(zone),
    }
  }
  const zoneView = (zone: string) => ({
    id: zoneId(zone),
    name: zone,
    created: STARTED,
    mode: 'primary',
    primary_nameservers: [],
    labels: {},
    protection: { delete: false },
    ttl: 3600,
    status: 'ok',
    record_count: world.records.filter(({ name }) => zoneOf(name) === zone).length,
    authoritative_nameservers: {
      assigned: ['hydrogen.ns.hetzner.com.', 'oxygen.ns.hetzner.com.', 'helium.ns.hetzner.de.'],
      delegated: ['hydrogen.ns.hetzner.com.', 'oxygen.ns.hetzner.com.', 'helium.ns.hetzner.de.'],
      delegation_last_check: STARTED,
      delegation_status: 'valid',
    },
    registrar: 'hetzner',
  })
  const actionView = ({ id, command, zone }: Action, isDone: boolean) => ({
    id,
    command,
    status: isDone ? 'success' : 'running',
    progress: isDone ? 100 : 50,
    started: STARTED,
    finished: isDone ? STARTED : null,
    resources: [{ id: zone, type: 'zone' }],
    error: null,
  })
  const start = (command: string, zone: string) => {
    const action = { id: actions.length + 1, command, zone: zoneId(zone) }
    actions.push(action)
    return actionView(action, false)
  }

  const page = (key: string, all: readonly unknown[], parameters: Map<string, string>) => {
    const number = strict.readCount(parameters, 'page', [1, 1_000_000], invalid)
    const size = strict.readCount(parameters, 'per_page', [25, 50], invalid)
    const last = Math.max(1, Math.ceil(all.length / size))
    const pagination = {
      page: number,
      per_page: size,
      previous_page: number > 1 ? number - 1 : null,
      next_page: number < last ? number + 1 : null,
      last_page: last,
      total_entries: all.length,
    }
    return strict.answerJson(200, {
      [key]: all.slice((number - 1) * size, number * size),
      meta: { pagination },
    })
  }

  const readTtl = (ttl: unknown, fallback: number) => {
    if (ttl === undefined || ttl === null) return fallback
    if (!strict.isInteger(ttl)) throw invalid('ttl', 'is not an integer')
    if (ttl < 60 || ttl > 2147483647) throw invalid('ttl', 'must be between 60 and 2147483647')
    return ttl
  }
  const readRecords = (type: string, records: unknown) => {
    if (!Array.isArray(records) || records.length === 0) throw invalid('records', 'must not be empty')
    const values = records.map((item: unknown) => {
      if (typeof item !== 'object' || item === null) throw invalid('records', 'is not an object')
      const { value, comment, ...rest } = item as strict.Members
      const [unknown] = Object.keys(rest)
      if (unknown !== undefined) throw invalid(`records.${unknown}`, 'is not allowed')
      if (!strict.isValue(type, value)) throw invalid('records.value', `is not right for ${type}`)
      if (comment !== undefined && typeof comment !== 'string') {
        throw invalid('records.comment', 'is not a text')
      }
      return { value: strict.canonicalValue(type, value), ...(comment === undefined ? {} : { comment }) }
    })
    if (new Set(values.map(({ value }) => value)).size < values.length) {
      throw invalid('records', 'are not distinct')
    }
    return values
  }
  const checkClash = (name: string, type: string, count: number) => {
    // no dump
    if (strict.isCnameClash(world, name, type)) throw invalid('name', 'conflicts with a CNAME')
    if (type === 'CNAME' && count > 1) throw invalid('records', 'must be one for a CNAME')
  }
  const readName = (label: unknown, zone: string) => {
    const isLabel = typeof label === 'string' && /^(@|\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(label)
    if (!isLabel) throw invalid('name', 'is not a name of an RRset')
    if (`.${label}`.endsWith(`.${zone}`)) throw invalid('name', 'must not end with the name of the zone')
    return label === '@' ? zone : `${label}.${zone}`
  }
  const setOf = (zone: string, name: string, type: string) =>
    world.records.filter((record) => record.name === name && record.type === type && zoneOf(name) === zone)

  const create = (zone: string, body: strict.Members) => {
    const { type, labels } = body
    if (typeof type !== 'string' || !TYPES.includes(type)) throw invalid('type', 'is not a known type')
    const name = readName(body['name'], zone)
    const values = readRecords(type, body['records'])
    const ttl = readTtl(body['ttl'], 3600)
    if (labels !== undefined && (typeof labels !== 'object' || labels === null)) {
      throw invalid('labels', 'is no map')
    }
    if (setOf(zone, name, type).length > 0) {
      const message = 'RRSet with the same name and type already exists' // no dump
      throw refuse(409, 'uniqueness_error', message, 'RRset exists', { fields: [{ name: 'name' }] })
    }
    checkClash(name, type, values.length)
    const shared = labels === undefined ? {} : { labels }
    const records = values.map(({ value, ...own }) => ({
      name,
      type,
      value,
      ttl,
      extra: { ...shared, ...own },
    }))
    strict.putInPlace(world, [], records)
    return strict.answerJson(201, { rrset: setView(zone, records), action: start('create_rrset', zone) })
  }

  const act = (zone: string, found: readonly FakeRecord[], command: string, request: FakeRequest) => {
    const [first] = found
    if (first === undefined) throw notFound('no such RRset')
    const { name, type, ttl } = first
    const protection = first.extra['protection'] as { change?: boolean } | undefined
    if (protection?.change === true && command !== 'change_protection') {
      const message = 'The Action you are trying to start is protected for this resource'
      throw refuse(403, 'protected', message, 'RRset is protected')
    }
    const ofSet = Object.entries(first.extra).filter(([field]) => SET_FIELDS.includes(field))
    const shared = Object.fromEntries(ofSet)
    const toRecord = ({ value, ...own }: { value: string; comment?: string }): FakeRecord => ({
      name,
      type,
      value,
      ttl,
      extra: { ...shared, ...own },
    })
    const isIn = (records: readonly { value: string }[], { value }: { value: string }) =>
      records.some(
        (record) => strict.canonicalValue(type, record.value) === strict.canonicalValue(type, value),
      )

    if (command === 'set_records') {
      const records = readRecords(type, readBody(request, 'records')['records'])
      checkClash(name, type, records.length)
      strict.putInPlace(world, found, records.map(toRecord))
      return strict.answerJson(201, { action: start('set_rrset_records', zone) })
    }
    if (command === 'add_records') {
      const body = readBody(request, 'records', 'ttl')
      const records = readRecords(type, body['records'])
      const asked = readTtl(body['ttl'], ttl)
      if (records.some((record) => isIn(found, record))) {
        throw refuse(409, 'uniqueness_error', 'Record already exists', 'record exists') // no dump
      }
      checkClash(name, type, found.length + records.length)
      for (const record of found) record.ttl = asked
      strict.putInPlace(world, found, [
        ...found,
        ...records.map(toRecord).map((record) => ({ ...record, ttl: asked })),
      ])
      return strict.answerJson(201, { action: start('add_rrset_records', zone) })
    }
    if (command === 'remove_records') {
      const records = readRecords(type, readBody(request, 'records')['records'])
      if (!records.every((record) => isIn(found, record))) throw notFound('no such record')
      strict.putInPlace(
        world,
        found,
        found.filter((record) => !isIn(records, record)),
      )
      return strict.answerJson(201, { action: start('remove_rrset_records', zone) })
    }
    if (command === 'change_ttl') {
      const asked = readTtl(readBody(request, 'ttl')['ttl'], 3600)
      for (const record of found) record.ttl = asked
      return strict.answerJson(201, { action: start('change_rrset_ttl', zone) })
    }
    throw notFound('unknown action')
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = strict.readTarget(request.target, badRequest)
    const { method } = request
    const { authorization = '' } = request.headers
    if (authorization !== `Bearer ${world.password}`) {
      // no dump
      const why = authorization === '' ? 'no token' : 'wrong token'
      throw refuse(401, 'unauthorized', 'unable to authenticate', why, null)
    }
    if (world.isReadOnly && method !== 'GET') {
      const message = 'The token is only allowed to perform GET requests'
      throw refuse(403, 'token_readonly', message, 'token may not write')
    }
    const wrongMethod = (why: string) => refuse(405, 'method_not_allowed', 'Method not allowed', why) // no dump
    const allow = strict.routeChecks(request, parameters, badRequest, wrongMethod, ['GET'])
    const parts = strict.readParts(path, '/v1/', badRequest)
    const [root, id, collection, label, type, actionsWord, command, ...more] = parts
    if (root !== 'zones' || more.length > 0) throw notFound('unknown path')
    if (id === undefined) {
      allow(['GET'], 'name', 'mode', 'label_selector', 'sort', 'page', 'per_page')
      const asked = parameters.get('name')
      const zones = world.zones.filter((zone) => asked === undefined || zone === asked)
      return page('zones', zones.map(zoneView), parameters)
    }
    if (id === 'actions') {
      allow(['GET'], 'id', 'status', 'sort', 'page', 'per_page')
      if (label !== undefined) throw notFound('unknown path')
      const views = actions.map((action) => actionView(action, true))
      if (collection === undefined) return page('actions', views, parameters)
      const action = actions.find((candidate) => String(candidate.id) === collection)
      if (action === undefined) throw notFound('no such action')
      return strict.answerJson(200, { action: actionView(action, true) })
    }
    const zone = world.zones.find((candidate) => candidate === id || String(zoneId(candidate)) === id)
    if (zone === undefined) throw notFound('unknown zone')
    if (collection === undefined) {
      allow(['GET'])
      return strict.answerJson(200, { zone: zoneView(zone) })
    }
    if (collection !== 'rrsets') throw notFound('unknown path')
    const inZone = world.records.filter(({ name }) => zoneOf(name) === zone)
    if (label === undefined) {
      allow(['GET', 'POST'], 'name', 'type', 'label_selector', 'sort', 'page', 'per_page')
      if (method === 'POST') {
        return create(zone, readBody(request, 'name', 'type', 'ttl', 'labels', 'records'))
      }
      const sets = new Map<string, FakeRecord[]>()
      for (const record of inZone) {
        const key = `${labelOf(record.name, zone)}/${record.type}`
        sets.set(key, [...(sets.get(key) ?? []), record])
      }
      const isAsked = (key: string) => {
        const [name, kind] = key.split('/')
        return (parameters.get('name') ?? name) === name && (parameters.get('type') ?? kind) === kind
      }
      const views = [...sets].filter(([key]) => isAsked(key)).map(([, records]) => setView(zone, records))
      return page('rrsets', views, parameters)
    }
    if (type === undefined || !TYPES.includes(type)) throw notFound('no type of an RRset')
    const found = setOf(zone, readName(label, zone), type)
    if (actionsWord !== undefined) {
      if (actionsWord !== 'actions' || command === undefined) throw notFound('unknown path')
      allow(['POST'])
      return act(zone, found, command, request)
    }
    allow(['GET', 'DELETE'])
    if (method === 'GET') return strict.answerJson(200, { rrset: setView(zone, found) })
    if (found.length === 0) throw notFound('no such RRset')
    strict.putInPlace(world, found, [])
    return strict.answerJson(201, { action: start('delete_rrset', zone) })
  }

  return strict.orRefusal(respond)
}

export const hetzner: FakeService = { id: 'hetzner', origin: 'https://api.hetzner.cloud', make }
