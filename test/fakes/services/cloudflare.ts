import { createHash } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { domainToUnicode } from 'node:url'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

const refuse = (status: number, code: number, message: string, why: string) =>
  strict.refuseJson(status, { result: null, success: false, errors: [{ code, message }], messages: [] }, why)

/** The form of the front door (authentication, routing): other order of members than the DNS service. */
const turnAway = (status: number, errors: strict.Members[], why: string) =>
  strict.refuseJson(status, { success: false, errors, messages: [], result: null }, why)

// no dump: the service ignores most of what this refuses
const badRequest = (why: string) => refuse(400, 9207, 'Request body is invalid.', why)

const idOf = (seed: string) => createHash('md5').update(`cloudflare ${seed}`).digest('hex')

const TYPES = strict.words(
  'A AAAA CAA CERT CNAME DNSKEY DS HTTPS LOC MX NAPTR NS OPENPGPKEY PTR SMIMEA SRV SSHFP',
  'SVCB TLSA TXT URI',
)
const MEMBERS = ['name', 'type', 'content', 'ttl', 'proxied', 'comment', 'tags', 'settings']
const LISTS = ['deletes', 'patches', 'puts', 'posts']
const PARAMETERS: Record<string, readonly string[]> = {
  zones: strict.words('name status account.id account.name type page per_page order direction match'),
  records: strict.words(
    'name name.exact type content content.exact proxied page per_page order direction match',
  ),
}
const DEFAULTS = { proxied: false, comment: null, tags: [] as string[], settings: {} }

const make = (world: FakeWorld) => {
  const recordId = strict.idsOf((before) => idOf(`record ${before + 1}`))
  const zoneId = (zone: string) => idOf(`zone ${zone}`)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)

  const recordView = (record: FakeRecord) => ({
    id: recordId(record),
    name: record.name,
    type: record.type,
    content: strict.canonicalValue(record.type, record.value),
    proxiable: ['A', 'AAAA', 'CNAME'].includes(record.type),
    proxied: false,
    ttl: record.ttl,
    settings: {},
    meta: {},
    comment: null,
    tags: [],
    created_on: '2014-01-01T05:20:00.12345Z',
    modified_on: '2014-01-01T05:20:00.12345Z',
    ...record.extra,
  })
  const zoneView = (zone: string) => ({
    id: zoneId(zone),
    name: domainToUnicode(zone),
    status: 'active',
    paused: false,
    type: 'full',
    development_mode: 0,
    name_servers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
    original_name_servers: ['ns1.example.net', 'ns2.example.net'],
    original_registrar: null,
    original_dnshost: null,
    modified_on: '2014-01-01T05:20:00.12345Z',
    created_on: '2014-01-01T05:20:00.12345Z',
    activated_on: '2014-01-02T00:01:00.12345Z',
    meta: { step: 4, custom_certificate_quota: 0, page_rule_quota: 3, phishing_detected: false },
    owner: { id: null, type: 'user', email: null },
    account: { id: idOf('account'), name: 'Fake account' },
    tenant: { id: null, name: null },
    tenant_unit: { id: null },
    permissions: ['#dns_records:read', ...(world.isReadOnly ? [] : ['#dns_records:edit']), '#zone:read'],
    plan: { id: idOf('plan'), name: 'Free Website', price: 0, currency: 'USD', frequency: '' },
  })

  const authenticate = (headers: FakeRequest['headers']) => {
    const { authorization, 'x-auth-email': email, 'x-auth-key': key } = headers
    if (authorization === undefined && (email === undefined || key === undefined)) {
      const message = 'Missing X-Auth-Key, X-Auth-Email or Authorization headers'
      throw strict.refuseJson(400, { success: false, errors: [{ code: 9106, message }] }, 'no credentials')
    }
    const malformed = (code: number, header: string) =>
      turnAway(
        400,
        [
          {
            code: 6003,
            message: 'Invalid request headers',
            error_chain: [{ code, message: `Invalid format for ${header} header` }],
          },
        ],
        `malformed ${header}`,
      )
    if (authorization !== undefined) {
      const token = /^Bearer ([\w-]+)$/.exec(authorization)?.[1]
      if (authorization === `Bearer ${world.password}`) return
      if (token === undefined) throw malformed(6111, 'Authorization')
      throw turnAway(403, [{ code: 9109, message: 'Invalid access token' }], 'wrong token')
    }
    if (world.apiKey === '' || key !== world.apiKey) throw malformed(6103, 'X-Auth-Key')
    if (email !== world.username) {
      // no dump
      throw turnAway(403, [{ code: 9103, message: 'Unknown X-Auth-Key or X-Auth-Email' }], 'wrong e-mail')
    }
  }

  const page = <T>(all: readonly T[], parameters: Map<string, string>, standard: number, most: number) => {
    const read = (name: string, fallback: number, least: number, top: number) => {
      const text = parameters.get(name) ?? String(fallback)
      const value = Number(text)
      if (/^\d+$/.test(text) && value >= least && value <= top) return value
      throw badRequest(`${name} must be between ${least} and ${top}`)
    }
    const number = read('page', 1, 1, 1_000_000)
    const size = read('per_page', standard, standard === 20 ? 5 : 1, most)
    const result = all.slice((number - 1) * size, number * size)
    return {
      result,
      result_info: {
        page: number,
        per_page: size,
        total_pages: Math.ceil(all.length / size),
        count: result.length,
        total_count: all.length,
      },
    }
  }

  const check = (
    zone: string,
    old: FakeRecord | undefined,
    body: strict.Members,
    isWhole: boolean,
  ): FakeRecord => {
    strict.onlyMembers(body, MEMBERS, badRequest)
    const want = (member: string, isRight: (value: unknown) => boolean) => {
      const value = body[member]
      if (value !== undefined && !isRight(value)) throw badRequest(`wrong value of ${member}`)
      return value !== undefined
    }
    const isText = (value: unknown) => typeof value === 'string' && value !== ''
    const has = {
      name: want('name', isText),
      type: want('type', (value) => TYPES.includes(value as string)),
      content: want('content', isText),
      ttl: want('ttl', (value) => typeof value === 'number'),
      proxied: want('proxied', (value) => typeof value === 'boolean'),
      comment: want('comment', (value) => value === null || typeof value === 'string'),
      tags: want('tags', (value) => Array.isArray(value) && value.every(isText)),
      settings: want('settings', (value) => typeof value === 'object' && value !== null),
    }
    if (isWhole && !(has.name && has.type && has.content && has.ttl)) {
      throw badRequest('name, type, content and ttl are required')
    }
    if (Object.keys(body).length === 0) throw badRequest('body names no member')
    const type = has.type ? (body['type'] as string) : (old?.type ?? '')
    const content = strict.canonicalValue(
      type,
      has.content ? (body['content'] as string) : (old?.value ?? ''),
    )
    const name = has.name ? (body['name'] as string) : (old?.name ?? '')
    const ttl = has.ttl ? (body['ttl'] as number) : (old?.ttl ?? 1)
    const extra: Record<string, unknown> = { ...old?.extra, ...(isWhole ? DEFAULTS : {}) }
    for (const member of ['proxied', 'comment', 'tags', 'settings'] as const) {
      if (has[member]) extra[member] = body[member]
    }
    if (old !== undefined && type !== old.type) throw badRequest('the type of a record cannot change')
    const isName = /^[\x21-\x7e]+$/.test(name) && !name.endsWith('.')
    if (!isName) throw badRequest(`name ${name} is not in Punycode`)
    if (zoneOf(name.toLowerCase()) !== zone) throw badRequest(`name ${name} is not in zone ${zone}`)
    if (!Number.isInteger(ttl) || (ttl !== 1 && (ttl < 60 || ttl > 86400))) {
      const message = 'Invalid TTL. Must be between 60 and 86400 seconds, or 1 for Automatic.' // no dump
      throw refuse(400, 9021, message, `ttl ${ttl}`)
    }
    if (type === 'A' && !isIPv4(content)) {
      throw refuse(400, 9005, 'Content for A record must be a valid IPv4 address.', 'content of an A')
    }
    if (type === 'AAAA' && !strict.isV6(content)) {
      // no dump
      throw refuse(400, 9006, 'Content for AAAA record must be a valid IPv6 address.', 'content of AAAA')
    }
    const isProxied = extra['proxied'] === true
    if (isProxied && !['A', 'AAAA', 'CNAME'].includes(type)) {
      throw refuse(400, 9004, 'This record type cannot be proxied.', `${type} proxied`) // no dump
    }
    const isAutomatic = isProxied && (isWhole || has.proxied)
    return { name: name.toLowerCase(), type, value: content, ttl: isAutomatic ? 1 : ttl, extra }
  }

  const clash = (record: FakeRecord, own: FakeRecord | undefined) => {
    const peers = world.records.filter((peer) => peer !== own && peer.name === record.name)
    const isSame = (peer: FakeRecord) =>
      peer.type === record.type && strict.canonicalValue(peer.type, peer.value) === record.value
    if (peers.some(isSame)) {
      throw refuse(400, 81058, 'An identical record already exists.', 'identical record')
    }
    if (record.type === 'CNAME' && peers.some((peer) => ['A', 'AAAA', 'CNAME'].includes(peer.type))) {
      const message = 'An A, AAAA, or CNAME record with that host already exists.'
      throw refuse(400, 81053, message, 'CNAME beside other records')
    }
    if (['A', 'AAAA'].includes(record.type) && peers.some((peer) => peer.type === 'CNAME')) {
      const help =
        'https://developers.cloudflare.com/dns/manage-dns-records/troubleshooting/' +
        'records-with-same-name/'
      const message = `A CNAME record with that host already exists. For more details, refer to <${help}>.`
      throw refuse(400, 81054, message, 'CNAME in the way')
    }
  }

  const find = (zone: string, id: unknown) => {
    const found = world.records.find((record) => zoneOf(record.name) === zone && recordId(record) === id)
    if (found !== undefined) return found
    // no dump
    throw refuse(404, 81044, 'Record does not exist.', `no record ${String(id)}`)
  }
  const create = (zone: string, body: strict.Members) => {
    const record = check(zone, undefined, body, true)
    clash(record, undefined)
    world.records.push(record)
    return recordView(record)
  }
  const change = (zone: string, id: unknown, body: strict.Members, isWhole: boolean) => {
    const record = find(zone, id)
    const next = check(zone, record, body, isWhole)
    clash(next, record)
    Object.assign(record, next)
    return recordView(record)
  }
  const remove = (zone: string, id: unknown) => {
    const record = find(zone, id)
    const view = recordView(record)
    world.records.splice(world.records.indexOf(record), 1)
    return view
  }

  const batch = (zone: string, body: strict.Members) => {
    strict.onlyMembers(body, LISTS, badRequest)
    const list = (member: string): strict.Members[] => {
      const value = body[member] ?? []
      if (Array.isArray(value) && value.every(strict.isMembers)) return value
      throw badRequest(`${member} is not a list of objects`)
    }
    const total = LISTS.reduce((sum, member) => sum + list(member).length, 0)
    if (total === 0) throw badRequest('batch is empty')
    if (total > 200) throw badRequest('batch of more than 200 records') // no dump
    const withId = (item: strict.Members) => {
      const { id, ...rest } = item
      if (typeof id !== 'string') throw badRequest('item has no id')
      return { id, rest }
    }
    return strict.allOrNone(world, () => {
      const deletes = list('deletes')
        .map(withId)
        .map(({ id, rest }) => {
          if (Object.keys(rest).length > 0) throw badRequest('a delete has more than an id')
          return remove(zone, id)
        })
      const patches = list('patches')
        .map(withId)
        .map(({ id, rest }) => change(zone, id, rest, false))
      const puts = list('puts')
        .map(withId)
        .map(({ id, rest }) => change(zone, id, rest, true))
      const posts = list('posts').map((item) => create(zone, item))
      return { deletes, patches, puts, posts }
    })
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const { path, parameters } = strict.readTarget(request.target, badRequest)
    authenticate(request.headers)
    const { method } = request
    const parts = strict.readParts(path, '/client/v4/', badRequest)
    const [root, id, collection, record] = parts
    const noRoute = (why: string) => {
      const shown = path.replace(/^\/client\/v4/, '').replaceAll('/', '\\/')
      return strict.refuseJson(
        404,
        '{"success":false,"errors":[{"code":7003,"message":"Could not route to ' +
          `${shown}, perhaps your object identifier is invalid?"},` +
          '{"code":7000,"message":"No route for that URI"}],"messages":[],"result":null}',
        why,
      )
    }
    const message = 'Method not allowed for this authentication scheme' // no dump
    const wrongMethod = (why: string) => turnAway(405, [{ code: 10405, message }], why)
    const check = strict.routeChecks(request, parameters, badRequest, wrongMethod)
    const allow = (kind: string, ...methods: string[]) => check(methods, ...(PARAMETERS[kind] ?? []))
    const done = (result: unknown) =>
      strict.answerJson(200, { result, success: true, errors: [], messages: [] })
    const paged = (found: { result: unknown; result_info: unknown }) =>
      strict.answerJson(200, { ...found, success: true, errors: [], messages: [] })

    if (root !== 'zones' || parts.length > 4) throw noRoute('unknown path')
    if (id === undefined) {
      allow('zones', 'GET')
      const name = parameters.get('name')
      const status = parameters.get('status') ?? 'active'
      const zones = world.zones.filter((zone) => (name === undefined || zone === name) && status === 'active')
      return paged(page(zones.map(zoneView), parameters, 20, 50))
    }
    if (!/^[0-9a-f]{32}$/.test(id)) throw noRoute('zone id is not 32 hexadecimal digits')
    if (collection !== undefined && collection !== 'dns_records') throw noRoute('unknown path')
    const zone = world.zones.find((candidate) => zoneId(candidate) === id)
    if (collection === undefined) {
      allow('zone', 'GET')
      if (zone !== undefined) return done(zoneView(zone))
      const message = 'Unauthorized to access requested resource'
      throw turnAway(403, [{ code: 9109, message }], 'unknown zone')
    }
    if (zone === undefined || (world.isReadOnly && method !== 'GET')) {
      throw turnAway(
        403,
        [{ code: 10000, message: 'Authentication error' }],
        zone === undefined
          ? 'unknown zone' // no dump
          : 'token may not write',
      )
    }
    if (record === undefined) {
      allow('records', 'GET', 'POST')
      if (method === 'POST') return done(create(zone, strict.readBody(request, badRequest)))
      const isAsked = (names: string[], value: string) =>
        names.every((name) => {
          const asked = parameters.get(name)
          return asked === undefined || asked.toLowerCase() === value.toLowerCase()
        })
      const records = world.records.filter(
        (candidate) =>
          zoneOf(candidate.name) === zone &&
          isAsked(['name', 'name.exact'], candidate.name) &&
          isAsked(['type'], candidate.type) &&
          isAsked(['content', 'content.exact'], strict.canonicalValue(candidate.type, candidate.value)) &&
          isAsked(['proxied'], textOf(candidate.extra['proxied'] ?? false)),
      )
      return paged(page(records.map(recordView), parameters, 100, 5_000_000))
    }
    if (record === 'batch') {
      allow('batch', 'POST')
      return done(batch(zone, strict.readBody(request, badRequest)))
    }
    if (!/^[0-9a-f]{32}$/.test(record)) throw noRoute('record id is not 32 hexadecimal digits')
    allow('record', 'GET', 'PATCH', 'PUT', 'DELETE')
    if (method === 'GET') return done(recordView(find(zone, record)))
    if (method === 'DELETE') return strict.answerJson(200, { result: { id: remove(zone, record).id } })
    return done(change(zone, record, strict.readBody(request, badRequest), method === 'PUT'))
  }

  return strict.orRefusal(respond)
}

export const cloudflare: FakeService = { id: 'cloudflare', origin: 'https://api.cloudflare.com', make }
