import { createHash } from 'node:crypto'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Documents: eu.api.ovh.com/console (/domain), "First steps with the OVHcloud APIs" (signature). No field
// is peculiar to this service. Records read by the API have the changes at once; `world.records` (what the
// name servers give) has them only after POST …/refresh. username, password, apiKey: application key,
// application secret, consumer key.

const ORIGIN = 'https://eu.api.ovh.com'
const HOSTS = strict.words(
  'eu.api.ovh.com ca.api.ovh.com api.us.ovhcloud.com eu.api.kimsufi.com ca.api.kimsufi.com',
  'eu.api.soyoustart.com ca.api.soyoustart.com',
)
const TYPES = strict.words(
  'A AAAA CAA CNAME DKIM DMARC DNAME HTTPS LOC MX NAPTR NS PTR RP SPF SRV SSHFP SVCB TLSA',
  'TXT',
)
/** Not found again for this file; 0 is the TTL of the zone. */
const LEAST_TTL = 60
/** Seconds that a time stamp may be away from the time that the service told. */
const MOST_SKEW = 300

const send = strict.answerWith({
  'content-type': 'application/json; charset=utf-8',
  'x-ovh-queryid': 'EU.ext-3.65e35d7b.2743956.409faf75',
})

const make = (world: FakeWorld) => {
  const drafts = new Map<FakeRecord, FakeRecord>()
  const added = new Set<FakeRecord>()
  const removed = new Set<FakeRecord>()
  let hasToldTime = false
  const idOf = strict.idsOf((before) => 1583058551 + before)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const now = (record: FakeRecord): FakeRecord => drafts.get(record) ?? record
  const ofZone = (zone: string) =>
    [...world.records, ...added].filter((record) => !removed.has(record) && zoneOf(now(record).name) === zone)
  const labelOf = (name: string, zone: string) => strict.labelIn(zone, name, '')
  const shown = (record: FakeRecord, zone: string) => {
    const { name, type, value, ttl } = now(record)
    return { ttl, target: value, subDomain: labelOf(name, zone), zone, fieldType: type, id: idOf(record) }
  }
  const refresh = (zone: string) => {
    for (const [record, draft] of drafts) if (zoneOf(draft.name) === zone) Object.assign(record, draft)
    for (const record of [...world.records, ...added]) if (zoneOf(record.name) === zone) drafts.delete(record)
    const isKept = (record: FakeRecord) => !removed.has(record) || zoneOf(record.name) !== zone
    strict.setRecords(world, world.records.filter(isKept))
    for (const record of added)
      if (zoneOf(record.name) === zone) {
        world.records.push(record)
        added.delete(record)
      }
  }

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    /** A refusal before the call: of the credentials. */
    const deny = (status: number, httpCode: string, errorCode: string, message: string, why: string) =>
      send(status, { errorCode, httpCode, message }, why)
    const refuse = (status: number, kind: string, message: string, why: string) =>
      send(status, { class: `Client::${kind}`, message }, why)
    const bad = (why: string) => refuse(400, 'BadRequest', `Invalid request: ${why}`, why) // no dump

    const { path, query } = strict.splitTarget(target)
    if (!strict.isEncoded(target)) return bad('target is not percent-encoded')
    if (method === 'GET' && request.body !== '') return bad('a body on a GET')
    const seconds = Math.floor(Date.now() / 1000)
    if (target === '/1.0/auth/time' && method === 'GET') {
      hasToldTime = true
      return send(200, seconds)
    }
    if (headers['x-ovh-application'] !== world.username)
      // no dump
      return deny(403, '403 Forbidden', 'INVALID_KEY', 'This application key is invalid', 'x-ovh-application')
    // dump: ovh/php-ovh#56, 2017-01-03
    if (headers['x-ovh-consumer'] !== world.apiKey)
      return deny(
        403,
        '403 Forbidden',
        'INVALID_CREDENTIAL',
        'This credential is not valid',
        'x-ovh-consumer',
      )
    const stamp = headers['x-ovh-timestamp'] ?? ''
    if (!/^\d{10}$/.test(stamp) || (hasToldTime && Math.abs(Number(stamp) - seconds) > MOST_SKEW))
      return deny(400, '400 Bad Request', 'QUERY_TIME_OUT', 'Query out of time', 'x-ovh-timestamp') // no dump
    const host = headers['host'] ?? ''
    const url = `${HOSTS.includes(host) ? `https://${host}` : ORIGIN}${target}`
    const text = [world.password, world.apiKey, method, url, request.body, stamp].join('+')
    // dump: ovh/php-ovh#62 (2017-06-15), #80 (2018-07-17)
    if (headers['x-ovh-signature'] !== `$1$${createHash('sha1').update(text).digest('hex')}`)
      return deny(400, '400 Bad Request', 'INVALID_SIGNATURE', 'Invalid signature', 'x-ovh-signature')

    const parts = /^\/1\.0\/domain\/zone(?:\/([^/]+)(?:\/(record|refresh)(?:\/(\d+))?)?)?$/.exec(path)
    if (parts === null || (parts[2] === 'refresh' && parts[3] !== undefined))
      return refuse(404, 'NotFound', 'Got an invalid (or empty) URL', 'no such path') // no dump
    const [, zoneName, part, recordId] = parts
    const isList = part === 'record' && recordId === undefined
    const stray = strict.strayQuery(query, method === 'GET' && isList ? ['fieldType', 'subDomain'] : [])
    if (stray !== undefined) return bad(`query parameter ${stray}`)
    const methods =
      recordId !== undefined
        ? ['GET', 'PUT', 'DELETE']
        : isList
          ? ['GET', 'POST']
          : part === 'refresh'
            ? ['POST']
            : ['GET']
    // no dump
    if (!methods.includes(method)) return refuse(405, 'MethodNotAllowed', 'Method not allowed', 'method')
    // the text: ovh/python-ovh#86, 2020-02-13; the code has no dump
    if (world.isReadOnly && method !== 'GET')
      return deny(
        403,
        '403 Forbidden',
        'NOT_GRANTED_CALL',
        'This call has not been granted',
        'read-only consumer key',
      )

    if (zoneName === undefined) return send(200, world.zones)
    const zone = world.zones.find((item) => item === decodeURIComponent(zoneName))
    // dump: aureq/cert-manager-webhook-ovh#39
    if (zone === undefined) return refuse(404, 'NotFound', 'This service does not exist', 'no such zone')
    if (part === undefined)
      return send(200, {
        name: zone,
        nameServers: ['dns1.ovh.net', 'ns1.ovh.net'],
        dnssecSupported: true,
        hasDnsAnycast: false,
        lastUpdate: '2026-11-27T10:00:00+00:00',
      })
    if (part === 'refresh') {
      if (request.body !== '' && request.body !== '{}') return bad('a body on refresh')
      refresh(zone)
      return send(200, null)
    }
    const record = ofZone(zone).find((item) => String(idOf(item)) === recordId)
    // dump: ovh/php-ovh#89, 2019-01-09
    if (recordId !== undefined && record === undefined)
      return send(
        404,
        { message: `The requested object (id = ${recordId}) does not exist` },
        'no such record',
      )
    if (method === 'GET') {
      if (record !== undefined) return send(200, shown(record, zone))
      const [type, label] = [query.get('fieldType'), query.get('subDomain')]
      if (type !== null && !TYPES.includes(type)) return bad(`fieldType ${type}`)
      return send(
        200,
        ofZone(zone)
          .filter((item) => type === null || now(item).type === type)
          .filter((item) => label === null || labelOf(now(item).name, zone) === label.toLowerCase())
          .map(idOf),
      )
    }
    if (method === 'DELETE' && record !== undefined) {
      removed.add(record)
      added.delete(record)
      return send(200, null)
    }

    if (!strict.isSentAs('application/json', request)) return bad('content-type is not JSON')
    const body = strict.jsonOf(request.body)
    if (!strict.isMembers(body)) return bad('body is no JSON object')
    const allowed = ['subDomain', 'target', 'ttl', ...(record === undefined ? ['fieldType'] : [])]
    for (const key of Object.keys(body)) if (!allowed.includes(key)) return bad(`unknown member ${key}`)
    const old = record === undefined ? undefined : now(record)
    const label = body['subDomain'] ?? (old === undefined ? '' : labelOf(old.name, zone))
    const { fieldType: type = old?.type, target: value = old?.value } = body
    const ttl = body['ttl'] ?? old?.ttl ?? 0
    if (typeof label !== 'string' || !/^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|)$/i.test(label))
      return bad('subDomain')
    if (typeof type !== 'string' || !TYPES.includes(type)) return bad('fieldType')
    if (typeof value !== 'string' || !strict.fitsType(type, value)) return bad('target')
    if (!strict.isInteger(ttl) || (body['ttl'] != null && ttl !== 0 && ttl < LEAST_TTL)) return bad('ttl')
    const name = label === '' ? zone : `${label.toLowerCase()}.${zone}`
    if (zoneOf(name) !== zone) return bad(`subDomain in the zone ${zoneOf(name)}`)
    const others = ofZone(zone)
      .filter((item) => item !== record && now(item).name === name)
      .map(now)
    if (others.some((item) => (item.type === 'CNAME') !== (type === 'CNAME') || item.type === 'CNAME'))
      // no dump
      return refuse(409, 'Conflict', 'A CNAME cannot stand beside other records', 'CNAME beside another type')
    if (others.some((item) => item.type === type && item.value === value))
      return refuse(409, 'Conflict', 'This record already exists', 'the record exists') // no dump
    const draft = { name, type, value, ttl, extra: old?.extra ?? {} }
    if (record === undefined) {
      added.add(draft)
      return send(200, shown(draft, zone))
    }
    if (added.has(record)) Object.assign(record, draft)
    else drafts.set(record, draft)
    return send(200, null)
  }
}

export const ovh: FakeService = { id: 'ovh', origin: ORIGIN, make }
