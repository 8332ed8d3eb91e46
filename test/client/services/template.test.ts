import { describe, expect, it } from 'vitest'
import { readClientConfig } from '../../../src/client/settings/read-client.ts'
import { formatComplaint } from '../../../src/shared/settings/setting.ts'
import { parseDocument } from '../../../src/shared/settings/document.ts'
import {
  formatBody,
  formatPattern,
  formatTemplate,
  formatUrl,
  parseBody,
  parsePattern,
  parseTemplate,
  parseUrlTemplate,
} from '../../../src/client/services/template.ts'

describe('a template', () => {
  it.each(['plain', 'a{hostname}b{ipv4}', '{label@}.{zone}', '{{"name":"{hostname}","n":{{}}}}'])(
    '%s is read and written',
    (text) => {
      const parsed = parseTemplate(text)
      expect(parsed.ok && formatTemplate(parsed.value)).toBe(text)
    },
  )

  it.each([
    ['a{host}', /has \{host\}, which is none of \{hostname\} \{zone\}/],
    ['a{', /has a single \{; write \{\{/],
    ['a}', /has a single \}; write \}\}/],
    ['{}', /has \{\}, which is none of/],
  ])('%s is refused', (text, problem) =>
    expect(parseTemplate(text)).toEqual({ ok: false, error: expect.stringMatching(problem) as string }),
  )
})

describe('an address of update requests', () => {
  it.each([
    'https://ddns.example/update?host={hostname}&ip={ipv4}&key={password}',
    'https://ddns.example:8443/u/{password}/?address={ip}&force',
    'http://127.0.0.1:8080/{zone}/{label}',
    'https://ddns.example/u?{hostname}={ipv4}&{hostname}',
  ])('%s is read and written', (text) => {
    const parsed = parseUrlTemplate(text)
    expect(parsed.ok && formatUrl(parsed.value)).toBe(text)
  })

  it.each([
    ['ddns.example/update', /must be an https address/],
    ['ftp://ddns.example/', /must be an https address/],
    ['https://{hostname}/update', /must be an https address/],
    ['https://maria:sesame@ddns.example/u', /contains credentials; write \{username\} and \{password\}/],
    ['https://ddns.example/u?token=abcdef', /has the value of token itself; write token=\{password\}/],
    ['https://ddns.example/u?to%6ben=abcdef', /has the value of to%6ben itself/],
    ['https://ddns.example/u?token=abcdef{hostname}', /has the value of token itself/],
    ['https://ddns.example/u?token={abcdef}', /has \{abcdef\}, which is none of/],
    ['https://ddns.example/u?token={Sesame1}', /has \{…\}, which is none of/],
    ['https://ddns.example/u?ip={ipv4', /has a single \{/],
  ])('%s is refused, and shows no secret', (text, problem) => {
    const parsed = parseUrlTemplate(text)
    expect(parsed).toEqual({ ok: false, error: expect.stringMatching(problem) as string })
    expect(JSON.stringify(parsed)).not.toMatch(/sesame|Sesame1|abcdef(?!\})/)
  })
})

it.each(['host={hostname}&ip={ipv4}', '{{"name":"{hostname}"}}', '[{{"data":"{ip}"}}]'])(
  'the body %s is read and written',
  (text) => {
    const parsed = parseBody(text)
    expect(parsed.ok && formatBody(parsed.value)).toBe(text)
  },
)

it('a JSON body with the value of a secret is refused', () =>
  expect(parseBody('{{"name":"{hostname}","api_key":"abcdef"}}')).toEqual({
    ok: false,
    error: expect.stringContaining('has the value of api_key itself') as string,
  }))

describe('a pattern', () => {
  it.each(['^OK\\b', 'raw:<a>', 'json:a.b=c'])('%s is read and written', (text) => {
    const parsed = parsePattern(text)
    expect(parsed.ok && formatPattern(parsed.value)).toBe(text)
  })

  it.each([
    ['(', /is not a regular expression/],
    ['', /is empty/],
    ['.*', /matches an empty answer/],
    ['json:a', /must be json:MEMBER=VALUE/],
    ['^(a+)+$', /repeats a group/],
    ['^(a|b){2,}$', /repeats a group/],
  ])('%j is refused', (text, problem) =>
    expect(parsePattern(text)).toEqual({ ok: false, error: expect.stringMatching(problem) as string }),
  )
})

const read = (text: string) => {
  const config = readClientConfig({
    flags: {},
    environment: {},
    chosen: [],
    file: { name: 'h.toml', document: parseDocument(text, 'h.toml') },
  })
  return config.ok ? config.value.accounts : config.error.map(formatComplaint)
}

const URL_LINE = 'url = "https://ddns.example/update?host={hostname}&ip={ipv4}&key={password}"\n'
const REST = 'hostnames = ["home.example.test"]\npassword = "p"\n'

describe('an account with url', () => {
  it('needs no server, path or username, and sends one hostname at a time', () =>
    expect(read(`${URL_LINE}success = ["^OK"]\n${REST}`)).toMatchObject([
      {
        server: 'https://ddns.example',
        username: 'none',
        batch: 1,
        nohostStops: 'hostname',
        families: 'together',
      },
    ]))

  it('has the name of the account in the place of a username, and each family apart with {ip}', () =>
    expect(
      read(`name = "cabin"\nurl = "https://ddns.example/u/{password}?a={ip}"\nsuccess = ["^OK"]\n${REST}`),
    ).toMatchObject([{ username: 'cabin', families: 'apart' }]))

  it('needs a username where a header has it', () =>
    expect(
      read(
        `url = "https://ddns.example/u"\nheaders = ["Authorization: Basic {basic}"]\nsuccess = ["^OK"]\n${REST}`,
      ),
    ).toEqual([expect.stringContaining('username is missing')]))

  it('needs no password where the request has none', () =>
    expect(
      read(
        'url = "https://ddns.example/u?h={hostname}"\nsuccess = ["^OK"]\nhostnames = ["a.example.test"]\n',
      ),
    ).toMatchObject([{ server: 'https://ddns.example' }]))

  it('sends the families that its places are for', () => {
    const sent = (url: string) => read(`url = "https://ddns.example/u${url}"\nsuccess = ["^OK"]\n${REST}`)
    expect(sent('?k={password}&a={ipv4}')).toMatchObject([{ ipv4: true, ipv6: false }])
    expect(sent('?k={password}&a={ipv6}')).toMatchObject([{ ipv4: false, ipv6: true }])
    expect(sent('?k={password}&t={type}&a={ipv4}&b={ipv6}')).toMatchObject([
      { ipv4: true, ipv6: true, families: 'apart' },
    ])
    expect(sent('?k={password}')).toMatchObject([{ myip: 'connection' }])
    expect(sent('?k={password}&a={ipv4}"\nmyip = ["192.0.2.1", "2001:db8::1"]#')).toMatchObject([
      { ipv6: false },
    ])
  })

  it.each([
    ['ipv6 = true', '&a={ipv4}', 'h.toml:2: ipv6 is true, and url has no placeholder for it'],
    ['ipv4 = true', '&a={ipv6}', 'h.toml:2: ipv4 is true, and url has no placeholder for it'],
    ['myip = "connection"', '&a={ip}', 'h.toml:2: myip = "connection" sends no address'],
    ['myip = ["192.0.2.1"]', '', 'h.toml:2: myip has an address, and url has no placeholder for it'],
    ['body = "a={ip}"', '', 'h.toml:2: body needs another method; write method = "POST"'],
    [
      'ipv6_url = "http://ddns.example/u?k={password}&a={ip}"',
      '&a={ip}',
      'h.toml:2: ipv6_url is http, so the secret would go in clear text',
    ],
    ['headers = ["Host: other.example"]', '&a={ip}', 'h.toml:2: headers has a header that sets Host'],
    ['headers = ["X-Api-Key: abcdef"]', '&a={ip}', 'h.toml:2: headers has a header that has the value of'],
  ])('%s contradicts a url with k={password}%s', (line, places, complaint) =>
    expect(
      read(`url = "https://ddns.example/u?k={password}${places}"\n${line}\nsuccess = ["^OK"]\n${REST}`),
    ).toEqual([expect.stringContaining(complaint)]),
  )

  it('has one complaint for a faulty address', () =>
    expect(read(`url = "https://ddns.example/u?k={pass"\nsuccess = ["^OK"]\n${REST}`)).toEqual([
      expect.stringContaining('h.toml:1: url has a single {'),
    ]))

  it('is nearer than a service at the top of the file', () =>
    expect(
      read(
        `server = "https://other.example"\nbatch = 5\nfamilies = "together"\nusername = "u"\n[[account]]\n${URL_LINE}success = ["^OK"]\n${REST}`,
      ),
    ).toMatchObject([{ server: 'https://ddns.example', username: 'u' }]))

  it.each([
    ['success is missing', URL_LINE, 'h.toml:1: success is missing: an unknown answer may come from'],
    [
      'server',
      `${URL_LINE}server = "https://a.example"\nsuccess = ["x"]\n`,
      'h.toml:2: url and server are both set; keep one',
    ],
    [
      'path',
      `${URL_LINE}path = "/x"\nsuccess = ["x"]\n`,
      'h.toml:2: path is for services that speak /nic/update, and this one has another protocol; remove it',
    ],
    [
      'in clear text',
      'url = "http://ddns.example/u?k={password}"\nsuccess = ["x"]\n',
      'h.toml:1: url is http, so the secret would go in clear text',
    ],
    [
      'offline',
      `${URL_LINE}offline = true\nsuccess = ["x"]\n`,
      'h.toml:2: offline is set, and no source confirms that this service supports it',
    ],
    [
      'an unknown word',
      `${URL_LINE}success = ["x"]\nstop = ["bad=wrong"]\n`,
      'h.toml:3: stop has a pattern that must be PATTERN=WORD, where WORD is one of nohost',
    ],
    [
      'a header that is none',
      `${URL_LINE}success = ["x"]\nheaders = ["nonsense"]\n`,
      'h.toml:3: headers has a header that must be NAME: VALUE',
    ],
  ])('%s is refused', (_, text, complaint) =>
    expect(read(`${text}${REST}`)).toEqual(expect.arrayContaining([expect.stringContaining(complaint)])),
  )

  it('patterns without url are refused', () =>
    expect(read(`server = "https://a.example"\nusername = "u"\nsuccess = ["x"]\n${REST}`)).toEqual([
      'h.toml:3: success is for services with url; remove it',
    ]))

  it('goes in clear text to a host of this network', () =>
    expect(read(`url = "http://192.168.1.2/u?k={password}"\nsuccess = ["x"]\n${REST}`)).toMatchObject([
      { batch: 1 },
    ]))
})

describe('a service that manages records', () => {
  const CLOUDFLARE = `provider = "cloudflare"\n${REST}`

  it('is nearer than settings of requests at the top of the file', () =>
    expect(
      read(`batch = 5\n[[account]]\n${CLOUDFLARE}[[account]]\nname = "other"
server = "https://a.example"\nusername = "u"\npassword = "p"\nhostnames = ["a.example.test"]\n`),
    ).toMatchObject([{ batch: 1 }, { batch: 5 }]))

  it('needs a token and hostnames', () =>
    expect(read(CLOUDFLARE)).toMatchObject([
      { server: 'https://api.cloudflare.com', username: 'none', batch: 1 },
    ]))

  it.each([
    [
      'url',
      'url = "https://ddns.example/u"\n',
      'url is for services with url, and cloudflare has its own protocol',
    ],
    [
      'myip = "connection"',
      'myip = "connection"\n',
      'myip = "connection" is for services that take the address of the connection',
    ],
    ['http', 'server = "http://api.example"\n', 'server is http, so the secret would go in clear text'],
    [
      'a setting of /nic/update',
      'parameters = ["a=b"]\n',
      'parameters is for services that speak /nic/update',
    ],
    [
      'two API keys',
      'api_key = "a"\napi_key_file = "b"\n',
      'api_key and api_key_file are both set; keep one',
    ],
  ])('refuses %s', (_, text, complaint) =>
    expect(read(`${text}${CLOUDFLARE}`)).toEqual(
      expect.arrayContaining([expect.stringContaining(complaint)]),
    ),
  )

  it('its settings are refused for /nic/update', () =>
    expect(read(`server = "https://a.example"\nusername = "u"\nzone = "example.test"\n${REST}`)).toEqual([
      'h.toml:3: zone is for services with a protocol other than /nic/update; remove it',
    ]))
})
