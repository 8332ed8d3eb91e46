import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

// Documents: techdocs.akamai.com/linode-api (domains, domain records), developers.linode.com. Keys of
// `extra`: priority, weight, port, service, protocol, tag. PUT of a record changes only the members that it
// has.

/** Any other TTL is rounded up to the next of these; 0 is the default of the domain. */
const TTLS = [
  0, 30, 120, 300, 3600, 7200, 14400, 28800, 57600, 86400, 172800, 345600, 604800, 1209600, 2419200,
]
const TYPES = ['A', 'AAAA', 'NS', 'MX', 'CNAME', 'TXT', 'SRV', 'PTR', 'CAA']
const MEMBERS: Readonly<Record<string, 'string' | 'number'>> = {
  type: 'string',
  name: 'string',
  target: 'string',
  ttl_sec: 'number',
  priority: 'number',
  weight: 'number',
  port: 'number',
  service: 'string',
  protocol: 'string',
  tag: 'string',
}
const STAMP = '2026-11-27T10:00:00'

const make = (world: FakeWorld) => {
  const idOf = strict.idsOf((before) => 14950401 + before)
  const zoneIdOf = strict.idsOf((before) => 3150401 + before)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const shown = (record: FakeRecord, zone: string) => ({
    id: idOf(record),
    type: record.type,
    name: strict.labelIn(zone, record.name, ''),
    target: record.value,
    priority: record.extra['priority'] ?? 0,
    weight: record.extra['weight'] ?? 0,
    port: record.extra['port'] ?? 0,
    service: record.extra['service'] ?? null,
    protocol: record.extra['protocol'] ?? null,
    ttl_sec: record.ttl,
    tag: record.extra['tag'] ?? null,
    created: STAMP,
    updated: STAMP,
  })
  const domain = (zone: string) => ({
    id: zoneIdOf(zone),
    type: 'master',
    domain: zone,
    group: '',
    status: 'active',
    description: '',
    soa_email: 'admin@example.com',
    retry_sec: 0,
    master_ips: [],
    axfr_ips: [],
    expire_sec: 0,
    refresh_sec: 0,
    ttl_sec: 0,
    tags: [],
    created: STAMP,
    updated: STAMP,
  })

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    const refuse = (status: number, reason: string, why: string, field?: string) =>
      strict.answerJson(status, { errors: [field === undefined ? { reason } : { reason, field }] }, why)
    const notFound = (why: string) => refuse(404, 'Not found', why) // no dump

    // no dump
    if (headers['authorization'] !== `Bearer ${world.password}`) return refuse(401, 'Invalid Token', 'token')
    if (!strict.isEncoded(target)) return notFound('target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return refuse(400, 'Bad request', 'a body on a GET')
    const { path, query } = strict.splitTarget(target)
    const parts = /^\/v4\/domains(?:\/(\d+)(?:\/(records)(?:\/(\d+))?)?)?$/.exec(path)
    if (parts === null) return notFound('no such path')
    const [, zoneId, hasRecords, recordId] = parts
    const isList = recordId === undefined && (zoneId === undefined || hasRecords !== undefined)
    const stray = strict.strayQuery(query, method === 'GET' && isList ? ['page', 'page_size'] : [])
    // no dump
    if (stray !== undefined) return refuse(400, 'Unknown parameter', `query parameter ${stray}`, stray)
    const methods = recordId !== undefined ? ['GET', 'PUT', 'DELETE'] : hasRecords ? ['GET', 'POST'] : ['GET']
    if (!methods.includes(method)) return refuse(405, 'Method Not Allowed', 'method') // no dump

    const paged = (items: readonly unknown[]): FakeResponse => {
      const page = Number(query.get('page') ?? 1)
      const size = Number(query.get('page_size') ?? 100)
      if (!Number.isInteger(size) || size < 25 || size > 500)
        return refuse(400, 'Must be 25-500', 'page_size', 'page_size') // no dump
      const pages = Math.max(1, Math.ceil(items.length / size))
      if (!Number.isInteger(page) || page < 1 || page > pages) return notFound('page')
      return strict.answerJson(200, {
        data: items.slice((page - 1) * size, page * size),
        page,
        pages,
        results: items.length,
      })
    }
    if (zoneId === undefined) {
      const filter = headers['x-filter'] === undefined ? {} : strict.jsonOf(headers['x-filter'])
      if (!strict.isMembers(filter) || Object.keys(filter).some((key) => key !== 'domain'))
        return refuse(400, 'Cannot filter on this', 'x-filter')
      return paged(world.zones.filter((zone) => (filter['domain'] ?? zone) === zone).map(domain))
    }
    const zone = world.zones.find((item) => String(zoneIdOf(item)) === zoneId)
    if (zone === undefined) return notFound('no such domain')
    if (!hasRecords) return strict.answerJson(200, domain(zone))
    const ofZone = world.records.filter((record) => zoneOf(record.name) === zone)
    const record = ofZone.find((item) => String(idOf(item)) === recordId)
    if (recordId !== undefined && record === undefined) return notFound('no such record')
    if (method === 'GET')
      return record === undefined
        ? paged(ofZone.map((item) => shown(item, zone)))
        : strict.answerJson(200, shown(record, zone))

    if (world.isReadOnly)
      // no dump
      return refuse(401, 'Your OAuth token is not authorized to use this endpoint.', 'read-only token')
    if (method === 'DELETE' && record !== undefined) {
      world.records.splice(world.records.indexOf(record), 1)
      return strict.answerJson(200, {})
    }
    if (!strict.isSentAs('application/json', request))
      return refuse(400, 'Invalid content type', 'content-type') // no dump
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return refuse(400, 'Invalid JSON', 'body is no JSON object') // no dump
    for (const [key, value] of Object.entries(body)) {
      const type = MEMBERS[key]
      if (type === undefined || (key === 'type' && record !== undefined && value !== record.type))
        return refuse(400, 'Unknown or read-only', `member ${key}`, key) // no dump
      // no dump
      if (typeof value !== type) return refuse(400, `Must be of type ${type}`, `member ${key}`, key)
    }
    const { type = record?.type, target: value = record?.value } = body
    if (typeof type !== 'string' || !TYPES.includes(type))
      return refuse(400, 'type is required', 'type', 'type')
    if (typeof value !== 'string') return refuse(400, 'target is required', 'target', 'target')
    if (!strict.fitsType(type, value))
      return refuse(
        400,
        `Must be a valid ${type === 'A' ? 'IPv4' : 'IPv6'} address`,
        `target ${value}`,
        'target',
      )
    const label = body['name'] === undefined ? undefined : textOf(body['name']).toLowerCase()
    if (
      label !== undefined &&
      !/^((\*|[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*|)$/.test(label)
    )
      return strict.answerJson(
        400,
        {
          errors: [
            // dump: qdm12/ddns-updater#341, 2022-06-30, for the name @
            { reason: 'Name contains invalid characters', field: 'name' },
            { reason: 'Invalid hostname', field: 'name' },
          ],
        },
        `name ${label}`,
      )
    const name =
      label === undefined
        ? (record?.name ?? zone)
        : label === '' || label === zone
          ? zone
          : label.endsWith(`.${zone}`)
            ? label
            : `${label}.${zone}`
    if (zoneOf(name) !== zone)
      return refuse(400, 'Invalid hostname', `name in the domain ${zoneOf(name)}`, 'name')
    const wanted = Number(body['ttl_sec'] ?? record?.ttl ?? 0)
    const ttl = TTLS.find((item) => item >= wanted)
    if (!Number.isInteger(wanted) || wanted < 0 || ttl === undefined)
      return refuse(400, 'Invalid TTL', 'ttl', 'ttl_sec')
    const others = world.records.filter((item) => item !== record && item.name === name)
    if (others.some((item) => (item.type === 'CNAME') !== (type === 'CNAME')))
      return refuse(400, 'Record conflicts with a CNAME', 'CNAME beside another type', 'name') // no dump
    if (others.some((item) => item.type === type && (item.value === value || type === 'CNAME')))
      return refuse(400, 'Record already exists', 'the record exists', 'target') // no dump
    const extra = Object.fromEntries(
      Object.entries(body).filter(([key]) => !['type', 'name', 'target', 'ttl_sec'].includes(key)),
    )
    const fresh = Object.assign(record ?? {}, {
      name,
      type,
      value,
      ttl: body['ttl_sec'] === undefined && record !== undefined ? record.ttl : ttl,
      extra: { ...record?.extra, ...extra },
    })
    if (record === undefined) world.records.push(fresh)
    return strict.answerJson(200, shown(fresh, zone))
  }
}

export const linode: FakeService = { id: 'linode', origin: 'https://api.linode.com', make }
