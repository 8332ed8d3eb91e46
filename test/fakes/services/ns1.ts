import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Documents: ns1.com/api; the texts "zone not found", "record not found" and "record already exists":
// ns1/ns1-go. Keys of `extra`: filters, meta, regions, use_client_subnet, tier, networks (of the record
// set, kept by POST), and answer_meta (of one answer; the list of answers is replaced as a whole, so an
// answer without meta loses it).

const OF_SET = strict.words('filters meta regions use_client_subnet tier networks override_ttl tags link')
const WRITABLE = ['zone', 'domain', 'type', 'ttl', 'answers', ...OF_SET]
const TYPES = strict.words('A AAAA ALIAS CAA CNAME MX NS PTR SPF SRV TXT DS HTTPS SVCB')

const send = strict.answerWith({
  'content-type': 'application/json',
  'x-ratelimit-by': 'customer',
  'x-ratelimit-limit': '900',
  'x-ratelimit-period': '300',
  'x-ratelimit-remaining': '899',
})

const make = (world: FakeWorld) => {
  const idOf = strict.idsOf((before) => `520519509f782d37dffb${(0x1a00 + before).toString(16)}`)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const at = (name: string, type: string) =>
    world.records.filter((record) => record.name === name && record.type === type)
  const zoneShown = (zone: string) => ({
    id: idOf(zone),
    zone,
    name: zone,
    ttl: 3600,
    nx_ttl: 3600,
    retry: 7200,
    refresh: 43200,
    expiry: 1209600,
    serial: 1795774800,
    hostmaster: 'hostmaster@nsone.net',
    pool: 'p01',
    network_pools: ['p01'],
    networks: [0],
    dns_servers: ['dns1.p01.nsone.net', 'dns2.p01.nsone.net'],
    primary: { enabled: false, secondaries: [] },
    link: null,
  })
  const shown = (found: readonly FakeRecord[], zone: string) => {
    const [first] = found
    const extra = first?.extra ?? {}
    return {
      id: idOf(`${first?.name} ${first?.type}`),
      domain: first?.name,
      zone,
      type: first?.type,
      ttl: first?.ttl,
      answers: found.map((record) => ({
        id: idOf(`${record.name} ${record.type} ${record.value}`),
        answer: record.value.split(' '),
        ...(record.extra['answer_meta'] === undefined ? {} : { meta: record.extra['answer_meta'] }),
      })),
      filters: extra['filters'] ?? [],
      meta: extra['meta'] ?? {},
      regions: extra['regions'] ?? {},
      use_client_subnet: extra['use_client_subnet'] ?? true,
      tier: extra['tier'] ?? 1,
      networks: extra['networks'] ?? [0],
      link: extra['link'] ?? null,
    }
  }

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    const refuse = (status: number, message: string, why: string) => send(status, { message }, why)
    const bad = (why: string) => refuse(400, `Input validation failed: ${why}`, why) // no dump

    // no dump
    if (headers['x-nsone-key'] !== world.password) return refuse(401, 'Unauthorized', 'x-nsone-key')
    if (!strict.isEncoded(target)) return bad('target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return bad('a body on a GET')
    const { path, query } = strict.splitTarget(target)
    const parts = /^\/v1\/zones(?:\/([^/]+)(?:\/([^/]+)\/([^/]+))?)?$/.exec(path)
    if (parts === null) return refuse(404, 'not found', 'no such path') // no dump
    const [zone, domain, type] = parts.slice(1).map((part) => part && decodeURIComponent(part))
    const allowed =
      zone === undefined ? ['limit', 'after'] : domain === undefined ? ['records', 'limit', 'after'] : []
    for (const key of query.keys())
      if (!allowed.includes(key) || method !== 'GET') return bad(`query parameter ${key}`)

    if (zone === undefined) {
      if (method !== 'GET') return refuse(405, 'method not allowed', 'method') // no dump
      const limit = Number(query.get('limit') ?? Number.MAX_SAFE_INTEGER)
      const after = query.get('after')
      if (!Number.isInteger(limit) || limit < 1) return bad('limit')
      const rest = world.zones.slice(after === null ? 0 : world.zones.indexOf(after) + 1)
      const page = rest.slice(0, limit)
      const link = `<https://api.nsone.net/v1/zones?after=${page.at(-1)}&limit=${limit}>; rel="next"`
      return send(200, page.map(zoneShown), undefined, rest.length > limit ? { link } : {})
    }
    if (!world.zones.includes(zone)) return refuse(404, 'zone not found', 'no such zone')
    if (domain === undefined || type === undefined) {
      if (method !== 'GET') return refuse(405, 'method not allowed', 'method') // no dump
      const sets = new Map(
        world.records
          .filter((record) => zoneOf(record.name) === zone)
          .map((record) => [`${record.name} ${record.type}`, record] as const),
      )
      return send(200, {
        ...zoneShown(zone),
        records: [...sets.values()].map((record) => ({
          id: idOf(`${record.name} ${record.type}`),
          domain: record.name,
          type: record.type,
          ttl: record.ttl,
          short_answers: at(record.name, record.type).map((item) => item.value),
          tier: 1,
          link: null,
        })),
      })
    }

    const found = zoneOf(domain) === zone ? at(domain, type) : []
    if (method === 'GET')
      return found.length === 0
        ? refuse(404, 'record not found', 'no such record')
        : send(200, shown(found, zone))
    // no dump
    if (!['PUT', 'POST', 'DELETE'].includes(method)) return refuse(405, 'method not allowed', 'method')
    if (world.isReadOnly) return refuse(403, 'permission denied', 'read-only key') // no dump
    if (method === 'DELETE') {
      if (found.length === 0) return refuse(404, 'record not found', 'no such record')
      strict.putInPlace(world, found, [])
      return send(200, {})
    }

    if (!strict.isSentAs('application/json', request)) return bad('content-type is not JSON')
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return bad('body is no JSON object')
    for (const key of Object.keys(body)) if (!WRITABLE.includes(key)) return bad(`unknown member ${key}`)
    for (const [key, value] of [
      ['zone', zone],
      ['domain', domain],
      ['type', type],
    ] as const)
      if (method === 'PUT' ? body[key] !== value : body[key] !== undefined && body[key] !== value)
        return bad(`member ${key} is not that of the path`)
    if (!TYPES.includes(type)) return bad(`type ${type}`)
    if (domain !== domain.toLowerCase() || domain.endsWith('.') || zoneOf(domain) !== zone)
      return bad('domain')
    if (method === 'PUT' && found.length > 0)
      return refuse(400, 'record already exists', 'PUT of a record that exists')
    if (method === 'POST' && found.length === 0) return refuse(404, 'record not found', 'no such record')
    const { ttl = found[0]?.ttl ?? 3600, answers } = body
    if (!strict.isInteger(ttl) || ttl < 0 || ttl > 2147483647) return bad('ttl')
    if (method === 'PUT' && answers === undefined) return bad('answers is missing')
    if (answers !== undefined && (!Array.isArray(answers) || answers.length === 0)) return bad('answers')
    for (const key of ['filters', 'tags'])
      if (key === 'filters' && body[key] !== undefined && !Array.isArray(body[key])) return bad(key)

    const values: { value: string; meta: unknown }[] = []
    for (const item of (answers ?? []) as readonly unknown[]) {
      if (!strict.isMembers(item) || !Array.isArray(item['answer']))
        return bad('an answer is {"answer":["…"]}')
      for (const key of Object.keys(item))
        if (!['answer', 'meta', 'region', 'id', 'feeds'].includes(key))
          return bad(`unknown member ${key} of an answer`)
      const answer: readonly unknown[] = item['answer']
      if (!answer.every((part) => ['string', 'number'].includes(typeof part))) return bad('answer')
      const value = answer.join(' ')
      if (!strict.fitsType(type, value)) return bad(`answer ${value}`)
      if (values.some((other) => other.value === value)) return bad('the same answer twice')
      values.push({ value, meta: item['meta'] })
    }
    if (type === 'CNAME' && values.length > 1) return bad('several answers of a CNAME')
    if (strict.isCnameClash(world, domain, type)) return bad('CNAME beside another type')

    const ofSet = Object.fromEntries(
      OF_SET.flatMap((key) => {
        const value = body[key] ?? found[0]?.extra[key]
        return value === undefined ? [] : [[key, value]]
      }),
    )
    const fresh =
      answers === undefined
        ? found.map((record) => Object.assign(record, { ttl, extra: { ...record.extra, ...ofSet } }))
        : values.map(({ value, meta }, index) =>
            Object.assign(found[index] ?? {}, {
              name: domain,
              type,
              value,
              ttl,
              extra: meta === undefined ? ofSet : { ...ofSet, answer_meta: meta },
            }),
          )
    strict.putOver(world, found, fresh)
    return send(200, shown(at(domain, type), zone))
  }
}

export const ns1: FakeService = { id: 'ns1', origin: 'https://api.nsone.net', make }
