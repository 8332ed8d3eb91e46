import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

// Documents: www.vultr.com/api (DNS; meta and pagination). Key of `extra`: priority. PATCH changes only the
// members that it has. Found by users: a record of a name and type that exists with another TTL is refused
// (bsorahan/certbot-dns-vultr#3).

const TYPES = ['A', 'AAAA', 'CNAME', 'NS', 'MX', 'SRV', 'TXT', 'CAA', 'SSHFP']
const DEFAULT_TTL = 300
/** Not on the page: local. */
const LEAST_TTL = 120

const make = (world: FakeWorld) => {
  const idOf = strict.idsOf((before) => `cb676a46-66fd-4dfb-b839-443f2e6c${(0xb6c0 + before).toString(16)}`)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const shown = (record: FakeRecord, zone: string) => {
    const { name, type, value: data, ttl, extra } = record
    const label = strict.labelIn(zone, name, '')
    return { id: idOf(record), type, name: label, data, priority: extra['priority'] ?? 0, ttl }
  }
  const domain = (zone: string) => ({
    domain: zone,
    date_created: '2026-11-27T10:00:00+00:00',
    dns_sec: 'disabled',
  })

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    // The form is that of the documents; no text of a refusal has a dump.
    const refuse = (status: number, error: string, why: string) =>
      strict.answerJson(status, { error, status }, why)

    if (headers['authorization'] !== `Bearer ${world.password}`)
      return refuse(401, 'Invalid API token.', 'token')
    if (!strict.isEncoded(target)) return refuse(400, 'Invalid request.', 'target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return refuse(400, 'Invalid request.', 'a body on a GET')
    const { path, query } = strict.splitTarget(target)
    const parts = /^\/v2\/domains(?:\/([^/]+)(?:\/(records)(?:\/([\w-]+))?)?)?$/.exec(path)
    if (parts === null) return refuse(404, 'Invalid API path.', 'no such path')
    const [zoneName, hasRecords, recordId] = parts.slice(1).map((part) => part && decodeURIComponent(part))
    const isList = recordId === undefined && (zoneName === undefined || hasRecords !== undefined)
    const stray = strict.strayQuery(query, method === 'GET' && isList ? ['per_page', 'cursor'] : [])
    if (stray !== undefined) return refuse(400, 'Invalid request.', `query parameter ${stray}`)
    const methods =
      recordId !== undefined ? ['GET', 'PATCH', 'DELETE'] : hasRecords ? ['GET', 'POST'] : ['GET']
    if (!methods.includes(method)) return refuse(405, 'Invalid HTTP method.', 'method')

    const paged = (key: string, items: readonly unknown[]): FakeResponse => {
      const size = Number(query.get('per_page') ?? 100)
      const cursor = query.get('cursor') ?? ''
      const start = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64').toString().replace('next__', ''))
      if (!Number.isInteger(size) || size < 1 || size > 500)
        return refuse(400, 'Invalid per_page.', 'per_page')
      if (!Number.isInteger(start)) return refuse(400, 'Invalid cursor.', 'cursor')
      const link = (at: number) => Buffer.from(`next__${at}`).toString('base64')
      return strict.answerJson(200, {
        [key]: items.slice(start, start + size),
        meta: {
          total: items.length,
          links: {
            next: start + size < items.length ? link(start + size) : '',
            prev: start > 0 ? link(Math.max(0, start - size)) : '',
          },
        },
      })
    }
    if (zoneName === undefined) return paged('domains', world.zones.map(domain))
    const zone = world.zones.find((item) => item === zoneName)
    if (zone === undefined) return refuse(404, 'Invalid domain.', 'no such domain')
    if (!hasRecords) return strict.answerJson(200, { domain: domain(zone) })
    const ofZone = world.records.filter((record) => zoneOf(record.name) === zone)
    const record = ofZone.find((item) => idOf(item) === recordId)
    if (recordId !== undefined && record === undefined)
      return refuse(404, 'Invalid record.', 'no such record')
    if (method === 'GET')
      return record === undefined
        ? paged(
            'records',
            ofZone.map((item) => shown(item, zone)),
          )
        : strict.answerJson(200, { record: shown(record, zone) })

    if (world.isReadOnly) return refuse(403, 'Forbidden.', 'the token may not write')
    if (method === 'DELETE' && record !== undefined) {
      world.records.splice(world.records.indexOf(record), 1)
      return strict.answerWith({})(204, '')
    }
    if (!strict.isSentAs('application/json', request)) return refuse(400, 'Invalid JSON.', 'content-type')
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return refuse(400, 'Invalid JSON.', 'body is no JSON object')
    const allowed: Readonly<Record<string, string>> = {
      name: 'string',
      data: 'string',
      ttl: 'number',
      priority: 'number',
      ...(record === undefined ? { type: 'string' } : {}),
    }
    for (const [key, item] of Object.entries(body))
      if (typeof item !== allowed[key]) return refuse(400, `Invalid ${key}.`, `member ${key}`)
    const { type = record?.type, data = record?.value } = body
    if (body['name'] === undefined && record === undefined)
      return refuse(400, 'Name is required.', 'name is missing')
    const label = body['name'] === undefined ? undefined : textOf(body['name']).toLowerCase()
    if (label !== undefined && !strict.isLabel(label)) return refuse(400, 'Invalid name.', `name ${label}`)
    const name = label === undefined ? (record?.name ?? zone) : label === '' ? zone : `${label}.${zone}`
    if (zoneOf(name) !== zone) return refuse(400, 'Invalid name.', `name in the domain ${zoneOf(name)}`)
    if (typeof type !== 'string' || !TYPES.includes(type)) return refuse(400, 'Invalid record type.', 'type')
    if (typeof data !== 'string' || !strict.fitsType(type, data))
      return refuse(400, 'Invalid data.', `data ${String(data)}`)
    const ttl = Number(body['ttl'] ?? record?.ttl ?? DEFAULT_TTL)
    if (body['ttl'] !== undefined && (!Number.isInteger(ttl) || ttl < LEAST_TTL))
      return refuse(400, 'Invalid TTL.', `ttl ${ttl}`)
    if ((type === 'MX' || type === 'SRV') && record === undefined && body['priority'] === undefined)
      return refuse(400, 'Priority is required.', 'priority is missing')
    const others = world.records.filter((item) => item !== record && item.name === name)
    if (others.some((item) => (item.type === 'CNAME') !== (type === 'CNAME')))
      return refuse(400, 'A CNAME record cannot exist beside other records.', 'CNAME beside another type')
    if (others.some((item) => item.type === type && (item.value === data || type === 'CNAME')))
      return refuse(400, 'Duplicate records not allowed.', 'the record exists')
    if (others.some((item) => item.type === type && item.ttl !== ttl))
      return refuse(400, 'Records of one name and type have one TTL.', 'another TTL than the other records')
    const extra = {
      ...record?.extra,
      ...(body['priority'] === undefined ? {} : { priority: body['priority'] }),
    }
    const fresh = Object.assign(record ?? {}, { name, type, value: data, ttl, extra })
    if (record !== undefined) return strict.answerWith({})(204, '')
    world.records.push(fresh)
    return strict.answerJson(201, { record: shown(fresh, zone) })
  }
}

export const vultr: FakeService = { id: 'vultr', origin: 'https://api.vultr.com', make }
