import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Documents: vercel.com/docs/rest-api/dns and /errors. Keys of `extra`: comment, mxPriority, srv, https. A
// list has 20 records if `limit` is not given; the next page is that with `until` of pagination.next. PATCH
// changes only the members that it has.

const TYPES = ['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'HTTPS', 'MX', 'SRV', 'TXT', 'NS']
const MEMBERS = ['name', 'type', 'value', 'ttl', 'mxPriority', 'srv', 'https', 'comment']
const DEFAULT_TTL = 60
/** Not found again for this file. */
const LEAST_TTL = 60
const START = 1795773600000

const send = strict.answerWith({ 'content-type': 'application/json; charset=utf-8' })

const make = (world: FakeWorld) => {
  const numberOf = strict.idsOf((before) => before)
  const idOf = (record: FakeRecord) => `rec_2qn7pzrx89yxy34vez${(0x70d31 + numberOf(record)).toString(16)}`
  const createdAt = (record: FakeRecord) => START + 1000 * numberOf(record)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const labelOf = (record: FakeRecord) => record.name.slice(0, -(zoneOf(record.name) ?? '').length - 1)
  const shown = (record: FakeRecord) => ({
    id: idOf(record),
    slug: `${labelOf(record)}-${record.type}`.toLowerCase(),
    name: labelOf(record),
    type: record.type,
    value: record.value,
    ...record.extra,
    creator: 'FaCCxc0YfUnPvVDAr6HqZbVv',
    ttl: record.ttl,
    created: createdAt(record),
    updated: createdAt(record),
    createdAt: createdAt(record),
    updatedAt: createdAt(record),
  })

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    const refuse = (status: number, code: string, message: string, why: string) =>
      send(status, { error: { code, message } }, why)
    const bad = (why: string) => refuse(400, 'bad_request', `Invalid request: ${why}`, why)
    const notFound = (what: string, why: string) =>
      refuse(404, 'not_found', `Could not find the ${what}`, why)

    if (headers['authorization'] !== `Bearer ${world.password}`)
      return refuse(403, 'forbidden', 'Not authorized', 'token')
    if (!strict.isEncoded(target)) return bad('target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return bad('a body on a GET')
    const { path, query } = strict.splitTarget(target)
    const list = /^\/v[45]\/domains\/([^/]+)\/records$/.exec(path)
    const create = /^\/v2\/domains\/([^/]+)\/records$/.exec(path)
    const change = /^\/v1\/domains\/records\/([^/]+)$/.exec(path)
    const domains = path === '/v5/domains'
    if (list === null && create === null && change === null && !domains)
      return notFound(`page: ${path}`, 'no such path')
    const needed = list !== null || domains ? 'GET' : create !== null ? 'POST' : 'PATCH'
    if (method !== needed)
      return refuse(405, 'method_unknown', `This endpoint only responds to ${needed}`, 'method')
    const allowed = ['teamId', 'slug', ...(needed === 'GET' ? ['limit', 'since', 'until'] : [])]
    const stray = strict.strayQuery(query, allowed)
    if (stray !== undefined) return bad(`query parameter ${stray}`)

    const paged = (key: string, all: readonly { readonly createdAt: number }[]): FakeResponse => {
      const limit = Number(query.get('limit') ?? 20)
      const until = Number(query.get('until') ?? Number.MAX_SAFE_INTEGER)
      const since = Number(query.get('since') ?? 0)
      if (!Number.isInteger(limit) || limit < 1 || limit > 100) return bad('limit')
      if (!Number.isInteger(until) || !Number.isInteger(since)) return bad('until or since')
      const found = all
        .filter((item) => item.createdAt < until && item.createdAt > since)
        .sort((a, b) => b.createdAt - a.createdAt)
      const page = found.slice(0, limit)
      return send(200, {
        [key]: page,
        pagination: {
          count: page.length,
          next: found.length > limit ? (page.at(-1)?.createdAt ?? null) : null,
          prev: page[0]?.createdAt ?? null,
        },
      })
    }
    if (domains)
      return paged(
        'domains',
        world.zones.map((name, index) => ({ name, id: name, createdAt: START - 1000 * index })),
      )
    const zone = decodeURIComponent(list?.[1] ?? create?.[1] ?? '')
    const record = change === null ? undefined : world.records.find((item) => idOf(item) === change[1])
    if (change !== null && record === undefined) return notFound(`DNS record: ${change[1]}`, 'no such record')
    if (change === null && !world.zones.includes(zone)) return notFound(`domain: ${zone}`, 'no such domain')
    if (list !== null)
      return paged('records', world.records.filter((item) => zoneOf(item.name) === zone).map(shown))

    if (world.isReadOnly) return refuse(403, 'forbidden', 'Not authorized', 'the token may not write')
    if (!strict.isSentAs('application/json', request)) return bad('content-type')
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return bad('body is no JSON object')
    for (const key of Object.keys(body)) if (!MEMBERS.includes(key)) return bad(`unknown member ${key}`)
    const its = record === undefined ? zone : (zoneOf(record.name) ?? '')
    const label = body['name'] ?? (record === undefined ? undefined : labelOf(record))
    const type = body['type'] ?? record?.type
    const value = body['value'] ?? record?.value
    const ttl = body['ttl'] ?? record?.ttl ?? DEFAULT_TTL
    if (!strict.isLabel(label)) return bad('name')
    if (typeof type !== 'string' || !TYPES.includes(type)) return bad('type')
    if (typeof value !== 'string' || !strict.fitsType(type, value)) return bad('value')
    if (!strict.isInteger(ttl) || (body['ttl'] != null && (ttl < LEAST_TTL || ttl > 2147483647)))
      return bad('ttl')
    if (body['comment'] != null && (typeof body['comment'] !== 'string' || body['comment'].length > 500))
      return bad('comment')
    if (type === 'MX' && record === undefined && typeof body['mxPriority'] !== 'number')
      return bad('mxPriority')
    const name = label === '' ? its : `${label}.${its}`
    if (zoneOf(name) !== its) return bad(`name in the domain ${zoneOf(name)}`)
    const others = world.records.filter((item) => item !== record && item.name === name)
    if (others.some((item) => (item.type === 'CNAME') !== (type === 'CNAME')))
      return refuse(
        400,
        'bad_request',
        'A CNAME record cannot exist beside other records',
        'CNAME beside another type',
      )
    if (others.some((item) => item.type === type && (item.value === value || type === 'CNAME')))
      // no dump
      return refuse(409, 'conflict', 'A record with the same name and value exists', 'the record exists')
    const extra = Object.fromEntries(
      Object.entries(body).filter(
        ([key, item]) => ['mxPriority', 'srv', 'https', 'comment'].includes(key) && item != null,
      ),
    )
    const fresh = Object.assign(record ?? {}, {
      name,
      type,
      value,
      ttl,
      extra: { ...record?.extra, ...extra },
    })
    if (record === undefined) {
      world.records.push(fresh)
      return send(200, { uid: idOf(fresh), updated: 1 })
    }
    return send(200, {
      creator: 'FaCCxc0YfUnPvVDAr6HqZbVv',
      domain: its,
      id: idOf(fresh),
      name: label,
      recordType: type,
      type: 'record',
      value,
      createdAt: createdAt(fresh),
      ttl,
      ...fresh.extra,
    })
  }
}

export const vercel: FakeService = { id: 'vercel', origin: 'https://api.vercel.com', make }
