import { createHash } from 'node:crypto'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

const message = (
  action: string,
  clientId: string,
  code: number,
  short: string,
  long: string,
  data: unknown,
  why?: string,
) => {
  const body = {
    serverrequestid: 'YxTr4EzdbJ101T211zR4yzUEMVE',
    clientrequestid: clientId,
    action,
    status: code === 2000 ? 'success' : 'error',
    statuscode: code,
    shortmessage: short,
    longmessage: long,
    responsedata: data,
  }
  return strict.answerWith({ 'content-type': 'application/json; charset=utf-8' })(200, body, why)
}

const refuse = (action: string, code: number, short: string, long: string, why: string) =>
  new strict.RefusedRequest(message(action, '', code, short, long, '', why))

const badRequest = (why: string, long = 'Message is empty.') =>
  refuse('', 4013, 'Validation Error.', long, why)

const badField = (field: string, type = 'string') =>
  badRequest(field, `Value in field ${field} does not match requirements of type: ${type}. `)

const TYPES = strict.words('A AAAA MX CNAME CAA SRV TXT TLSA NS DS OPENPGPKEY SMIMEA SSHFP')
const ACTIONS = ['login', 'logout', 'infoDnsZone', 'infoDnsRecords', 'updateDnsRecords']
const FIELDS = ['id', 'hostname', 'type', 'priority', 'destination', 'deleterecord', 'state']

const make = (world: FakeWorld) => {
  const sessions = new Set<string>()
  let nextSession = 0

  const recordId = strict.idsOf((before) => String(24700103 + 3 * before))
  const inZone = (zone: string) =>
    world.records.filter(({ name }) => name === zone || name.endsWith(`.${zone}`))
  const view = (zone: string) => (record: FakeRecord) => ({
    id: recordId(record),
    hostname: strict.labelIn(zone, record.name, '@'),
    type: record.type,
    priority: '0',
    destination: strict.canonicalValue(record.type, record.value),
    deleterecord: false,
    state: 'yes',
    ...record.extra,
  })
  const zoneTtl = (zone: string) => inZone(zone)[0]?.ttl ?? 86400

  const login = (param: strict.Members) => {
    strict.onlyMembers(param, ['customernumber', 'apikey', 'apipassword', 'clientrequestid'], badRequest)
    for (const field of ['customernumber', 'apikey', 'apipassword']) {
      if (!['string', 'number'].includes(typeof param[field]) || param[field] === '') throw badField(field)
    }
    const isRight =
      String(param['customernumber']) === world.username &&
      param['apikey'] === world.apiKey &&
      param['apipassword'] === world.password
    if (!isRight) {
      const long =
        'More than 180 requests per minute. Please wait and retry later. Please contact our ' +
        'customer service to find out if the limitation of requests can be increased.'
      throw refuse('login', 4013, 'Validation Error.', long, 'wrong customer number, API key or password')
    }
    nextSession += 1
    const session = createHash('md5').update(`netcup session ${nextSession}`).digest('base64url')
    sessions.add(session)
    const long = 'Session has been created successful.'
    return { short: 'Login successful', long, data: { apisessionid: session } }
  }

  const change = (zone: string, item: unknown) => {
    const fields = strict.readObject(item, 'item of dnsrecords', badRequest)
    strict.onlyMembers(fields, FIELDS, badRequest)
    const { id, hostname, type, priority, destination, deleterecord, state } = fields
    if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') throw badField('id')
    if (typeof hostname !== 'string' || !/^(@|(\*|[\w-]+)(\.[\w-]+)*)$/.test(hostname)) {
      throw badField('hostname')
    }
    if (`.${hostname}`.endsWith(`.${zone}`)) throw badField('hostname')
    if (typeof type !== 'string' || !TYPES.includes(type)) throw badField('type')
    if (!strict.isValue(type, destination)) throw badField('destination')
    if (deleterecord !== undefined && typeof deleterecord !== 'boolean') {
      throw badField('deleterecord', 'boolean')
    }
    if (priority !== undefined && !/^\d*$/.test(textOf(priority))) throw badField('priority')
    if (state !== undefined && typeof state !== 'string') throw badField('state')
    const failed = (long: string, why: string) =>
      refuse(
        'updateDnsRecords',
        5028,
        'Update of DNS records failed',
        `Can not update (all) DNS records for zone. ${long}`,
        why,
      )
    const isNew = id === undefined || id === ''
    const record = inZone(zone).find((candidate) => recordId(candidate) === String(id))
    // no dump
    if (!isNew && record === undefined) {
      throw failed(`The record ${String(id)} could not be found.`, 'no such record')
    }
    if (deleterecord === true) {
      // no dump
      if (record === undefined) throw failed('A record without id can not be deleted.', 'no id')
      world.records.splice(world.records.indexOf(record), 1)
      return
    }
    const name = (hostname === '@' ? zone : `${hostname}.${zone}`).toLowerCase()
    const value = strict.canonicalValue(type, destination)
    const others = inZone(zone).filter((peer) => peer !== record && peer.name === name)
    const isClash = (peer: FakeRecord) => [peer.type, type].includes('CNAME')
    const isSame = (peer: FakeRecord) =>
      peer.type === type && strict.canonicalValue(type, peer.value) === value
    // no dump
    if (others.some(isClash)) throw failed('A CNAME can not stand beside other records.', 'CNAME in the way')
    if (others.some(isSame)) throw failed('The record exists already.', 'same record exists')
    const extra = { ...record?.extra, ...(priority === undefined ? {} : { priority: textOf(priority) }) }
    if (record === undefined) world.records.push({ name, type, value, ttl: zoneTtl(zone), extra })
    else Object.assign(record, { name, type, value, extra })
  }

  const update = (zone: string, param: strict.Members) => {
    const set = strict.readObject(param['dnsrecordset'], 'dnsrecordset', badRequest)
    strict.onlyMembers(set, ['dnsrecords'], badRequest)
    const { dnsrecords: items } = set
    if (!Array.isArray(items) || items.length === 0) throw badRequest('dnsrecords is no list')
    strict.allOrNone(world, () => {
      for (const item of items) change(zone, item)
    })
    // no dump
    return {
      short: 'DNS records successful updated',
      long: 'The given DNS records for this zone were updated.',
      data: { dnsrecords: inZone(zone).map(view(zone)) },
    }
  }

  const inSession = (action: string, param: strict.Members) => {
    const isAboutZone = action !== 'logout'
    const own = isAboutZone ? ['domainname'] : []
    const ofUpdate = action === 'updateDnsRecords' ? ['dnsrecordset'] : []
    strict.onlyMembers(
      param,
      ['customernumber', 'apikey', 'apisessionid', 'clientrequestid', ...own, ...ofUpdate],
      badRequest,
    )
    const { apisessionid: session, domainname: zone } = param
    const isOwn = String(param['customernumber']) === world.username && param['apikey'] === world.apiKey
    if (typeof session !== 'string' || !sessions.has(session) || !isOwn) {
      const short = 'Api session id in invalid format'
      throw refuse(action, 4001, short, 'The session id is not in a valid format.', 'no such session')
    }
    if (!isAboutZone) {
      sessions.delete(session)
      return { short: 'Logout successful', long: 'Session has been terminated successful.', data: '' }
    }
    const isDomain =
      typeof zone === 'string' && /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+$/.test(zone)
    if (!isDomain) throw badField('domainname', 'domainname')
    if (!world.zones.includes(zone)) {
      const lost = `The zone ${zone} could not be found.`
      if (action === 'updateDnsRecords') {
        const long = `Can not update (all) DNS records for zone. ${lost}`
        throw refuse(action, 5028, 'Update of DNS records failed', long, 'unknown zone')
      }
      // no dump
      const long = `Can not get DNS records for zone. ${lost}`
      throw refuse(action, 5029, 'Can not get DNS records', long, 'unknown zone')
    }
    if (action === 'updateDnsRecords') return update(zone, param)
    if (action === 'infoDnsZone') {
      const data = {
        name: zone,
        ttl: String(zoneTtl(zone)),
        serial: '2022071101',
        refresh: '28800',
        retry: '7200',
        expire: '1209600',
        dnssecstatus: false,
      }
      return { short: 'DNS zone found', long: 'DNS zone was found.', data }
    }
    const records = inZone(zone)
    if (records.length === 0) {
      const long = `Can not get DNS records for zone. The zone does not ${zone} contain any DNS records.`
      throw refuse(action, 5029, 'Can not get DNS records', long, 'zone is empty')
    }
    // no dump
    return {
      short: 'DNS records found',
      long: 'DNS Records for this zone were found.',
      data: { dnsrecords: records.map(view(zone)) },
    }
  }

  const respond = (request: FakeRequest): FakeResponse => {
    const notFound = (status: number, why: string) =>
      new strict.RefusedRequest(strict.answerWith({})(status, '', why))
    const [path, query] = request.target.split('?')
    if (path !== '/run/webservice/servers/endpoint.php') throw notFound(404, 'unknown path')
    if (query !== 'JSON') throw notFound(400, 'query is not JSON') // without it the service speaks SOAP
    if (request.method !== 'POST') throw notFound(405, `method ${request.method}`)
    const body = strict.readBody(request, badRequest)
    strict.onlyMembers(body, ['action', 'param'], badRequest)
    const { action } = body
    const param = strict.readObject(body['param'], 'param', badRequest)
    const { clientrequestid: clientId = '' } = param
    if (typeof clientId !== 'string') throw badField('clientrequestid')
    if (typeof action !== 'string' || !ACTIONS.includes(action)) throw badRequest('unknown action')
    const { short, long, data } = action === 'login' ? login(param) : inSession(action, param)
    return message(action, clientId, 2000, short, long, data)
  }

  return strict.orRefusal(respond)
}

export const netcup: FakeService = { id: 'netcup', origin: 'https://ccp.netcup.net', make }
