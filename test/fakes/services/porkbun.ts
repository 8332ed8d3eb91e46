import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

const answer = strict.answerWith({
  'content-type': 'application/json',
  'set-cookie': 'BUNSESSION2=fake; path=/; secure; HttpOnly; SameSite=Lax',
})

const refuse = (status: number, message: string, why: string, code?: string) =>
  new strict.RefusedRequest(
    answer(status, { status: 'ERROR', message, ...(code === undefined ? {} : { code }) }, why),
  )

// no dump
const badRequest = (why: string) => refuse(400, 'Invalid request.', why, 'INVALID_REQUEST')

const readPath = (target: string) => {
  if (target.includes('?')) throw badRequest('query where none is documented')
  return strict.readTarget(target, badRequest).path
}

const TYPES = strict.words('A MX CNAME ALIAS TXT NS AAAA SRV TLSA CAA HTTPS SVCB SSHFP')
const DOCUMENTED = ['content', 'ttl', 'prio', 'notes']

const make = (world: FakeWorld) => {
  const recordId = strict.idsOf((before) => String(106926659 + 7 * before))

  const view = (record: FakeRecord) => ({
    id: recordId(record),
    name: record.name,
    type: record.type,
    content: strict.canonicalValue(record.type, record.value),
    ttl: String(record.ttl),
    prio: '0',
    notes: '',
    ...record.extra,
  })

  const authenticate = (headers: FakeRequest['headers'], body: strict.Members) => {
    const isInBody = body['apikey'] !== undefined || body['secretapikey'] !== undefined
    const key = isInBody ? body['apikey'] : headers['x-api-key']
    const secret = isInBody ? body['secretapikey'] : headers['x-secret-api-key']
    // no dump of the two texts of a missing key
    if (key === undefined) throw refuse(400, 'API key is required.', 'no API key', 'MISSING_APIKEY')
    if (secret === undefined) {
      throw refuse(400, 'Secret API key is required.', 'no secret', 'MISSING_SECRETAPIKEY')
    }
    if (key !== world.username) throw refuse(400, 'Invalid API key. (002)', 'wrong API key')
    if (secret === world.password) return
    throw refuse(400, 'Invalid API key. (001)', 'wrong secret API key', 'INVALID_API_KEYS_001')
  }

  const readTtl = (body: strict.Members) => {
    const ttl = body['ttl'] ?? '600'
    if (typeof ttl !== 'string' && typeof ttl !== 'number') throw badRequest('ttl is not a number')
    if (!/^\d+$/.test(String(ttl)) || Number(ttl) > 2147483647) throw badRequest('ttl is not a number')
    if (Number(ttl) < 600) throw badRequest('ttl is less than 600') // no dump
    return Number(ttl)
  }
  const readValues = (type: string, body: strict.Members) => {
    const { content, notes = '', prio } = body
    if (!strict.isValue(type, content)) throw badRequest(`content is not right for ${type}`)
    if (typeof notes !== 'string') throw badRequest('notes is not a text')
    if (prio !== undefined && !/^\d+$/.test(textOf(prio))) throw badRequest('prio is not a number')
    return { content: strict.canonicalValue(type, content), notes, ttl: readTtl(body), prio }
  }
  const isClash = (name: string, type: string) =>
    world.records.some(
      (record) =>
        record.name === name &&
        (['CNAME', 'ALIAS'].includes(record.type)
          ? ['A', 'AAAA', 'CNAME', 'ALIAS'].includes(type) || record.type === 'CNAME'
          : type === 'CNAME' || (type === 'ALIAS' && ['A', 'AAAA'].includes(record.type))),
    )

  const extraOf = (old: strict.Members, notes: string, prio: unknown): strict.Members => ({
    ...old,
    ...(notes === '' && old['notes'] === undefined ? {} : { notes }),
    ...(prio === undefined ? {} : { prio: textOf(prio) }),
  })

  const create = (zone: string, body: strict.Members) => {
    strict.onlyMembers(body, ['apikey', 'secretapikey', 'name', 'type', ...DOCUMENTED], badRequest)
    const { name: label = '', type } = body
    if (typeof type !== 'string' || !TYPES.includes(type)) throw badRequest('unknown type')
    const isLabel = typeof label === 'string' && /^([\w*-]+(\.[\w-]+)*)?$/.test(label)
    if (!isLabel) throw badRequest('name is not a subdomain')
    if (`${label}.`.endsWith(`${zone}.`)) throw badRequest('name has the domain in it')
    const { content, notes, ttl, prio } = readValues(type, body)
    const name = (label === '' ? zone : `${label}.${zone}`).toLowerCase()
    const isSame = (record: FakeRecord) =>
      record.name === name && record.type === type && strict.canonicalValue(type, record.value) === content
    if (isClash(name, type) || world.records.some(isSame)) {
      const why = isClash(name, type) ? 'CNAME or ALIAS in the way' : 'same record exists'
      throw refuse(400, 'Create error: We were unable to create the DNS record.', why)
    }
    const extra = extraOf({}, notes, prio)
    const record = { name, type, value: content, ttl, extra }
    world.records.push(record)
    return answer(200, { status: 'SUCCESS', id: recordId(record) })
  }

  // An edit that changes nothing is an error (dump of 2023); from version 3.20 of the API it succeeds.
  const edit = (records: FakeRecord[], type: string, body: strict.Members) => {
    const { content, notes, ttl, prio } = readValues(type, body)
    const isEqual = (record: FakeRecord) =>
      strict.canonicalValue(type, record.value) === content &&
      record.ttl === ttl &&
      (record.extra['notes'] ?? '') === notes
    if (records.every(isEqual)) {
      const why = records.length === 0 ? 'no such record' : 'nothing changes'
      throw refuse(400, 'Edit error: We were unable to edit the DNS record.', why)
    }
    for (const record of records) {
      record.value = content
      record.ttl = ttl
      record.extra = extraOf(record.extra, notes, prio)
    }
    return answer(200, { status: 'SUCCESS' })
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const path = readPath(request.target)
    const prefix = '/api/json/v3/dns/'
    const [action = '', zone, type, label = '', ...more] = strict.readParts(path, prefix, badRequest)
    const isNamed = action.endsWith('ByNameType')
    const isKnown = zone !== undefined && more.length === 0 && (isNamed ? type !== undefined : label === '')
    if (
      !isKnown ||
      !['retrieve', 'create', 'retrieveByNameType', 'editByNameType'].includes(action) ||
      (action === 'create' && type !== undefined)
    ) {
      throw refuse(404, 'Not found.', 'unknown path', 'NOT_FOUND') // no dump
    }
    // no dump
    if (request.method !== 'POST') throw refuse(405, 'Method not allowed.', `method ${request.method}`)
    const body = strict.readBody(request, badRequest)
    authenticate(request.headers, body)
    if (!world.zones.includes(zone)) throw refuse(400, 'Invalid domain.', 'unknown domain')
    if (world.isReadOnly) throw refuse(400, 'Domain is not opted in to API access.', 'domain is not opted in')
    if (action === 'create') return create(zone, body)

    const inZone = world.records.filter(({ name }) => name === zone || name.endsWith(`.${zone}`))
    if (action === 'retrieve') {
      strict.onlyMembers(body, ['apikey', 'secretapikey'], badRequest)
      const records = inZone.filter((record) => type === undefined || recordId(record) === type).map(view)
      return answer(200, { status: 'SUCCESS', cloudflare: 'enabled', records })
    }
    if (type === undefined || !TYPES.includes(type)) throw badRequest('unknown type')
    if (!/^([\w*-]+(\.[\w-]+)*)?$/.test(label)) throw badRequest('subdomain is not a name')
    const name = (label === '' ? zone : `${label}.${zone}`).toLowerCase()
    const found = inZone.filter((record) => record.name === name && record.type === type)
    if (action === 'editByNameType') {
      strict.onlyMembers(body, ['apikey', 'secretapikey', ...DOCUMENTED], badRequest)
      return edit(found, type, body)
    }
    strict.onlyMembers(body, ['apikey', 'secretapikey'], badRequest)
    return answer(200, { status: 'SUCCESS', cloudflare: 'enabled', records: found.map(view) })
  }

  return strict.orRefusal(respond)
}

export const porkbun: FakeService = { id: 'porkbun', origin: 'https://api.porkbun.com', make }
