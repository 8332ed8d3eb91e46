import { createHmac } from 'node:crypto'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

// Documents: help.aliyun.com (Alidns 2015-01-09: DescribeSubDomainRecords, UpdateDomainRecord,
// AddDomainRecord; RPC signature with HMAC-SHA1). Keys of `extra`: Line, Priority, Remark, Weight, Status.
// UpdateDomainRecord sets TTL to 600 and Line to "default" if the request does not have them; Remark,
// Weight and Status stay.

const COMMON = strict.words(
  'Action Format Version AccessKeyId Signature SignatureMethod Timestamp SignatureVersion',
  'SignatureNonce',
)
const ANY = [...COMMON, 'Lang', 'UserClientIp']
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  DescribeSubDomainRecords: ['SubDomain', 'DomainName', 'Type', 'Line', 'PageNumber', 'PageSize'],
  UpdateDomainRecord: ['RecordId', 'RR', 'Type', 'Value', 'TTL', 'Priority', 'Line'],
  AddDomainRecord: ['DomainName', 'RR', 'Type', 'Value', 'TTL', 'Priority', 'Line'],
}
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  DescribeSubDomainRecords: ['SubDomain'],
  UpdateDomainRecord: ['RecordId', 'RR', 'Type', 'Value'],
  AddDomainRecord: ['DomainName', 'RR', 'Type', 'Value'],
}
const TYPES = strict.words('A NS MX TXT CNAME SRV AAAA CAA REDIRECT_URL FORWARD_URL SVCB HTTPS')
const LINES = ['default', 'telecom', 'unicom', 'mobile', 'oversea', 'edu', 'drpeng', 'btvn', 'search']
const DEFAULT_TTL = 600
/** Of the free edition; not found again for this file. */
const LEAST_TTL = 600

const xml = (value: unknown, tag: string): string =>
  Array.isArray(value)
    ? value.map((item) => xml(item, tag)).join('')
    : typeof value === 'object' && value !== null
      ? `<${tag}>${Object.entries(value)
          .map(([key, item]) => xml(item, key))
          .join('')}</${tag}>`
      : `<${tag}>${String(value).replace(/&/g, '&amp;').replace(/</g, '&lt;')}</${tag}>`

const make = (world: FakeWorld) => {
  const nonces = new Set<string>()
  let requests = 0
  const idOf = strict.idsOf((before) => String(9999985 + before))
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const lineOf = (record: FakeRecord) => textOf(record.extra['Line'] ?? 'default')

  return (request: FakeRequest): FakeResponse => {
    const { method, target } = request
    const { path, search } = strict.splitTarget(target)
    const form = method === 'POST' ? request.body : ''
    const params = new Map<string, string>()
    const requestId = `536E9CAD-DB30-4647-AC87-${(0xaa5cc38c5000 + requests++).toString(16).toUpperCase()}`
    const send = (status: number, action: string, members: object, why?: string): FakeResponse => {
      const body = { RequestId: requestId, ...members }
      const isJson = (params.get('Format') ?? 'XML').toUpperCase() === 'JSON'
      const answer = strict.answerWith({
        'content-type': `${isJson ? 'application/json' : 'text/xml'};charset=utf-8`,
      })
      return answer(status, isJson ? body : `<?xml version='1.0' encoding='UTF-8'?>${xml(body, action)}`, why)
    }
    // The form is that of dumps: NewFuture/DDNS#167 (2020-03-31), jeessy2/ddns-go#936 (2023-12-12).
    const refuse = (status: number, code: string, message: string, why: string) =>
      send(
        status,
        'Error',
        {
          Message: message,
          Recommend: `https://api.aliyun.com/troubleshoot?q=${code}&product=Alidns&requestId=${requestId}`,
          HostId: 'alidns.aliyuncs.com',
          Code: code,
        },
        why,
      )

    for (const pair of [search, form]
      .filter((text) => text !== '')
      .join('&')
      .split('&')) {
      if (pair === '') continue
      if (!/^([\w.~*+-]|%[0-9A-F]{2})*=([\w.~*+-]|%[0-9A-F]{2})*$/i.test(pair))
        return refuse(
          400,
          'InvalidParameter',
          'The request is not valid.',
          `not percent-encoded: ${pair.slice(0, 40)}`,
        )
      const [name = '', value = ''] = pair
        .split('=')
        .map((part) => decodeURIComponent(part.replace(/\+/g, ' ')))
      if (params.has(name))
        return refuse(400, 'InvalidParameter', 'The request is not valid.', `${name} twice`)
      params.set(name, value)
    }
    const action = params.get('Action') ?? ''
    if (path !== '/' || !['GET', 'POST'].includes(method))
      return refuse(
        404,
        'InvalidAction.NotFound',
        'Specified api is not found, please check your url and method.',
        'path or method',
      )
    if (method === 'GET' && request.body !== '')
      return refuse(400, 'InvalidParameter', 'The request is not valid.', 'a body on a GET')
    if (form !== '' && !strict.isSentAs('application/x-www-form-urlencoded', request))
      return refuse(400, 'InvalidParameter', 'The request is not valid.', 'content-type')
    for (const name of COMMON)
      if (name !== 'Format' && (params.get(name) ?? '') === '')
        // no dump
        return refuse(400, `Missing${name}`, `${name} is mandatory for this action.`, `${name} is missing`)
    const allowed = ACTIONS[action]
    if (params.get('Version') !== '2015-01-09')
      return refuse(400, 'InvalidVersion', 'Specified parameter Version is not valid.', 'Version')
    if (allowed === undefined)
      return refuse(
        404,
        'InvalidAction.NotFound',
        'Specified api is not found, please check your url and method.',
        `action ${action}`,
      )
    const invalid = (name: string) =>
      refuse(400, `Invalid${name}`, `Specified parameter ${name} is not valid.`, name) // no dump
    if (!['JSON', 'XML'].includes((params.get('Format') ?? 'XML').toUpperCase())) return invalid('Format')
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(params.get('Timestamp') ?? ''))
      return refuse(
        400,
        'InvalidTimeStamp.Format',
        'Specified time stamp or date value is not well formatted.',
        'time',
      )
    if (params.get('SignatureMethod') !== 'HMAC-SHA1') return invalid('SignatureMethod')
    if (params.get('SignatureVersion') !== '1.0') return invalid('SignatureVersion')
    // dump: honwen/aliyun-ddns-cli#24, 2019-10-08
    if (params.get('AccessKeyId') !== world.username)
      return refuse(404, 'InvalidAccessKeyId.NotFound', 'Specified access key is not found.', 'AccessKeyId')
    const canonical = [...params]
      .filter(([name]) => name !== 'Signature')
      .map(([name, value]) => `${strict.percentEncoded(name)}=${strict.percentEncoded(value)}`)
      .sort()
      .join('&')
    const toSign = `${method}&${strict.percentEncoded('/')}&${strict.percentEncoded(canonical)}`
    const signature = createHmac('sha1', `${world.password}&`).update(toSign).digest('base64')
    if (params.get('Signature') !== signature)
      return refuse(
        400,
        'SignatureDoesNotMatch',
        `Specified signature is not matched with our calculation. server string to sign is:${toSign}`,
        'Signature',
      )
    const nonce = params.get('SignatureNonce') ?? ''
    // dump: acme.sh#3585, 2021-06-30
    if (nonces.has(nonce))
      return refuse(
        400,
        'SignatureNonceUsed',
        'Specified signature nonce was used already.',
        'SignatureNonce',
      )
    nonces.add(nonce)
    for (const name of params.keys())
      if (![...ANY, ...allowed].includes(name))
        return refuse(
          400,
          'InvalidParameter',
          `The parameter ${name} is not valid.`,
          `unknown parameter ${name}`,
        )
    for (const name of NEEDED[action] ?? [])
      if ((params.get(name) ?? '') === '')
        return refuse(400, `Missing${name}`, `${name} is mandatory for this action.`, `${name} is missing`)
    const get = (name: string) => params.get(name) ?? ''
    const type = params.get('Type')
    if (type !== undefined && !TYPES.includes(type)) return invalid('Type')
    const line = params.get('Line')
    if (line !== undefined && !LINES.includes(line)) return invalid('Line')
    const noDomain = (name: string) =>
      refuse(
        400,
        'InvalidDomainName.NoExist',
        'The specified domain name does not exist. Refresh the page and try again.',
        `no such domain: ${name}`,
      ) // no dump

    if (action === 'DescribeSubDomainRecords') {
      const name = get('SubDomain').toLowerCase().replace(/^@\./, '')
      const zone = params.get('DomainName')?.toLowerCase() ?? zoneOf(name)
      if (zone === undefined || !world.zones.includes(zone)) return noDomain(zone ?? name)
      if (zoneOf(name) !== zone) return invalid('SubDomain')
      const number = Number(params.get('PageNumber') ?? 1)
      const size = Number(params.get('PageSize') ?? 20)
      if (!Number.isInteger(number) || number < 1) return invalid('PageNumber')
      if (!Number.isInteger(size) || size < 1 || size > 500) return invalid('PageSize')
      const found = world.records.filter(
        (record) =>
          record.name === name &&
          (type === undefined || record.type === type) &&
          (line === undefined || lineOf(record) === line),
      )
      return send(200, 'DescribeSubDomainRecordsResponse', {
        TotalCount: found.length,
        PageSize: size,
        PageNumber: number,
        DomainRecords: {
          Record: found.slice((number - 1) * size, number * size).map((record) => ({
            Status: record.extra['Status'] ?? 'ENABLE',
            Line: lineOf(record),
            RR: strict.labelIn(zone, record.name, '@'),
            Locked: false,
            Type: record.type,
            DomainName: zone,
            Value: record.value,
            RecordId: idOf(record),
            TTL: record.ttl,
            ...(record.extra['Priority'] === undefined ? {} : { Priority: record.extra['Priority'] }),
            ...(record.extra['Weight'] === undefined ? {} : { Weight: record.extra['Weight'] }),
            ...(record.extra['Remark'] === undefined ? {} : { Remark: record.extra['Remark'] }),
          })),
        },
      })
    }

    if (world.isReadOnly)
      return refuse(
        400,
        'Forbidden.RAM',
        "User not authorized to operate on the specified resource, or this API doesn't support RAM.",
        'read-only key',
      )
    const old =
      action === 'UpdateDomainRecord'
        ? world.records.find(
            (record) => zoneOf(record.name) !== undefined && idOf(record) === get('RecordId'),
          )
        : undefined
    if (action === 'UpdateDomainRecord' && old === undefined)
      return refuse(
        400,
        'DomainRecordNotBelongToUser',
        'The domain record does not belong to this user.',
        'RecordId',
      )
    const zone = old === undefined ? get('DomainName').toLowerCase() : (zoneOf(old.name) ?? '')
    if (!world.zones.includes(zone)) return noDomain(zone)
    const rr = get('RR').toLowerCase()
    if (!/^(@|\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(rr)) return invalid('RR')
    const name = rr === '@' ? zone : `${rr}.${zone}`
    if (zoneOf(name) !== zone) return invalid('RR')
    const value = get('Value')
    if (!strict.fitsType(type, value))
      return refuse(
        400,
        'DomainRecordValueInvalid',
        'The value of the record is not valid.',
        `Value ${value}`,
      ) // no dump
    const ttl = Number(params.get('TTL') ?? DEFAULT_TTL)
    if (!Number.isInteger(ttl) || ttl < LEAST_TTL || ttl > 86400) return invalid('TTL')
    const priority = params.get('Priority')
    if (type === 'MX' && !(Number(priority) >= 1 && Number(priority) <= 50)) return invalid('Priority')
    const its = line ?? 'default'
    if (
      old !== undefined &&
      old.name === name &&
      old.type === type &&
      old.value === value &&
      old.ttl === ttl &&
      lineOf(old) === its
    )
      // users see the text "The DNS record already exists." (TimothyYe/godns#115, 2021-07-02)
      return refuse(
        400,
        'DomainRecordDuplicate',
        'The domain record is duplicated.',
        'a change that changes nothing',
      )
    const others = world.records.filter(
      (record) => record !== old && record.name === name && lineOf(record) === its,
    )
    if (others.some((record) => record.type === type && record.value === value))
      return refuse(400, 'DomainRecordDuplicate', 'The domain record is duplicated.', 'the record exists')
    if (others.some((record) => (record.type === 'CNAME') !== (type === 'CNAME') || record.type === 'CNAME'))
      return refuse(400, 'DomainRecordConflict', 'The domain record is conflict with other records.', 'CNAME')
    const fresh = Object.assign(old ?? {}, {
      name,
      type: type ?? '',
      value,
      ttl,
      extra: { ...old?.extra, Line: its, ...(priority === undefined ? {} : { Priority: Number(priority) }) },
    })
    if (old === undefined) world.records.push(fresh)
    return send(200, `${action}Response`, { RecordId: idOf(fresh) })
  }
}

export const aliyun: FakeService = { id: 'aliyun', origin: 'https://alidns.aliyuncs.com', make }
