import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Documents: developer.hosting.ionos.com/docs/dns (dns.yaml). Keys of `extra`: disabled, prio. PATCH of a
// zone replaces all records of each name and type that it names; TTL, prio and disabled that it does not
// repeat are the defaults.

const TYPES = strict.words(
  'A AAAA CNAME MX NS SOA SRV TXT CAA TLSA SMIMEA SSHFP DS HTTPS SVCB CERT URI RP LOC',
  'OPENPGPKEY',
)
const DEFAULT_TTL = 3600
/** Not on the page: local. */
const LEAST_TTL = 60

const make = (world: FakeWorld) => {
  let next = 0
  const uuid = (kind: string) => `${kind}af3414-ebba-11e9-8df5-${(0x66fbe8a334b4 + next++).toString(16)}`
  const idOf = strict.idsOf(() => uuid('22'))
  const zoneIdOf = strict.idsOf(() => uuid('11'))
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
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
    const refuse = (status: number, code: string, message: string, why: string) =>
      strict.answerJson(status, [{ code, message }], why)
    const bad = (why: string) => refuse(400, 'INVALID_DATA', 'The request is not valid.', why) // no dump
    const invalid = (why: string) => refuse(400, 'INVALID_RECORD', why, why)

    if (headers['x-api-key'] !== world.password)
      return refuse(401, 'UNAUTHORIZED', 'The customer is not authorized to do this operation.', 'x-api-key')
    if (!strict.isEncoded(target)) return bad('target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return bad('a body on a GET')
    const { path, query } = strict.splitTarget(target)
    const parts = /^\/dns\/v1\/zones(?:\/([\w-]+)(?:\/(records)(?:\/([\w-]+))?)?)?$/.exec(path)
    if (parts === null) return refuse(404, 'NOT_FOUND', 'Not found.', 'no such path') // no dump
    const [, zoneId, hasRecords, recordId] = parts
    const isZone = zoneId !== undefined && hasRecords === undefined
    const stray = strict.strayQuery(
      query,
      method === 'GET' && isZone ? ['suffix', 'recordName', 'recordType'] : [],
    )
    if (stray !== undefined) return bad(`query parameter ${stray}`)
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
      return strict.answerJson(
        200,
        world.zones.map((zone) => ({ name: zone, id: zoneIdOf(zone), type: 'NATIVE' })),
      )
    const zone = world.zones.find((item) => zoneIdOf(item) === zoneId)
    // no dump
    if (zone === undefined) return refuse(404, 'ZONE_NOT_FOUND', 'Zone does not exist.', 'no such zone')
    const ofZone = world.records.filter((record) => zoneOf(record.name) === zone)
    const record = ofZone.find((item) => idOf(item) === recordId)
    if (recordId !== undefined && record === undefined)
      return strict.answerJson(
        404,
        { code: 'RECORD_NOT_FOUND', message: 'Record does not exist.' },
        'no such record',
      )
    if (method === 'GET') {
      if (record !== undefined) return strict.answerJson(200, shown(record))
      const suffix = query.get('suffix')?.toLowerCase()
      const recordName = query.get('recordName')?.toLowerCase()
      const types = query.get('recordType')?.split(',')
      if (types?.some((type) => !TYPES.includes(type))) return bad('recordType')
      return strict.answerJson(200, {
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
      return strict.answerJson(200, '')
    }
    if (!strict.isSentAs('application/json', request))
      return refuse(415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type.', 'content-type') // no dump
    const body = strict.jsonOf(request.body)
    const items: readonly unknown[] | undefined =
      record !== undefined ? [body] : Array.isArray(body) ? body : undefined
    if (items === undefined) return bad('body is no JSON array')

    const written: FakeRecord[] = []
    for (const item of items) {
      if (!strict.isMembers(item)) return bad('a record is no JSON object')
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
      if (!strict.isInteger(ttl) || ttl < LEAST_TTL) return invalid(`ttl ${String(ttl)}`)
      if (!strict.isInteger(prio)) return invalid('prio')
      if (typeof disabled !== 'boolean') return invalid('disabled')
      if (!strict.fitsType(type, content)) return invalid(`content ${content}`)
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
    if (isZone) return strict.answerJson(200, '')
    return method === 'POST'
      ? strict.answerJson(201, result.map(shown))
      : strict.answerJson(200, result[0] && shown(result[0]))
  }
}

export const ionos: FakeService = { id: 'ionos', origin: 'https://api.hosting.ionos.com', make }
