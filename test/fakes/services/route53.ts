import { createHash, createHmac } from 'node:crypto'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf as shownText } from './service.ts'
import * as strict from './strict.ts'

// Documents: docs.aws.amazon.com/Route53/latest/APIReference; the signature by "Create a signed AWS API
// request" (Signature Version 4; region us-east-1, service route53). Keys of `extra`: SetIdentifier,
// Weight, Region, Failover, MultiValueAnswer, HealthCheckId, and AliasTarget ({ HostedZoneId, DNSName,
// EvaluateTargetHealth }; the value and the TTL of such a record are not shown). A list begins at `name`
// and `type`: it is not a filter. UPSERT replaces all.

interface Element {
  readonly tag: string
  readonly text: string
  readonly children: readonly Element[]
}
interface Change {
  readonly action: string
  readonly name: string
  readonly type: string
  readonly id: string
  readonly fresh: readonly FakeRecord[]
}

const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/'
const HOST = 'route53.amazonaws.com'
const TYPES = strict.words('SOA A TXT NS CNAME MX NAPTR PTR SRV SPF AAAA CAA DS TLSA SSHFP SVCB HTTPS')
const ROUTING = ['SetIdentifier', 'Weight', 'Region', 'Failover', 'MultiValueAnswer', 'HealthCheckId']

const AUTHORIZATION = new RegExp(
  '^AWS4-HMAC-SHA256 Credential=([^/, ]+)/(\\d{8})/([\\w-]+)/([\\w-]+)/aws4_request, ?' +
    'SignedHeaders=([\\w;-]+), ?Signature=([0-9a-f]{64})$',
)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
const unescape = (text: string) =>
  text.replace(/&(lt|gt|quot|apos|amp|#\d+|#x[0-9a-f]+);/gi, (_, name: string) =>
    name.startsWith('#x')
      ? String.fromCodePoint(parseInt(name.slice(2), 16))
      : name.startsWith('#')
        ? String.fromCodePoint(Number(name.slice(1)))
        : ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }[name.toLowerCase()] ?? ''),
  )

/** The root of a small XML document without comments and CDATA, or undefined. */
const parseXml = (text: string): Element | undefined => {
  const source = text.replace(/^<\?xml[^?]*\?>/, '').trim()
  const stack: { tag: string; text: string; children: Element[] }[] = [{ tag: '', text: '', children: [] }]
  const token = /<(\/?)([A-Za-z]\w*)((?:\s+xmlns="[^"]*")?)\s*(\/?)>|([^<]+)/gy
  while (token.lastIndex < source.length) {
    const found = token.exec(source)
    const top = stack.at(-1)
    if (found === null || top === undefined) return undefined
    const [, close, tag, namespace, isEmpty, chars] = found
    if (chars !== undefined) top.text += unescape(chars)
    else if (tag === undefined) return undefined
    else if (close) {
      const parent = stack.at(-2)
      if (top.tag !== tag || parent === undefined) return undefined
      stack.pop()
      parent.children.push(top)
    } else {
      if (
        (stack.length === 1) !== (namespace !== '') ||
        (namespace ?? '').trim() !== (stack.length === 1 ? `xmlns="${NAMESPACE}"` : '')
      )
        return undefined
      if (isEmpty) top.children.push({ tag, text: '', children: [] })
      else stack.push({ tag, text: '', children: [] })
    }
  }
  const [root] = stack
  return stack.length === 1 && root?.children.length === 1 ? root.children[0] : undefined
}
const child = (element: Element | undefined, tag: string) =>
  element?.children.find((item) => item.tag === tag)
const textOf = (element: Element | undefined, tag: string) => child(element, tag)?.text.trim()

/** com.example.www. */
const reversed = (name: string) => `${name.split('.').toReversed().join('.')}.`.replace(/\*/g, '\\052')
const shownName = (name: string) => `${name}.`.replace(/\*/g, '\\052')
const nameOf = (text: string) => text.toLowerCase().replace(/\.$/, '').replace(/\\052/g, '*')

const make = (world: FakeWorld) => {
  let changes = 0
  const zoneIdOf = strict.idsOf((before) => `Z1D633PJN98F${String(before).padStart(2, '0')}`)
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const idOf = (record: FakeRecord) => shownText(record.extra['SetIdentifier'] ?? '')
  const setXml = (set: readonly FakeRecord[]) => {
    const [first] = set
    if (first === undefined) return ''
    const alias = first.extra['AliasTarget'] as Record<string, unknown> | undefined
    return (
      '<ResourceRecordSet>' +
      `<Name>${escape(shownName(first.name))}</Name><Type>${first.type}</Type>` +
      ROUTING.filter((key) => key !== 'HealthCheckId' && first.extra[key] !== undefined)
        .map((key) => `<${key}>${escape(String(first.extra[key]))}</${key}>`)
        .join('') +
      (alias === undefined
        ? `<TTL>${first.ttl}</TTL><ResourceRecords>` +
          set
            .map((record) => `<ResourceRecord><Value>${escape(record.value)}</Value></ResourceRecord>`)
            .join('') +
          '</ResourceRecords>'
        : '<AliasTarget>' +
          ['HostedZoneId', 'DNSName', 'EvaluateTargetHealth']
            .map((key) => `<${key}>${escape(shownText(alias[key] ?? false))}</${key}>`)
            .join('') +
          '</AliasTarget>') +
      (first.extra['HealthCheckId'] === undefined
        ? ''
        : `<HealthCheckId>${escape(shownText(first.extra['HealthCheckId']))}</HealthCheckId>`) +
      '</ResourceRecordSet>'
    )
  }
  const zoneXml = (zone: string) =>
    '<HostedZone>' +
    `<Id>/hostedzone/${zoneIdOf(zone)}</Id><Name>${zone}.</Name>` +
    `<CallerReference>${zone}-1</CallerReference>` +
    '<Config><PrivateZone>false</PrivateZone></Config>' +
    `<ResourceRecordSetCount>${world.records.filter((record) => zoneOf(record.name) === zone).length + 2}` +
    '</ResourceRecordSetCount></HostedZone>'

  return (request: FakeRequest): FakeResponse => {
    const { method, target, headers } = request
    const requestId = 'b25f48e8-84fd-11e6-80d9-574e0c4664cb'
    const answer = strict.answerWith({ 'content-type': 'text/xml', 'x-amzn-requestid': requestId })
    const send = (status: number, body: string, why?: string) =>
      answer(status, `<?xml version="1.0"?>\n${body}`, why)
    // The form is that of a dump: openedx-unsupported/configuration#2824, 2016-03-02.
    const refuse = (status: number, code: string, message: string, why = message) =>
      send(
        status,
        `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>${code}</Code>` +
          `<Message>${escape(message)}</Message></Error>` +
          `<RequestId>${requestId}</RequestId></ErrorResponse>`,
        why,
      )
    const invalid = (why: string) => refuse(400, 'InvalidInput', `Invalid request: ${why}`, why) // no dump
    const batch = (message: string) => refuse(400, 'InvalidChangeBatch', `[${message}]`, message)

    if (!strict.isEncoded(target)) return invalid('target is not percent-encoded')
    const { path, search } = strict.splitTarget(target)
    const pairs =
      search === ''
        ? []
        : search.split('&').map((pair) => {
            const [name = '', value = ''] = pair.split('=')
            return [decodeURIComponent(name), decodeURIComponent(value)] as const
          })

    const authorization = headers['authorization']
    // no dump
    if (authorization === undefined)
      return refuse(403, 'MissingAuthenticationToken', 'Missing Authentication Token')
    const parts = AUTHORIZATION.exec(authorization)
    // no dump
    if (parts === null) return refuse(400, 'IncompleteSignature', 'Authorization header is not well formed')
    const [, keyId, day = '', region = '', service = '', signed = '', signature] = parts
    if (keyId !== world.username)
      return refuse(
        403,
        'InvalidClientTokenId',
        'The security token included in the request is invalid',
        'key id',
      )
    const stamp = headers['x-amz-date'] ?? ''
    const mismatch = (why: string) =>
      refuse(
        403,
        'SignatureDoesNotMatch',
        'The request signature we calculated does not match the signature you provided. Check your AWS ' +
          'Secret Access Key and signing method. Consult the service documentation for details.',
        why,
      )
    if (!/^\d{8}T\d{6}Z$/.test(stamp))
      return refuse(400, 'IncompleteSignature', 'x-amz-date is not YYYYMMDDTHHMMSSZ')
    if (!stamp.startsWith(day)) return mismatch('the day of the scope is not that of x-amz-date')
    if (region !== 'us-east-1' || service !== 'route53') return mismatch('scope is not us-east-1/route53')
    const names = signed.split(';')
    if ([...names].sort().join(';') !== signed) return mismatch('SignedHeaders are not sorted')
    const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
    for (const name of needed) if (!names.includes(name)) return mismatch(`header ${name} is not signed`)
    const values: Readonly<Record<string, string | undefined>> = { host: HOST, ...headers }
    for (const name of names) if (values[name] === undefined) return mismatch(`header ${name} is not sent`)
    const payload = sha256(request.body)
    if (headers['x-amz-content-sha256'] !== undefined && headers['x-amz-content-sha256'] !== payload)
      return mismatch('x-amz-content-sha256 is not that of the body')
    const canonical = [
      method,
      path.split('/').map(strict.percentEncoded).join('/'),
      pairs
        .map(([name, value]) => `${strict.percentEncoded(name)}=${strict.percentEncoded(value)}`)
        .sort()
        .join('&'),
      ...names.map((name) => `${name}:${values[name]?.trim().replace(/ +/g, ' ')}`),
      '',
      signed,
      payload,
    ].join('\n')
    const scope = `${day}/${region}/${service}/aws4_request`
    const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n')
    const key = hmac(hmac(hmac(hmac(`AWS4${world.password}`, day), region), service), 'aws4_request')
    if (hmac(key, toSign).toString('hex') !== signature) return mismatch('signature')

    const query = new Map(pairs)
    if (query.size < pairs.length) return invalid('a query parameter twice')
    const only = (...allowed: string[]) => [...query.keys()].find((name) => !allowed.includes(name))
    if (method === 'GET' && request.body !== '') return invalid('a body on a GET')
    const denied = (action: string) =>
      refuse(
        403,
        'AccessDenied',
        `User: arn:aws:iam::123456789012:user/holdfast is not authorized to perform: route53:${action}`,
        'read-only key',
      )
    const ordered = [...world.zones].sort((a, b) => (reversed(a) < reversed(b) ? -1 : 1))
    const limit = Number(query.get('maxitems') ?? (/rrset/.test(path) ? 300 : 100))
    if (!Number.isInteger(limit) || limit < 1) return invalid('maxitems')

    if (path === '/2013-04-01/hostedzonesbyname') {
      if (method !== 'GET') return refuse(405, 'MethodNotAllowed', 'method')
      const unknown = only('dnsname', 'hostedzoneid', 'maxitems')
      if (unknown !== undefined) return invalid(`query parameter ${unknown}`)
      const start = query.get('dnsname')
      if (query.has('hostedzoneid') && start === undefined) return invalid('hostedzoneid without dnsname')
      const rest = ordered.filter((zone) => start === undefined || reversed(zone) >= reversed(nameOf(start)))
      const size = Math.min(limit, 100)
      const [page, following] = [rest.slice(0, size), rest[size]]
      return send(
        200,
        `<ListHostedZonesByNameResponse xmlns="${NAMESPACE}"><HostedZones>${page.map(zoneXml).join('')}` +
          `</HostedZones>${start === undefined ? '' : `<DNSName>${escape(start)}</DNSName>`}` +
          `<IsTruncated>${following !== undefined}</IsTruncated>` +
          (following === undefined
            ? ''
            : `<NextDNSName>${following}.</NextDNSName>` +
              `<NextHostedZoneId>${zoneIdOf(following)}</NextHostedZoneId>`) +
          `<MaxItems>${size}</MaxItems></ListHostedZonesByNameResponse>`,
      )
    }
    if (path === '/2013-04-01/hostedzone') {
      if (method !== 'GET') return refuse(405, 'MethodNotAllowed', 'method')
      const unknown = only('marker', 'maxitems')
      if (unknown !== undefined) return invalid(`query parameter ${unknown}`)
      const marker = query.get('marker')
      const start = marker === undefined ? 0 : ordered.findIndex((zone) => zoneIdOf(zone) === marker)
      if (start < 0) return refuse(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${marker}`)
      const size = Math.min(limit, 100)
      const following = ordered[start + size]
      return send(
        200,
        `<ListHostedZonesResponse xmlns="${NAMESPACE}"><HostedZones>` +
          `${ordered
            .slice(start, start + size)
            .map(zoneXml)
            .join('')}</HostedZones>` +
          (marker === undefined ? '' : `<Marker>${marker}</Marker>`) +
          `<IsTruncated>${following !== undefined}</IsTruncated>` +
          (following === undefined ? '' : `<NextMarker>${zoneIdOf(following)}</NextMarker>`) +
          `<MaxItems>${size}</MaxItems></ListHostedZonesResponse>`,
      )
    }
    const [, zoneId] = /^\/2013-04-01\/hostedzone\/(\w+)\/rrset\/?$/.exec(path) ?? []
    if (zoneId === undefined) return refuse(404, 'UnknownOperationException', 'no such path') // no dump
    const zone = world.zones.find((item) => zoneIdOf(item) === zoneId)
    if (zone === undefined) return refuse(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${zoneId}`)

    if (method === 'GET') {
      const unknown = only('name', 'type', 'identifier', 'maxitems')
      if (unknown !== undefined) return invalid(`query parameter ${unknown}`)
      const [name, type] = [query.get('name'), query.get('type')]
      if (type !== undefined && name === undefined) return invalid('type without name')
      if (type !== undefined && !TYPES.includes(type)) return invalid(`type ${type}`)
      const identifier = query.get('identifier')
      if (identifier !== undefined && type === undefined) return invalid('identifier without type')
      const sets = new Map<string, FakeRecord[]>()
      for (const record of world.records.filter((item) => zoneOf(item.name) === zone)) {
        const place = [reversed(record.name), record.type, idOf(record)].join(' ')
        sets.set(place, [...(sets.get(place) ?? []), record])
      }
      const from =
        name === undefined ? '' : [reversed(nameOf(name)), type ?? '', identifier ?? ''].join(' ').trimEnd()
      const rest = [...sets]
        .filter(([place]) => place >= from)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, set]) => set)
      const size = Math.min(limit, 300)
      const [page, following] = [rest.slice(0, size), rest[size]?.[0]]
      return send(
        200,
        `<ListResourceRecordSetsResponse xmlns="${NAMESPACE}"><ResourceRecordSets>` +
          `${page.map(setXml).join('')}</ResourceRecordSets>` +
          `<IsTruncated>${following !== undefined}</IsTruncated>` +
          (following === undefined
            ? ''
            : `<NextRecordName>${escape(shownName(following.name))}</NextRecordName>` +
              `<NextRecordType>${following.type}</NextRecordType>` +
              (idOf(following) === ''
                ? ''
                : `<NextRecordIdentifier>${escape(idOf(following))}</NextRecordIdentifier>`)) +
          `<MaxItems>${size}</MaxItems></ListResourceRecordSetsResponse>`,
      )
    }

    if (method !== 'POST') return refuse(405, 'MethodNotAllowed', 'method')
    if (query.size > 0) return invalid('query parameter of a POST')
    if (world.isReadOnly) return denied('ChangeResourceRecordSets')
    if (!strict.isSentAs('application/xml', request) && !strict.isSentAs('text/xml', request))
      return invalid('content-type')
    const root = parseXml(request.body)
    // no dump
    const malformed = (why: string) => refuse(400, 'MalformedInput', 'Unable to parse request', why)
    if (root?.tag !== 'ChangeResourceRecordSetsRequest') return malformed('XML, root or namespace')
    /** The first element that is not allowed there, or is there twice. */
    const stray = (element: Element, allowed: readonly string[], several = false): string | undefined =>
      element.children.find(
        (item, index) =>
          !allowed.includes(item.tag) ||
          (!several && element.children.findIndex((other) => other.tag === item.tag) !== index),
      )?.tag
    const changeBatch = child(root, 'ChangeBatch')
    const list = child(changeBatch, 'Changes')
    if (changeBatch === undefined || list === undefined || list.children.length === 0)
      return malformed('no Changes')
    const wrong =
      stray(root, ['ChangeBatch']) ??
      stray(changeBatch, ['Comment', 'Changes']) ??
      stray(list, ['Change'], true)
    if (wrong !== undefined) return malformed(`element ${wrong}`)

    const asked: Change[] = []
    for (const item of list.children) {
      const set = child(item, 'ResourceRecordSet')
      const action = textOf(item, 'Action') ?? ''
      if (set === undefined || !['CREATE', 'UPSERT', 'DELETE'].includes(action))
        return malformed(`Action ${action}`)
      const records = child(set, 'ResourceRecords')
      const alias = child(set, 'AliasTarget')
      const other =
        stray(item, ['Action', 'ResourceRecordSet']) ??
        stray(set, ['Name', 'Type', 'TTL', 'ResourceRecords', 'AliasTarget', ...ROUTING]) ??
        (records && stray(records, ['ResourceRecord'], true)) ??
        records?.children.map((record) => stray(record, ['Value'])).find((tag) => tag !== undefined)
      if (other !== undefined) return malformed(`element ${other}`)
      const [fqdn, type] = [textOf(set, 'Name') ?? '', textOf(set, 'Type') ?? '']
      const name = nameOf(fqdn)
      // no dump
      if (!/^(\*|[\w-]+)(\.[\w-]+)*$/.test(name)) return batch(`FATAL problem: InvalidCharacter in '${fqdn}'`)
      if (zoneOf(name) !== zone)
        return batch(`RRSet with DNS name ${name}. is not permitted in zone ${zone}.`)
      if (!TYPES.includes(type)) return invalid(`Type ${type}`)
      const ttl = textOf(set, 'TTL')
      if (
        alias === undefined &&
        (records === undefined || records.children.length === 0 || ttl === undefined)
      )
        return invalid('TTL and ResourceRecords, or AliasTarget, are needed')
      if (ttl !== undefined && (!/^\d+$/.test(ttl) || Number(ttl) > 2147483647)) return invalid(`TTL ${ttl}`)
      const given = (records?.children ?? []).map((record) => textOf(record, 'Value') ?? '')
      for (const value of given)
        if (value === '' || !strict.fitsType(type, value))
          return batch(
            // no dump
            `Invalid Resource Record: 'FATAL problem: ${type}RRDATAIllegalIPv${type === 'A' ? 4 : 6}Address ` +
              `(Value is not a valid IPv${type === 'A' ? 4 : 6} address) encountered with '${value}''`,
          )
      // no dump
      if (new Set(given).size < given.length) return batch(`Duplicate Resource Record: '${given[0]}'`)
      const extra: Record<string, unknown> = Object.fromEntries(
        ROUTING.flatMap((tag) => {
          const text = textOf(set, tag)
          return text === undefined ? [] : [[tag, text]]
        }),
      )
      if (alias !== undefined)
        extra['AliasTarget'] = Object.fromEntries(alias.children.map((part) => [part.tag, part.text.trim()]))
      asked.push({
        action,
        name,
        type,
        id: textOf(set, 'SetIdentifier') ?? '',
        fresh: (alias === undefined ? given : [textOf(alias, 'DNSName') ?? '']).map((value) => ({
          name,
          type,
          value,
          ttl: Number(ttl ?? 0),
          extra,
        })),
      })
    }

    let after = [...world.records]
    for (const { action, name, type, id, fresh } of asked) {
      const isSame = (record: FakeRecord) =>
        record.name === name && record.type === type && idOf(record) === id
      const old = after.filter(isSame)
      if (action === 'CREATE' && old.length > 0)
        return batch(
          `Tried to create resource record set [name='${name}.', type='${type}'] but it already exists`,
        )
      if (action === 'DELETE') {
        const key = (records: readonly FakeRecord[]) =>
          records
            .map((record) => `${record.value} ${record.ttl}`)
            .sort()
            .join()
        if (old.length === 0)
          return batch(
            `Tried to delete resource record set [name='${name}.', type='${type}'] but it was not found`,
          )
        if (key(old) !== key(fresh))
          return batch(
            `Tried to delete resource record set [name='${name}.', type='${type}'] but the values provided ` +
              'do not match the current values',
          )
        after = after.filter((record) => !isSame(record))
        continue
      }
      const beside = after.filter((record) => record.name === name && !isSame(record))
      if (beside.some((record) => record.type === type && (idOf(record) === '') !== (id === '')))
        return batch(
          `RRSet with DNS name ${name}., type ${type} and set identifier ${id || 'null'} cannot be created ` +
            'as sets with and without identifiers are not permitted together',
        ) // no dump
      if (type === 'CNAME' ? beside.some((record) => record.type !== 'CNAME') || name === zone : false)
        return batch(
          `RRSet of type CNAME with DNS name ${name}. is not permitted as it conflicts with other records ` +
            `with the same DNS name in zone ${zone}.`,
        )
      if (beside.some((record) => record.type === 'CNAME' && type !== 'CNAME'))
        return batch(
          `RRSet of type ${type} with DNS name ${name}. is not permitted because a conflicting RRSet of ` +
            `type  CNAME with the same DNS name already exists in zone ${zone}.`,
        )
      after = [...after.filter((record) => !isSame(record)), ...fresh]
    }
    strict.setRecords(world, after)
    return send(
      200,
      `<ChangeResourceRecordSetsResponse xmlns="${NAMESPACE}"><ChangeInfo>` +
        `<Id>/change/C2682N5HXP0BZ${changes++}</Id><Status>PENDING</Status>` +
        '<SubmittedAt>2026-11-27T10:00:00.000Z</SubmittedAt></ChangeInfo>' +
        '</ChangeResourceRecordSetsResponse>',
    )
  }
}

export const route53: FakeService = { id: 'route53', origin: `https://${HOST}`, make }
