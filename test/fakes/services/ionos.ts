import { isIPv4, isIPv6 } from 'node:net'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'

// Documents: developer.hosting.ionos.com/docs/dns (dns.yaml). Keys of `extra`: disabled, prio. PATCH of a
// zone replaces all records of each name and type that it names; TTL, prio and disabled that it does not
// repeat are the defaults.

type Members = Readonly<Record<string, unknown>>
interface Written {
  name: string
  type: string
  value: string
  ttl: number
  extra: Record<string, unknown>
}

const TYPES = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'SOA',
  'SRV',
  'TXT',
  'CAA',
  'TLSA',
  'SMIMEA',
  'SSHFP',
  'DS',
  'HTTPS',
  'SVCB',
  'CERT',
  'URI',
  'RP',
  'LOC',
  'OPENPGPKEY',
]
const DEFAULT_TTL = 3600
/** Not on the page: local. */
const LEAST_TTL = 60

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const make = (world: FakeWorld) => {
  const ids = new WeakMap<FakeRecord, string>()
  const zoneIds = new Map<string, string>()
  let next = 0
  const uuid = (kind: string) => `${kind}af3414-ebba-11e9-8df5-${(0x66fbe8a334b4 + next++).toString(16)}`
  const idOf = (record: FakeRecord) => {
    const id = ids.get(record) ?? uuid('22')
    ids.set(record, id)
    return id
  }
  const zoneIdOf = (zone: string) => {
    const id = zoneIds.get(zone) ?? uuid('11')
    zoneIds.set(zone, id)
    return id
  }
  const zoneOf = (name: string) =>
    world.zones
      .filter((zone) => name === zone || name.endsWith(`.${zone}`))
      .sort((a, b) => b.length - a.length)[0]
  const shown = (record: FakeRecord) => ({
    id: idOf(record),
    name: record.name,
    rootName: zoneOf(record.name),
    type: record.type,
    content: record.value,
    changeDate: '2026-11-27T10:00:00.000Z',
    ttl: record.ttl,
    prio: record.extra['prio'] ?? 0,
    disabled: record.extra['disabled'] ?? false,
  })

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    const send = (status: number, body: unknown, why?: string): FakeResponse => ({
      status,
      headers: { 'content-type': 'application/json', ...(why === undefined ? {} : { 'x-fake-why': why }) },
      body: body === undefined ? '' : JSON.stringify(body),
    })
    const refuse = (status: number, code: string, message: string, why: string) =>
      send(status, [{ code, message }], why)
    const bad = (why: string) => refuse(400, 'INVALID_DATA', 'The request is not valid.', why) // no dump
    const invalid = (why: string) => refuse(400, 'INVALID_RECORD', why, why)

    if (headers['x-api-key'] !== world.password)
      return refuse(401, 'UNAUTHORIZED', 'The customer is not authorized to do this operation.', 'x-api-key')
    if (!/^([\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*$/i.test(target)) return bad('target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return bad('a body on a GET')
    const [path = '', search = ''] = target.split('?')
    const query = new URLSearchParams(search)
    const parts = /^\/dns\/v1\/zones(?:\/([\w-]+)(?:\/(records)(?:\/([\w-]+))?)?)?$/.exec(path)
    if (parts === null) return refuse(404, 'NOT_FOUND', 'Not found.', 'no such path') // no dump
    const [, zoneId, hasRecords, recordId] = parts
    const isZone = zoneId !== undefined && hasRecords === undefined
    for (const key of query.keys())
      if (
        method !== 'GET' ||
        !isZone ||
        !['suffix', 'recordName', 'recordType'].includes(key) ||
        query.getAll(key).length > 1
      )
        return bad(`query parameter ${key}`)
    const methods =
      zoneId === undefined
        ? ['GET']
        : isZone
          ? ['GET', 'PATCH', 'PUT']
          : recordId === undefined
            ? ['POST']
            : ['GET', 'PUT', 'DELETE']
    // no dump
    if (!methods.includes(method)) return refuse(405, 'METHOD_NOT_ALLOWED', 'Method not allowed.', 'method')

    if (zoneId === undefined)
      return send(
        200,
        world.zones.map((zone) => ({ name: zone, id: zoneIdOf(zone), type: 'NATIVE' })),
      )
    const zone = world.zones.find((item) => zoneIdOf(item) === zoneId)
    // no dump
    if (zone === undefined) return refuse(404, 'ZONE_NOT_FOUND', 'Zone does not exist.', 'no such zone')
    const ofZone = world.records.filter((record) => zoneOf(record.name) === zone)
    const record = ofZone.find((item) => idOf(item) === recordId)
    if (recordId !== undefined && record === undefined)
      return send(404, { code: 'RECORD_NOT_FOUND', message: 'Record does not exist.' }, 'no such record')
    if (method === 'GET') {
      if (record !== undefined) return send(200, shown(record))
      const suffix = query.get('suffix')?.toLowerCase()
      const recordName = query.get('recordName')?.toLowerCase()
      const types = query.get('recordType')?.split(',')
      if (types?.some((type) => !TYPES.includes(type))) return bad('recordType')
      return send(200, {
        id: zoneId,
        name: zone,
        type: 'NATIVE',
        records: ofZone
          .filter(
            (item) =>
              (suffix === undefined || item.name.endsWith(suffix)) &&
              (recordName === undefined || item.name === recordName) &&
              (types === undefined || types.includes(item.type)),
          )
          .map(shown),
      })
    }

    if (world.isReadOnly)
      // no dump
      return refuse(403, 'FORBIDDEN', 'The customer is not authorized to do this operation.', 'read-only')
    if (method === 'DELETE' && record !== undefined) {
      world.records.splice(world.records.indexOf(record), 1)
      return send(200, undefined)
    }
    if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
      return refuse(415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type.', 'content-type') // no dump
    const body = parse(request.body)
    const items: readonly unknown[] | undefined =
      record !== undefined ? [body] : Array.isArray(body) ? body : undefined
    if (items === undefined) return bad('body is no JSON array')

    const written: Written[] = []
    for (const item of items) {
      if (!isMembers(item)) return bad('a record is no JSON object')
      for (const key of Object.keys(item))
        if (
          !['content', 'ttl', 'prio', 'disabled', ...(record === undefined ? ['name', 'type'] : [])].includes(
            key,
          )
        )
          return bad(`unknown member ${key}`)
      const { name = record?.name, type = record?.type, content = record?.value } = item
      const { ttl = DEFAULT_TTL, prio = 0, disabled = false } = item
      if (typeof name !== 'string' || typeof type !== 'string' || typeof content !== 'string')
        return invalid('name, type and content are strings')
      if (name !== name.toLowerCase() || name.endsWith('.') || zoneOf(name) !== zone)
        return invalid(`name ${name}`)
      if (!TYPES.includes(type) || type === 'SOA') return invalid(`type ${type}`)
      if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < LEAST_TTL)
        return invalid(`ttl ${String(ttl)}`)
      if (typeof prio !== 'number' || !Number.isInteger(prio)) return invalid('prio')
      if (typeof disabled !== 'boolean') return invalid('disabled')
      if ((type === 'A' && !isIPv4(content)) || (type === 'AAAA' && !isIPv6(content)))
        return invalid(`content ${content}`)
      if (written.some((other) => other.name === name && other.type === type && other.value === content))
        return invalid('the same record twice')
      written.push({ name, type, value: content, ttl, extra: { prio, disabled } })
    }
    const isReplaced = (old: FakeRecord) =>
      old === record ||
      (isZone &&
        zoneOf(old.name) === zone &&
        (method === 'PUT' || written.some((fresh) => fresh.name === old.name && fresh.type === old.type)))
    const kept = world.records.filter((old) => !isReplaced(old))
    for (const fresh of written) {
      const beside = [...kept, ...written].filter((other) => other !== fresh && other.name === fresh.name)
      if (beside.some((other) => (other.type === 'CNAME') !== (fresh.type === 'CNAME')))
        return invalid('CNAME beside another type')
      if (beside.some((other) => other.type === fresh.type && other.value === fresh.value))
        return refuse(400, 'RECORD_ALREADY_EXISTS', 'The record exists.', 'the record exists') // no dump
    }
    const reused = new Set<FakeRecord>()
    const result = written.map((fresh) => {
      const old = world.records.find(
        (item) =>
          isReplaced(item) && !reused.has(item) && item.name === fresh.name && item.type === fresh.type,
      )
      if (old === undefined) return fresh
      reused.add(old)
      return Object.assign(old, fresh)
    })
    world.records.splice(
      0,
      world.records.length,
      ...world.records.filter((item) => kept.includes(item) || reused.has(item)),
      ...result.filter((item) => !reused.has(item)),
    )
    if (isZone) return send(200, undefined)
    return method === 'POST' ? send(201, result.map(shown)) : send(200, result[0] && shown(result[0]))
  }
}

export const ionos: FakeService = { id: 'ionos', origin: 'https://api.hosting.ionos.com', make }
