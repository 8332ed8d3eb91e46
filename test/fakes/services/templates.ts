import { isIPv4 } from 'node:net'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

/** What one service knows of a request: its parameters by name, decoded. */
interface Asked {
  readonly world: FakeWorld
  readonly of: (name: string) => string | undefined
  readonly request: FakeRequest
}
interface Form {
  readonly id: string
  readonly origin: string
  readonly path: string
  readonly methods?: readonly string[]
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly auth?: 'basic'
  readonly answer: (asked: Asked) => FakeResponse
}

const HTML = 'text/html; charset=utf-8'

const reply = (body: string, why?: string, status = 200, type = HTML) =>
  strict.answerWith({ 'content-type': type })(status, body, why)
const text = (body: string, why?: string, status = 200) =>
  reply(body, why, status, 'text/plain; charset=utf-8')
const json = (body: unknown, why?: string, status = 200) =>
  reply(JSON.stringify(body), why, status, 'application/json')

// no dump: a request that is not in the documents
const badRequest = (why: string, status = 400) =>
  new strict.RefusedRequest(reply('<html><head><title>Bad Request</title></head></html>', why, status))

const decode = (text: string) => {
  const isWellEncoded = /^[\w\-.~!$'()*+,;:@%/?]*$/.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text)
  if (!isWellEncoded) throw badRequest(`not percent-encoded: ${text}`)
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badRequest('escapes are not UTF-8')
  }
}

const readPairs = (text: string) => {
  const found = new Map<string, string>()
  for (const pair of text === '' ? [] : text.split('&')) {
    const place = pair.indexOf('=')
    if (place < 0) throw badRequest(`parameter ${pair} has no value`)
    const name = decode(pair.slice(0, place))
    if (pair.slice(place + 1).includes('=')) throw badRequest(`value of ${name} is not percent-encoded`)
    if (found.has(name)) throw badRequest(`parameter ${name} twice`)
    found.set(name, decode(pair.slice(place + 1)))
  }
  return found
}

const typeOf = (text: string) => (isIPv4(text) ? 'A' : strict.isV6(text) ? 'AAAA' : undefined)

const isName = (text: string) => /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]{2,}$/.test(text)

/** A name that was set up at the service by hand: there is an address record, or it is a zone of its own. */
const isHost = (world: FakeWorld, name: string) =>
  world.zones.includes(name) ||
  world.records.some((record) => record.name === name && ['A', 'AAAA'].includes(record.type))

const isSet = (world: FakeWorld, name: string, address: string) => {
  const found = world.records.filter((record) => record.name === name && record.type === typeOf(address))
  return (
    found.length === 1 &&
    found.every(({ value }) => strict.canonicalAddress(value) === strict.canonicalAddress(address))
  )
}

/** Stores the addresses; true if anything changed. */
const store = (world: FakeWorld, name: string, ...addresses: string[]) => {
  const fresh = addresses.filter((address) => !isSet(world, name, address))
  for (const address of fresh) {
    const type = typeOf(address) ?? 'A'
    const value = strict.canonicalAddress(address)
    const isOwn = (record: FakeRecord) => record.name === name && record.type === type
    const [first, ...others] = world.records.filter(isOwn)
    if (first === undefined) world.records.push({ name, type, value, ttl: 60, extra: {} })
    else first.value = value
    const kept = world.records.filter((record) => !others.includes(record))
    strict.setRecords(world, kept)
  }
  return fresh.length > 0
}

const service = (form: Form): FakeService => ({
  id: form.id,
  origin: form.origin,
  make: (world) =>
    strict.orRefusal((request) => {
      const { method, target, body, headers } = request
      const place = target.indexOf('?')
      const path = place < 0 ? target : target.slice(0, place)
      const query = place < 0 ? '' : target.slice(place + 1)
      if (path !== form.path) throw badRequest(`unknown path ${path}`, 404)
      if (!(form.methods ?? ['GET']).includes(method)) throw badRequest(`method ${method}`, 405)
      if (method === 'GET' && body !== '') throw badRequest('body on GET')
      if (method === 'POST' && query !== '') throw badRequest('query on POST')
      if (method === 'POST' && strict.mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
        throw badRequest('content type')
      if (headers['authorization'] !== undefined && form.auth === undefined) throw badRequest('authorization')
      const parameters = readPairs(method === 'POST' ? body : query)
      for (const name of parameters.keys()) {
        const isKnown = [...form.required, ...form.optional].includes(name)
        if (!isKnown) throw badRequest(`unknown parameter ${name}`)
      }
      for (const name of form.required) {
        if ((parameters.get(name) ?? '') === '') throw badRequest(`parameter ${name} is missing`)
      }
      return form.answer({ world, of: (name) => parameters.get(name), request })
    }),
})

/** The addresses in these parameters, each of its family: at least one. */
const addressesOf = ({ of }: Asked, wrong: (why: string) => FakeResponse, ...pairs: [string, string][]) => {
  const addresses = pairs.flatMap(([parameter, type]) => {
    const text = of(parameter)
    if (text === undefined) return []
    if (type === 'any' ? typeOf(text) !== undefined : typeOf(text) === type) return [text]
    throw new strict.RefusedRequest(wrong(`${parameter} is no address of its family`))
  })
  if (addresses.length > 0) return addresses
  throw new strict.RefusedRequest(wrong('no address'))
}

const namecheapError = (message: string, number: number, text: string, why: string) =>
  reply(
    `<?xml version="1.0" encoding="utf-16"?>
<interface-response>
  <Command>SETDNSHOST</Command>
  <Language>eng</Language>
  <ErrCount>1</ErrCount>
  <errors>
    <Err1>${message}</Err1>
  </errors>
  <ResponseCount>1</ResponseCount>
  <responses>
    <response>
      <Description>${message}</Description>
      <ResponseNumber>${number}</ResponseNumber>
      <ResponseString>${text}</ResponseString>
    </response>
  </responses>
  <Done>true</Done>
  <debug><![CDATA[]]></debug>
</interface-response>`,
    why,
  )

export const namecheap: FakeService = service({
  id: 'namecheap',
  origin: 'https://dynamicdns.park-your-domain.com',
  path: '/update',
  required: ['host', 'domain', 'password', 'ip'],
  optional: [],
  answer: (asked) => {
    const { world, of } = asked
    const [host = '', domain = ''] = [of('host'), of('domain')]
    if (!world.zones.includes(domain)) {
      // no dump of the text, number from a client
      const text = 'Validation error; not found; domain name(s)'
      return namecheapError('Domain name not found', 316153, text, 'unknown domain')
    }
    if (of('password') !== world.password) {
      const text = 'Validation error; invalid ; password'
      return namecheapError('Passwords do not match', 304156, text, 'wrong password')
    }
    const wrong = (why: string) =>
      namecheapError('Invalid IP', 304156, 'Validation error; invalid ; IP Address', why)
    const [address = ''] = addressesOf(asked, wrong, ['ip', 'A'])
    const name = host === '@' ? domain : `${host}.${domain}`
    if (!world.records.some((record) => record.name === name && record.type === 'A')) {
      // only "A record not Found;" is from a dump
      const message = 'No Records updated. A record not Found;'
      return namecheapError(message, 380091, 'No updates; A record not Found;', 'no such A record')
    }
    store(world, name, address)
    return reply(
      '<?xml version="1.0"?><interface-response><Command>SETDNSHOST</Command>' +
        `<Language>eng</Language><IP>${address}</IP><ErrCount>0</ErrCount><ResponseCount>0</ResponseCount>` +
        '<Done>true</Done><debug><![CDATA[]]></debug></interface-response>',
    )
  },
})

export const duckdns: FakeService = service({
  id: 'duckdns',
  origin: 'https://www.duckdns.org',
  path: '/update',
  required: ['domains', 'token'],
  optional: ['ip', 'ipv6', 'verbose'],
  answer: (asked) => {
    const { world, of } = asked
    const ko = (why: string) => reply('KO', why)
    if (of('token') !== world.password) return ko('wrong token')
    if (![undefined, 'true'].includes(of('verbose'))) throw badRequest('verbose is not true')
    const labels = (of('domains') ?? '').split(',')
    const names = labels.map((label) => `${label}.duckdns.org`)
    if (!labels.every((label) => /^[a-z0-9-]+$/.test(label))) return ko('domains are not labels')
    if (!names.every((name) => isHost(world, name))) return ko('unknown name')
    const addresses = addressesOf(asked, ko, ['ip', 'A'], ['ipv6', 'AAAA'])
    const changes = names.map((name) => store(world, name, ...addresses))
    if (of('verbose') === undefined) return reply('OK')
    const echo = (name: string) => of(name) ?? ''
    return reply(`OK\n${echo('ip')}\n${echo('ipv6')}\n${changes.includes(true) ? 'UPDATED' : 'NOCHANGE'}`)
  },
})

const zoneeditAnswer =
  (hostParameter: string, ipParameter: string) =>
  (asked: Asked): FakeResponse => {
    const { world, of, request } = asked
    const { authorization } = request.headers
    const host = of(hostParameter) ?? ''
    const failed = (code: number, text: string, why: string, zone = host, parameter = '') =>
      reply(`<ERROR CODE="${code}"${parameter} TEXT="${text}" ZONE="${zone}">`, why)
    if (authorization === undefined) return reply('invalid login', 'no credentials', 401)
    const credentials = Buffer.from(`${world.username}:${world.password}`).toString('base64')
    const isRight = authorization === `Basic ${credentials}`
    const user =
      Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
        .toString()
        .split(':')[0] ?? ''
    if (!isRight) return failed(708, `Failed Login: ${user}`, 'wrong login or token')
    // no dump of 704 and 709
    if (!isName(host)) return failed(704, `Not a valid FQDN: ${host}`, 'no FQDN')
    const zone = strict.zoneOfName(world, host)
    if (zone === undefined) return failed(701, 'Zone is not set up in this account.', 'unknown zone')
    const wrong = (why: string) => failed(709, 'Invalid IP address', why, zone)
    const [address = ''] = addressesOf(asked, wrong, [ipParameter, 'A'])
    if (!isHost(world, host)) return failed(709, `Invalid hostname: ${host}`, 'no such host', zone)
    return store(world, host, address)
      ? reply(`<SUCCESS CODE="200" TEXT="${host} updated to ${address}" ZONE="${zone}">`)
      : reply(`<SUCCESS CODE="201" TEXT="No records need updating." ZONE="${zone}">`)
  }

export const zoneedit: FakeService = service({
  id: 'zoneedit',
  origin: 'https://api.cp.zoneedit.com',
  path: '/dyn/generic.php',
  required: ['hostname', 'myip'],
  optional: [],
  auth: 'basic',
  answer: zoneeditAnswer('hostname', 'myip'),
})

/** The older form of ZoneEdit, at another host. */
export const zoneeditOlder: FakeService = service({
  id: 'zoneedit',
  origin: 'https://dynamic.zoneedit.com',
  path: '/auth/dynamic.html',
  required: ['host', 'dnsto'],
  optional: [],
  auth: 'basic',
  answer: zoneeditAnswer('host', 'dnsto'),
})

const ddnssPage = (content: string, why?: string) =>
  reply(
    `<head>
<meta name="robots" content="noindex">
<title>DDNSS - Kostenloser DynDNS Service : Re-ProutDNS v5.01v</title>
</head>
<body>
<p><font face="Verdana" size="2"></font></p>
${content}
</body>
`,
    why,
  )
const ddnssError = (text: string, why: string) =>
  ddnssPage(
    `<p><font face="Verdana" size="2">Error Occurred While Processing Request :</font></p>
<blockquote>
    <font face="Verdana" size="2">- ${text}</font></blockquote>`,
    why,
  )

export const ddnss: FakeService = service({
  id: 'ddnss',
  origin: 'https://www.ddnss.de',
  path: '/upd.php',
  required: ['key', 'host'],
  optional: ['ip', 'ip6'],
  answer: (asked) => {
    const { world, of } = asked
    const host = of('host') ?? ''
    if (of('key') !== world.password) {
      return ddnssError(
        'badauth : Die Authorisation ist fehlgeschlagen. Die Parameter username und/oder ' +
          'password sind falsch.',
        'wrong key',
      )
    }
    if (!isName(host) || !isHost(world, host)) {
      return ddnssError('notfqdn : Hostname fehlt oder ist falsch.', 'unknown host')
    }
    const wrong = (why: string) => ddnssError('badysys : Der System Parameter ist ungültig.', why)
    store(world, host, ...addressesOf(asked, wrong, ['ip', 'A'], ['ip6', 'AAAA']))
    // the same page when nothing changed (openwrt/packages#8013, 2019-01-22)
    return ddnssPage('<p><font face="Verdana" size="2">Updated 1 hostname.</font></p>')
  },
})

export const dynv6: FakeService = service({
  id: 'dynv6',
  origin: 'https://dynv6.com',
  path: '/api/update',
  required: ['token'],
  optional: ['zone', 'hostname', 'Hostname', 'ipv4', 'ipv6', 'ipv6prefix'],
  answer: (asked) => {
    const { world, of } = asked
    const names = ['zone', 'hostname', 'Hostname'].flatMap((parameter) => of(parameter) ?? [])
    if (names.length !== 1) throw badRequest('one of zone, hostname and Hostname is needed')
    const [name = ''] = names
    // no dump of these two texts
    if (of('token') !== world.password) return text('invalid authentication token', 'wrong token', 401)
    if (!isHost(world, name)) return text('zone not found', 'unknown zone', 404)
    const withoutLength = (parameter: string) => of(parameter)?.replace(/(?<=:.*)\/\d{1,3}$/, '')
    const wrong = (why: string) => text('invalid address', why, 400) // no dump
    const addresses = addressesOf({ ...asked, of: withoutLength }, wrong, ['ipv4', 'A'], ['ipv6', 'AAAA'])
    return text(`addresses ${store(world, name, ...addresses) ? 'updated' : 'unchanged'}`)
  },
})

const isSameToken = (encoded: string, token: string) => {
  try {
    return decodeURIComponent(encoded) === token
  } catch {
    return false
  }
}

const freednsService = (origin: string, type: 'A' | 'AAAA'): FakeService => ({
  id: 'freedns',
  origin,
  make: (world) => (request) => {
    const token = /^\/u\/([^/?]+)\/\?/.exec(request.target)?.[1] ?? 'TOKEN'
    const isToken = isSameToken(token, world.password)
    return service({
      id: 'freedns',
      origin,
      path: `/u/${token}/`,
      required: ['address'],
      optional: [],
      answer: (asked) => {
        if (!isToken) {
          return text("Couldn't find any matching DNS records via randomkey method!\n", 'wrong token')
        }
        const wrong = (why: string) =>
          text(`ERROR: ${asked.of('address') ?? ''} is an invalid IP address\n`, why)
        const [address = ''] = addressesOf(asked, wrong, ['address', type])
        // one token is one record: here the first one of this world
        const own =
          world.records.find((record) => record.type === type) ??
          world.records.find((record) => ['A', 'AAAA'].includes(record.type))
        const name = own?.name ?? world.zones[0]
        if (name === undefined) {
          return text(
            'ERROR: Unable to locate this record (changed password recently? deleted and ' +
              're-created this dns entry?) (double check username/password are correct)\n',
            'no record',
          )
        }
        const before =
          world.records.find((record) => record.name === name && record.type === type)?.value ?? ''
        return store(world, name, address)
          ? text(`Updated ${name} from ${before} to ${address} in 0.326 seconds\n`) // no dump
          : text(`No IP change detected for ${name} with IP ${address}, skipping update\n`)
      },
    }).make(world)(request)
  },
})

export const freedns: FakeService = freednsService('https://sync.afraid.org', 'A')

/** FreeDNS takes an IPv6 address at another host. */
export const freednsV6: FakeService = freednsService('https://v6.sync.afraid.org', 'AAAA')

export const keySystems: FakeService = service({
  id: 'key-systems',
  origin: 'https://dynamicdns.key-systems.net',
  path: '/update.php',
  required: ['hostname', 'password', 'ip'],
  optional: [],
  answer: (asked) => {
    const { world, of } = asked
    const host = of('hostname') ?? ''
    const response = (code: number, description: string, why?: string) =>
      text(
        '[RESPONSE]\n' +
          `code = ${code}\ndescription = ${description}\nqueuetime = 0\nruntime = 0.084\nEOF\n`,
        why,
      )
    // no dump of the refusals: the first is from a client, in lower case
    if (of('password') !== world.password) return response(530, 'Authorization failed', 'wrong password')
    if (!isHost(world, host)) return response(545, 'Entity reference not found', 'unknown host')
    const wrong = (why: string) => response(505, 'Invalid attribute value syntax', why)
    store(world, host, ...addressesOf(asked, wrong, ['ip', 'A']))
    return response(200, 'Command completed successfully')
  },
})

/** The id of a record is in `extra.record` (or `extra.id`) of this world. */
const byRecordId = (world: FakeWorld, id: string | undefined) =>
  world.records.find(
    ({ type, extra }) =>
      type === 'A' && id !== undefined && textOf(extra['record'] ?? extra['id'] ?? '') === id,
  )

export const dnsmadeeasy: FakeService = service({
  id: 'dnsmadeeasy',
  origin: 'https://cp.dnsmadeeasy.com',
  path: '/servlet/updateip',
  required: ['username', 'password', 'id', 'ip'],
  optional: [],
  answer: (asked) => {
    const { world, of } = asked
    const say = text
    if (of('username') !== world.username || of('password') !== world.password) {
      return say('error-auth', 'wrong user or password')
    }
    const record = byRecordId(world, of('id'))
    if (record === undefined) return say('error-record-invalid', 'unknown record')
    const [address = ''] = addressesOf(asked, (why) => say('error', why), ['ip', 'A'])
    if (record.value === address) return say('error-record-ip-same')
    record.value = address
    return say('success')
  },
})

export const regfish: FakeService = service({
  id: 'regfish',
  origin: 'https://dyndns.regfish.de',
  path: '/',
  methods: ['GET', 'POST'],
  required: ['fqdn', 'token'],
  optional: ['forcehost', 'ipv4', 'ipv6'],
  answer: (asked) => {
    const { world, of } = asked
    const name = of('fqdn') ?? ''
    const say = (status: string, code: number, message: string, why?: string) =>
      text(`${status}|${code}|${message}`, why)
    if (![undefined, '0', '1'].includes(of('forcehost'))) throw badRequest('forcehost is not 0 or 1')
    // no dump of the refusals: codes from a client
    if (of('token') !== world.password) return say('error', 402, 'authentication failed!', 'wrong token')
    const isKnown =
      isHost(world, name) || (of('forcehost') === '1' && strict.zoneOfName(world, name) !== undefined)
    if (!isName(name) || !isKnown) return say('error', 412, 'no valid FQDN!', 'unknown name')
    const wrong = (why: string) =>
      say('error', of('ipv6') === undefined ? 408 : 409, 'no valid IP address!', why)
    const addresses = addressesOf(asked, wrong, ['ipv4', 'A'], ['ipv6', 'AAAA'])
    return store(world, name, ...addresses)
      ? say('success', 100, 'update succeeded!')
      : say('success', 101, 'no update needed at this time!') // no dump
  },
})

const njallaUpdate: FakeService = service({
  id: 'njalla',
  origin: 'https://njal.la',
  path: '/update/',
  required: ['h', 'k'],
  optional: ['a', 'aaaa'],
  answer: (asked) => {
    const { world, of } = asked
    const name = of('h') ?? ''
    const say = (body: string, why?: string, status = 200) => reply(body, why, status, 'application/json')
    const isRight = of('k') === world.password && isHost(world, name)
    if (!isRight) return say('{"status": 401, "message": "invalid host or key"}', 'wrong host or key', 401)
    const wrong = (why: string) => say('{"status": 500, "message": "invalid data"}', why, 500)
    store(world, name, ...addressesOf(asked, wrong, ['a', 'A'], ['aaaa', 'AAAA']))
    const value = [
      ['A', of('a')],
      ['AAAA', of('aaaa')],
    ]
      .flatMap(([type, address]) => (address === undefined ? [] : [`"${type ?? ''}": "${address}"`]))
      .join(', ')
    return say(`{"status": 200, "message": "record updated", "value": {${value}}}`)
  },
})

export const njalla: FakeService = {
  ...njallaUpdate,
  make: (world) => (request) => {
    // without the slash the service redirects (qdm12/ddns-updater#978, 2025-04-13)
    if (!request.target.startsWith('/update?')) return njallaUpdate.make(world)(request)
    const location = request.target.replace('/update?', '/update/?')
    return { status: 301, headers: { location, 'x-fake-why': 'path without its last slash' }, body: '' }
  },
}

export const dynadot: FakeService = service({
  id: 'dynadot',
  origin: 'https://www.dynadot.com',
  path: '/set_ddns',
  required: ['containRoot', 'domain', 'type', 'ip', 'pwd', 'ttl'],
  optional: ['subDomain'],
  answer: (asked) => {
    const { world, of } = asked
    const failed = (
      message: string,
      why: string, // no dump
    ) => json({ status: 'failed', error_code: -1, content: [message] }, why)
    const [domain = '', label = '', type = ''] = [of('domain'), of('subDomain'), of('type')]
    const isRoot = of('containRoot') === 'true'
    if (!isRoot && of('containRoot') !== 'false') throw badRequest('containRoot is not true or false')
    if (!['A', 'AAAA'].includes(type)) throw badRequest('type is not A or AAAA')
    if (!/^\d+$/.test(of('ttl') ?? '')) throw badRequest('ttl is not a number')
    if (!isRoot && label === '') throw badRequest('neither root nor subdomain')
    if (!world.zones.includes(domain)) return failed('domain not found', 'unknown domain')
    if (of('pwd') !== world.password) return failed('password is wrong', 'wrong password')
    const addresses = addressesOf(asked, (why) => failed('ip is invalid', why), ['ip', type])
    const names = [...(isRoot ? [domain] : []), ...(label === '' ? [] : [`${label}.${domain}`])]
    for (const name of names) {
      store(world, name, ...addresses)
      for (const record of world.records) {
        if (record.name === name && record.type === type) record.ttl = Number(of('ttl'))
      }
    }
    return json({ status: 'success' })
  },
})

export const dondominio: FakeService = service({
  id: 'dondominio',
  origin: 'https://dondns.dondominio.com',
  path: '/json/',
  required: ['user', 'host', 'ip'],
  optional: ['password', 'apikey', 'lang'],
  answer: (asked) => {
    const { world, of } = asked
    const host = of('host') ?? ''
    // the page names apikey, the clients send password
    const keys = ['password', 'apikey'].flatMap((parameter) => of(parameter) ?? [])
    if (keys.length !== 1) throw badRequest('one of password and apikey is needed')
    // the message is from a dump, the form from a client
    const failed = (why: string) => json({ success: false, messages: ['Incorrect data'] }, why)
    if (of('user') !== world.username || keys[0] !== world.password) return failed('wrong user or key')
    if (!isHost(world, host)) return failed('unknown host')
    store(world, host, ...addressesOf(asked, failed, ['ip', 'A']))
    return json({ success: true, messages: [] }) // no dump
  },
})

export const sitelutions: FakeService = service({
  id: 'sitelutions',
  origin: 'https://api2.sitelutions.com',
  path: '/dnsup',
  required: ['id', 'user', 'pass', 'ip'],
  optional: [],
  answer: (asked) => {
    const { world, of } = asked
    const say = text
    // no dump of the refusals
    const isRight = of('user') === world.username && of('pass') === world.password
    if (!isRight) return say('noauth', 'wrong user or password')
    const record = byRecordId(world, of('id'))
    if (record === undefined) return say('norecord', 'unknown record')
    const [address = ''] = addressesOf(asked, (why) => say('badip', why), ['ip', 'A'])
    record.value = address
    return say('success')
  },
})

export const goip: FakeService = service({
  id: 'goip',
  origin: 'https://www.goip.de',
  path: '/setip',
  required: ['username', 'password', 'subdomain'],
  optional: ['ip', 'ip6', 'shortResponse'],
  answer: (asked) => {
    const { world, of } = asked
    const name = of('subdomain') ?? ''
    if (![undefined, 'true', 'false'].includes(of('shortResponse'))) throw badRequest('shortResponse')
    const denied = (why: string) => reply('Zugriff verweigert', why)
    const isRight = of('username') === world.username && of('password') === world.password
    if (!isRight) return denied('wrong user or password')
    if (!isHost(world, name)) return denied('unknown name') // no dump
    const addresses = addressesOf(asked, denied, ['ip', 'A'], ['ip6', 'AAAA'])
    store(world, name, ...addresses)
    return reply(addresses.map((address) => `${name} (${address})`).join('\n'))
  },
})

export const freemyip: FakeService = service({
  id: 'freemyip',
  origin: 'https://freemyip.com',
  path: '/update',
  required: ['token', 'domain'],
  optional: ['myip', 'verbose'],
  answer: (asked) => {
    const { world, of } = asked
    const name = of('domain') ?? ''
    const failed = (why: string) => text('ERROR', why)
    if (![undefined, 'yes'].includes(of('verbose'))) throw badRequest('verbose is not yes')
    if (of('token') !== world.password || !isHost(world, name)) return failed('wrong token or name')
    store(world, name, ...addressesOf(asked, failed, ['myip', 'any']))
    return text('OK')
  },
})
