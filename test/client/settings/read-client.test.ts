import { describe, expect, it } from 'vitest'
import {
  ACCOUNT_SETTINGS,
  CLIENT_SETTINGS,
  parseServer,
  parseServiceAddress,
} from '../../../src/client/settings/client-settings.ts'
import { parseDocument } from '../../../src/shared/settings/document.ts'
import { readClientConfig } from '../../../src/client/settings/read-client.ts'
import { formatComplaint, fromEnvironment, fromFlags } from '../../../src/shared/settings/setting.ts'
import { formatSource, parseSource, SOURCE_EXAMPLES } from '../../../src/client/detect/sources/spec.ts'

const TABLE = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }

interface Given {
  readonly flags?: Record<string, unknown>
  readonly env?: Record<string, string>
  readonly toml?: string
  readonly json?: string
  readonly chosen?: readonly string[]
}

const read = ({ flags = {}, env = {}, toml, json, chosen = [] }: Given) => {
  const [name, text] = json === undefined ? ['h.toml', toml] : ['h.json', json]
  return readClientConfig({
    flags: fromFlags(TABLE, flags),
    environment: fromEnvironment(TABLE, env),
    chosen,
    lookedFor: '/etc/h.toml',
    ...(text !== undefined && { file: { name, document: parseDocument(text, name) } }),
  })
}
const complaintsOf = (given: Given): readonly string[] => {
  const config = read(given)
  return config.ok ? [] : config.error.map(formatComplaint)
}

const WHOLE = `
server = "dyn.example"
username = "abc1234"
password = "swordfish"
hostnames = ["home.example.test", "Office.example.test"]
`

it('reads a file of one account', () => {
  const config = read({ toml: WHOLE })

  expect(config).toMatchObject({
    ok: true,
    value: {
      interval: 300_000,
      accounts: [
        {
          server: 'https://dyn.example',
          username: 'abc1234',
          hostnames: ['home.example.test', 'office.example.test'],
        },
      ],
    },
  })
})

it('reads a label with blanks where the service has labels', () => {
  const labels = WHOLE.replace(/hostnames.*/, 'hostnames = ["My Home", "office"]')
  const config = read({ toml: `${labels}provider = "opendns"` })
  expect(config.ok && config.value.accounts[0]?.hostnames).toEqual(['My Home', 'office'])
})

it('reads the same settings from JSON', () => {
  const json =
    '{ // with remarks\n "server": "dyn.example", "username": "abc1234", "password": "swordfish", "hostnames": ["home.example.test", "office.example.test"], }'

  const places = (text: string): string => text.replaceAll(/h\.(json|toml):\d+/g, 'h')

  expect(places(JSON.stringify(read({ json })))).toBe(places(JSON.stringify(read({ toml: WHOLE }))))
})

it('prefers flags to the environment, to the account table, to the top of the file', () => {
  const toml = `server = "top"\nusername = "top"\npassword = "p"\nhostnames = ["top"]\n[[account]]\nserver = "file"\nusername = "file"\nhostnames = ["file"]`

  const config = read({
    toml,
    env: { HOLDFAST_SERVER: 'env', HOLDFAST_USERNAME: 'env' },
    flags: { server: 'flag' },
  })

  expect(config).toMatchObject({
    ok: true,
    value: { accounts: [{ server: 'https://flag', username: 'env', hostnames: ['file'] }] },
  })
})

it('ignores a password file where a more important origin sets a password', () => {
  const config = read({
    toml: WHOLE.replace('password =', 'password_file ='),
    env: { HOLDFAST_PASSWORD: 'other' },
  })

  expect(config.ok && config.value.accounts[0]?.password?.reveal()).toBe('other')
  expect(config.ok && config.value.accounts[0]?.passwordFile).toBeUndefined()
})

it('finds the file of an API key as that of a password: it may be a credential of the unit', () => {
  const text = `provider = "porkbun"\npassword_file = "/a"\napi_key_file = "/b"\nhostnames = ["home.example.test"]\n`
  const config = readClientConfig({
    flags: {},
    environment: {},
    chosen: [],
    file: { name: 'h.toml', document: parseDocument(text, 'h.toml') },
    passwordFileFor: ({ passwordFile }) => `/run/credentials${passwordFile}`,
  })
  expect(config.ok ? config.value.accounts[0] : config.error).toMatchObject({
    passwordFile: '/run/credentials/a',
    apiKeyFile: '/run/credentials/b',
  })
})

it('reports all complaints together, with file and line', () => {
  const toml = `interval = "3s"\nsevrer = "x"\nipv4 = "perhaps"\nhostnames = ["a b"]\nusername = 5\nrefresh = "1h"\nmyip = ["192.0.2.1", "192.0.2.2"]`

  expect(complaintsOf({ toml })).toEqual([
    'h.toml:2: sevrer is not a setting; did you mean server?',
    'h.toml:1: interval must be between 1m and 7d',
    'server is missing (address of the update service, such as https://dynupdate.example); set it in h.toml, as --server or HOLDFAST_SERVER',
    'h.toml:5: username must be text in quotes',
    'h.toml:7: myip has two addresses of one family; keep one',
    'h.toml:3: ipv4 must be true or false',
    'h.toml:6: refresh must be between 1d and 3650d',
    'password is missing; set password_file in h.toml, --password-file or HOLDFAST_PASSWORD, or a credential of the systemd unit',
    "h.toml:4: hostnames lists 'a b', which contains a blank",
  ])
})

// biome-ignore format: a table
it.each<[string, Given, string]>([
  ['broken TOML',            { toml: 'a = \n' },                                            'h.toml:1: a has no value'],
  ['broken JSON',            { json: '{"a": }' },                                           'h.json:1: not JSON'],
  ['JSON that is not an object', { json: '[]' },                                                'h.json:1: the file is not a JSON object'],
  ['an account that is not a list', { toml: `${WHOLE}[account]\nname = "x"` },                 'h.toml:6: account must be a list of tables: write [[account]]'],
  ['an unknown account key', { toml: `${WHOLE}[[account]]\nusrname = "x"` },                'h.toml:7: usrname is not a setting; did you mean username?'],
  ['a client setting in an account', { toml: `${WHOLE}[[account]]\ninterval = "5m"` }, 'h.toml:7: interval belongs at the top of the file, above [[account]]'],
  ['an unknown account', { toml: `${WHOLE}[[account]]\nname = "x"`, chosen: ['y'] }, '--account: there is no account y; the accounts are x'],
  ['a hostname flag with two accounts', { toml: `${WHOLE}[[account]]\nusername = "x"\n[[account]]\nusername = "y"`, flags: { hostname: 'a.b' } }, '--hostname: the file has 2 accounts; choose one with --account'],
  ['two accounts with one key',  { toml: `${WHOLE}[[account]]\nname = "x"\n[[account]]\nname = "y"` }, 'two accounts are abc1234@dyn.example; merge their hostnames into one'],
  ['one server in two spellings', { toml: `${WHOLE}[[account]]\nname = "x"\n[[account]]\nname = "y"\nserver = "https://DYN.example.:443"` }, 'two accounts are abc1234@dyn.example; merge their hostnames into one'],
  ['an unknown account, where the only account has no table', { toml: WHOLE, chosen: ['y'] }, '--account: there is no account y; the accounts are abc1234'],
  ['a duplicate account name',         { toml: `server = "dyn.example"\n[[account]]\nname = "x"\n[[account]]\nname = "x"` }, 'h.toml:5: name x is also the name of another account (h.toml:3); choose another'],
  ['a name that is a username', { toml: `server = "dyn.example"\n[[account]]\nname = "x"\n[[account]]\nusername = "x"` }, 'h.toml:3: name x is also the username of another account (h.toml:5); choose another'],
  ['both families off',      { toml: `${WHOLE}ipv4 = false\nipv6 = false` },                'h.toml:6: ipv4 and ipv6 are both false; set one of them to true'],
  ['password and password file', { toml: `${WHOLE}password_file = "x"` },                       'h.toml:6: password and password_file are both set; keep one'],
  ['a colon in the username', { toml: WHOLE.replace('abc1234', 'a:b') },                    'h.toml:3: username must not contain a colon, and neither username nor password a control character'],
  ['a malformed User-Agent', { toml: `${WHOLE}user_agent = "curl/1.0"` },                 'h.toml:6: user_agent must have the form'],
  ['an IPv6 server without families apart', { toml: `${WHOLE}ipv6_server = "v6.dyn.example"` }, 'h.toml:6: ipv6_server is for IPv6-only requests; write families = "apart" too'],
  ['two hostnames of one username', { toml: `${WHOLE}hostname_parameter = "none"` }, 'h.toml:5: hostname_parameter is none, so the username stands for one hostname'],
  ['a word in a list of addresses', { toml: `${WHOLE}absent_family = "preserve"` }, 'h.toml:6: absent_family = "preserve" needs a separate parameter for IPv6; set ipv6_parameter'],
  ['a repeated family apart', { toml: `${WHOLE}absent_family = "repeat"\nfamilies = "apart"` }, 'h.toml:6: absent_family = "repeat" is for services that take both families in one request'],
  ['the address of the connection, where both are named', { toml: `${WHOLE}myip = "connection"\nabsent_family = "repeat"` }, 'h.toml:6: absent_family = "repeat" needs addresses, and myip = "connection" sends none'],
  ['no IPv4 address where the service needs one', { toml: `${WHOLE}provider = "inwx"\nipv4 = false` }, 'h.toml:7: ipv4 is false, and the service publishes a wrong IPv4 address'],
  ['a hostname with a blank', { toml: WHOLE.replace(/hostnames.*/, 'hostnames = ["My Home"]') }, "h.toml:5: hostnames lists 'My Home', which contains a blank"],
  ['two hostnames where the username is one', { toml: `${WHOLE}provider = "he"` }, 'h.toml:5: the username belongs to one hostname at he; write an account for each hostname'],
  ['a server at the top and a provider in an account', { toml: `${WHOLE}[[account]]\nprovider = "inwx"\nname = "x"` }, 'h.toml:2: this and provider inwx (h.toml:7) are for different services'],
  ['a provider at the top and a server in an account', { toml: `provider = "inwx"\n[[account]]\nserver = "dyn.example"\nusername = "x"` }, 'h.toml:3: this and provider inwx (h.toml:1) are for different services'],
  ['a server of the environment and a provider of a flag', { toml: '', env: { HOLDFAST_SERVER: 'dyn.example' }, flags: { provider: 'inwx' } }, 'HOLDFAST_SERVER: this and provider inwx (--provider) are for different services'],
  ['a path without a slash', { toml: `${WHOLE}path = "nic/update"` }, 'h.toml:6: path must be a path that begins with a slash, such as /nic/update'],
  ['a path with a query', { toml: `${WHOLE}path = "/update?a=b"` }, 'h.toml:6: path has a query; write only the path, and set other parameters in parameters'],
  ['a path with a blank', { toml: `${WHOLE}path = "/a b"` }, 'h.toml:6: path is not a valid path'],
  ['a path that names a host', { toml: `${WHOLE}path = "//elsewhere.example"` }, 'h.toml:6: path is not a valid path'],
  ['a parameter without a value', { toml: `${WHOLE}parameters = ["system"]` }, "h.toml:6: parameters lists '«secret»', which must be NAME=VALUE, such as system=dyndns"],
  ['a parameter that is set anyway', { toml: `${WHOLE}parameters = ["myip=192.0.2.1"]` }, "h.toml:6: parameters lists 'myip=«secret»', which sets myip, which each request sets itself"],
  ['a secret that is no parameter', { toml: `${WHOLE}parameters = ["a=b", "token=x,y z", "key=a b"]` }, "h.toml:6: parameters lists '«secret»', which must be NAME=VALUE"],
  ['a repeated flag', { toml: WHOLE, flags: { interval: ['5m', '6m'] } },         '--interval: interval must be one value, and is set more than once or as a list'],
])('complains about %s', (_, given, complaint) => {
  expect(complaintsOf(given).some((one) => one.startsWith(complaint)), complaintsOf(given).join('\n')).toBe(true)
})

it('never shows a secret in a complaint', () => {
  const complaints = [
    ...complaintsOf({
      toml: WHOLE.replace('"swordfish"', '"swordfish\\u0000"'),
      env: { HOLDFAST_INTERVAL: 'swordfish' },
    }),
  ]

  complaints.push(...complaintsOf({ toml: `${WHOLE}sources = ["https://u:swordfish@x/"]` }))
  complaints.push(...complaintsOf({ toml: `${WHOLE}parameters = ["token=swordfish !"]` }))
  complaints.push(...complaintsOf({ toml: `${WHOLE}parameters = ["token=x,swordfish"]` }))
  complaints.push(...complaintsOf({ toml: `${WHOLE}parameters = ["token=x,b=swordfish y"]` }))
  for (const line of [
    'parameters = [token=swordfish]',
    'parameters = token=swordfish',
    'parameters = [system=x, token=swordfish]',
    'webhook = https://hooks.example/swordfish',
    'webhook = [https://hooks.example/swordfish]',
    'health_url: https://hc.example/swordfish',
    'webhook https://hooks.example/swordfish',
    'https://hooks.example/swordfish',
    'sources = [https://a/?token=swordfish]',
    '[parameters.token=swordfish]',
  ])
    complaints.push(...complaintsOf({ toml: `${WHOLE}${line}` }))

  expect(complaints.length).toBeGreaterThan(1)
  expect(complaints.join('\n')).not.toContain('swordfish')
})

describe('parseServer', () => {
  // biome-ignore format: a table
  it.each([
    ['dyn.example',                        { ok: true, value: 'https://dyn.example' }],
    ['http://dyn.example:8245',            { ok: true, value: 'http://dyn.example:8245' }],
    ['https://dyn.example/nic/update',     { ok: true, value: 'https://dyn.example' }],
    ['https://[2001:db8::1]:8443',         { ok: true, value: 'https://[2001:db8::1]:8443' }],
    ['ftp://dyn.example',                  { ok: false, error: 'must be an https or http address' }],
    ['https://user:pass@dyn.example',      { ok: false, error: 'contains credentials; set them as username and password' }],
    ['https://dyn.example/api',            { ok: false, error: 'has a path; remove it here, and set path instead' }],
    ['https://',                           { ok: false, error: 'must be the address of a service, such as https://dynupdate.example' }],
  ])('reads %s', (text, result) => expect(parseServer(text)).toEqual(result))
})

it('treats an empty variable as unset', () =>
  expect(read({ toml: WHOLE, env: { HOLDFAST_SERVER: '' } }).ok).toBe(true))

it('selects an account by its key, also where the server is set at the top of the file', () => {
  const toml = 'server = "http://dyn.example:8080"\npassword = "p"\nhostnames = ["a.test"]\n'
  const accounts = '[[account]]\nusername = "a"\n[[account]]\nusername = "b"\n'
  const chosen = ['b@dyn.example:8080']

  expect(read({ toml: toml + accounts, chosen })).toMatchObject({
    ok: true,
    value: { accounts: [{ username: 'b' }] },
  })
  expect(read({ toml: `${toml}username = "b"\n`, chosen })).toMatchObject({ ok: true })
})

it('treats one username at two ports of a host as two accounts', () => {
  const account = (port: number): string =>
    `[[account]]\nname = "${port}"\nserver = "http://dyn.example:${port}"\nusername = "a"\npassword = "p"\nhostnames = ["a.test"]\n`

  expect(complaintsOf({ toml: account(1) + account(2) })).toEqual([])
})

describe('the settings of one hostname', () => {
  const HOSTS = `[[account]]\n${WHOLE}`

  it('are read from a table of its account', () => {
    const toml = `${HOSTS}
      [[account.host]]
      name = "Home.example.test"
      suffix = "::1:2/56"
      [[account.host]]
      name = "office.example.test"
      mac = "02:00:5e:00:53:01"
      interface = "wan1"`
    const json = JSON.stringify({
      account: [
        {
          server: 'dyn.example',
          username: 'abc1234',
          password: 'swordfish',
          hostnames: ['home.example.test', 'office.example.test'],
          host: [
            { name: 'home.example.test', suffix: '::1:2/56' },
            { name: 'office.example.test', mac: '02:00:5e:00:53:01', interface: 'wan1' },
          ],
        },
      ],
    })

    for (const given of [{ toml }, { json }])
      expect(read(given)).toMatchObject({
        ok: true,
        value: {
          accounts: [
            {
              hosts: [
                { name: 'home.example.test', suffix: { address: '::1:2', length: 56 } },
                {
                  name: 'office.example.test',
                  mac: '::5eff:fe00:5301',
                  prefixLength: 64,
                  interface: [{ interface: 'wan1' }],
                },
              ],
            },
          ],
        },
      })
  })

  it('belong to the account table above them', () => {
    const config = read({
      toml: `${HOSTS}[[account.host]]\nname = "home.example.test"\n[[account]]\n${WHOLE.replace('abc1234', 'other')}`,
    })

    expect(config.ok && config.value.accounts.map(({ hosts }) => hosts.length)).toEqual([1, 0])
  })

  // biome-ignore format: a table
  it.each([
    ['name = "elsewhere.test"',                              'h.toml:8: host elsewhere.test is not one of the hostnames of its account; add it there or correct it'],
    ['name = "home.example.test"\nsuffix = "192.0.2.1"',     'h.toml:9: suffix must be an IPv6 suffix, such as ::1:2 or ::1:2/56'],
    ['name = "home.example.test"\nmac = "x"',                'h.toml:9: mac must be a MAC address, such as 02:00:5e:00:53:01'],
    ['name = "home.example.test"\nsuffix = "::1"\nmac = "02:00:5e:00:53:01"', 'h.toml:10: suffix and mac are both set; keep one'],
    ['name = "home.example.test"\nsufix = "::1"',            'h.toml:9: sufix is not a setting; did you mean suffix?'],
    ['suffix = "::1"',                                       'h.toml:8: a host has no name; set name to one of the hostnames'],
  ])('complains about %j', (host, complaint) => expect(complaintsOf({ toml: `${HOSTS}[[account.host]]\n${host}` })).toContain(complaint))
})

describe('parseSource', () => {
  // biome-ignore format: a table
  it.each([
    'router', 'nat-pmp', 'pcp', 'upnp', 'command', 'interfaces', 'interface:eth0',
    'stun:stun.example', 'stun:stun.example:19302', 'stun:[2001:db8::1]', 'stun:192.0.2.1:99',
    'dns:whoami.example@192.0.2.1', 'dns:whoami.example/TXT@ns.example', 'dns:whoami.example/TXT/CH@2001:db8::1',
    'https://ip.example/', 'https://ip.example/ip?format=json#ip', ...SOURCE_EXAMPLES,
  ])('accepts %s, and formatSource restores it', (text) => {
    const spec = parseSource(text)

    expect(spec.ok && formatSource(spec.value)).toBe(text)
  })

  it.each([
    'stun:',
    'stun:a b',
    'stun:x:0',
    'stun:x:65536',
    'stun:2001:db8::1',
    'dns:x',
    'dns:@x',
    'dns:a..b@x',
    'dns:x/MX@y',
    '',
    'eth0',
    'interface:',
    'ftp://x/',
    'https://u:p@x/',
    'rooter',
  ])('rejects %s', (text) => expect(parseSource(text).ok).toBe(false))
})

it('a server of a flag replaces that of a preset in the file, with its form', () => {
  const config = read({
    toml: 'provider = "inwx"\nusername = "u"\npassword = "p"\nhostnames = ["h.test"]',
    flags: { server: 'dyn.example' },
  })
  expect(config.ok && config.value.accounts[0]).toMatchObject({
    server: 'https://dyn.example',
    hostnameParameter: 'none',
  })
})

// biome-ignore format: a table
it.each([
  ['https://update.example.org/update', { server: 'https://update.example.org', path: '/update' }],
  ['dyn.example.org/dyn', { server: 'https://dyn.example.org', path: '/dyn' }],
  ['https://dyn.example.org:8245/nic/update', { server: 'https://dyn.example.org:8245' }],
  ['http://dyn.example.org/', { server: 'http://dyn.example.org' }],
])('the address of a service with its path: %s', (text, expected) =>
  expect(parseServiceAddress(text)).toEqual({ ok: true, value: expected }))

it.each(['https://dyn.example.org/a?b=c', 'https://u:p@dyn.example.org/a', 'ftp://dyn.example.org/a'])(
  'no address of a service: %s',
  (text) => expect(parseServiceAddress(text).ok).toBe(false),
)
