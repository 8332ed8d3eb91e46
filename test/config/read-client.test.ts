import { describe, expect, it } from 'vitest'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, parseServer } from '../../src/config/client-settings.ts'
import { parseDocument } from '../../src/config/document.ts'
import { readClientConfig } from '../../src/config/read-client.ts'
import { formatComplaint, fromEnvironment, fromFlags } from '../../src/config/setting.ts'
import { formatSource, parseSource, SOURCE_EXAMPLES } from '../../src/config/source.ts'

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

it('reads the same from JSON', () => {
  const json =
    '{ // with remarks\n "server": "dyn.example", "username": "abc1234", "password": "swordfish", "hostnames": ["home.example.test", "office.example.test"], }'

  const places = (text: string): string => text.replaceAll(/h\.(json|toml):\d+/g, 'h')

  expect(places(JSON.stringify(read({ json })))).toBe(places(JSON.stringify(read({ toml: WHOLE }))))
})

it('takes flags over the environment over the account over the top of the file', () => {
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

it('lets a password from further up outdo a password file from further down', () => {
  const config = read({
    toml: WHOLE.replace('password =', 'password_file ='),
    env: { HOLDFAST_PASSWORD: 'other' },
  })

  expect(config.ok && config.value.accounts[0]?.password?.reveal()).toBe('other')
  expect(config.ok && config.value.accounts[0]?.passwordFile).toBeUndefined()
})

it('complains about everything at once, with file and line', () => {
  const toml = `interval = "3s"\nsevrer = "x"\nipv4 = "perhaps"\nhostnames = ["a b"]\nusername = 5\nrefresh = "1h"\nmyip = ["192.0.2.1", "192.0.2.2"]`

  expect(complaintsOf({ toml })).toEqual([
    'h.toml:2: sevrer is no setting; did you mean server?',
    'h.toml:1: interval is shorter than the least allowed, 1m',
    'server is missing (the update service, such as https://dynupdate.example); give it in h.toml, as --server or HOLDFAST_SERVER',
    'h.toml:5: username must be text in quotes',
    "h.toml:4: hostnames lists 'a b', which holds a blank",
    'h.toml:7: myip names two addresses of one family',
    'h.toml:3: ipv4 is neither true nor false',
    'h.toml:6: refresh is shorter than the least allowed, 1d',
    'password is missing; give it as password_file in h.toml, as --password-file or HOLDFAST_PASSWORD, or to the unit of systemd as a credential',
  ])
})

// biome-ignore format: a table
it.each<[string, Given, string]>([
  ['broken TOML',            { toml: 'a = \n' },                                            'h.toml:1: a has no value'],
  ['broken JSON',            { json: '{"a": }' },                                           'h.json:1: not JSON'],
  ['JSON that is no object', { json: '[]' },                                                'h.json:1: not a JSON object'],
  ['an account that is no list', { toml: `${WHOLE}[account]\nname = "x"` },                 'h.toml:6: account must be a list of tables: write [[account]]'],
  ['an unknown account key', { toml: `${WHOLE}[[account]]\nusrname = "x"` },                'h.toml:7: usrname is no setting; did you mean username?'],
  ['a setting of the program in an account', { toml: `${WHOLE}[[account]]\ninterval = "5m"` }, 'h.toml:7: interval belongs at the top of the file, above [[account]]'],
  ['an account that is not there', { toml: `${WHOLE}[[account]]\nname = "x"`, chosen: ['y'] }, '--account: there is no account y; there are x'],
  ['whose hostname it is',   { toml: `${WHOLE}[[account]]\nusername = "x"\n[[account]]\nusername = "y"`, flags: { hostname: 'a.b' } }, '--hostname: the file has 2 accounts; choose one with --account'],
  ['twins',                  { toml: `${WHOLE}[[account]]\nname = "x"\n[[account]]\nname = "y"` }, 'two accounts are abc1234@dyn.example; put their hostnames into one'],
  ['an account that is not there, with one that has no table', { toml: WHOLE, chosen: ['y'] }, '--account: there is no account y; there are abc1234'],
  ['one name twice',         { toml: `server = "dyn.example"\n[[account]]\nname = "x"\n[[account]]\nname = "x"` }, 'h.toml:5: name x is that of another account too (h.toml:3)'],
  ['a name that is a username', { toml: `server = "dyn.example"\n[[account]]\nname = "x"\n[[account]]\nusername = "x"` }, 'h.toml:3: name x is the username of another account (h.toml:5)'],
  ['both families off',      { toml: `${WHOLE}ipv4 = false\nipv6 = false` },                'h.toml:6: ipv4 and ipv6 are both off; there is nothing to keep current'],
  ['two kinds of password',  { toml: `${WHOLE}password_file = "x"` },                       'h.toml:6: password and password_file are both given; keep one'],
  ['a colon in the username', { toml: WHOLE.replace('abc1234', 'a:b') },                    'h.toml:3: username may not hold a colon, and neither username nor password a control character'],
  ['a User-Agent of no shape', { toml: `${WHOLE}user_agent = "curl/1.0"` },                 'h.toml:6: user_agent does not keep the shape'],
  ['a flag that is given twice', { toml: WHOLE, flags: { interval: ['5m', '6m'] } },         '--interval: interval is given more than once, or as a list'],
])('says what is wrong: %s', (_, given, complaint) => {
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

  expect(complaints.length).toBeGreaterThan(1)
  expect(complaints.join('\n')).not.toContain('swordfish')
})

describe('a server', () => {
  // biome-ignore format: a table
  it.each([
    ['dyn.example',                        { ok: true, value: 'https://dyn.example' }],
    ['http://dyn.example:8245',            { ok: true, value: 'http://dyn.example:8245' }],
    ['https://dyn.example/nic/update',     { ok: true, value: 'https://dyn.example' }],
    ['https://[2001:db8::1]:8443',         { ok: true, value: 'https://[2001:db8::1]:8443' }],
    ['ftp://dyn.example',                  { ok: false, error: 'is neither an https nor an http address' }],
    ['https://user:pass@dyn.example',      { ok: false, error: 'holds credentials; username and password are settings of their own' }],
    ['https://dyn.example/api',            { ok: false, error: 'has a path; /nic/update is added to the bare address' }],
    ['https://',                           { ok: false, error: 'is not the address of a service' }],
  ])('%s', (text, result) => expect(parseServer(text)).toEqual(result))
})

it('takes an empty variable for none', () =>
  expect(read({ toml: WHOLE, env: { HOLDFAST_SERVER: '' } }).ok).toBe(true))

it('chooses an account by the key that is shown, wherever its server stands', () => {
  const toml = 'server = "http://dyn.example:8080"\npassword = "p"\nhostnames = ["a.test"]\n'
  const accounts = '[[account]]\nusername = "a"\n[[account]]\nusername = "b"\n'
  const chosen = ['b@dyn.example:8080']

  expect(read({ toml: toml + accounts, chosen })).toMatchObject({
    ok: true,
    value: { accounts: [{ username: 'b' }] },
  })
  expect(read({ toml: `${toml}username = "b"\n`, chosen })).toMatchObject({ ok: true })
})

it('takes one user at two ports of a host for two accounts', () => {
  const account = (port: number): string =>
    `[[account]]\nname = "${port}"\nserver = "http://dyn.example:${port}"\nusername = "a"\npassword = "p"\nhostnames = ["a.test"]\n`

  expect(complaintsOf({ toml: account(1) + account(2) })).toEqual([])
})

describe('what is special about one hostname', () => {
  const HOSTS = `[[account]]\n${WHOLE}`

  it('is a table of its account', () => {
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
                { name: 'office.example.test', mac: '::5eff:fe00:5301', prefixLength: 64, interface: 'wan1' },
              ],
            },
          ],
        },
      })
  })

  it('belongs to the account that it stands under', () => {
    const config = read({
      toml: `${HOSTS}[[account.host]]\nname = "home.example.test"\n[[account]]\n${WHOLE.replace('abc1234', 'other')}`,
    })

    expect(config.ok && config.value.accounts.map(({ hosts }) => hosts.length)).toEqual([1, 0])
  })

  // biome-ignore format: a table
  it.each([
    ['name = "elsewhere.test"',                              'h.toml:8: host elsewhere.test is not among the hostnames of its account'],
    ['name = "home.example.test"\nsuffix = "192.0.2.1"',     'h.toml:9: suffix is no IPv6 suffix such as ::1:2'],
    ['name = "home.example.test"\nmac = "x"',                'h.toml:9: mac is no MAC address such as 02:00:5e:00:53:01'],
    ['name = "home.example.test"\nsuffix = "::1"\nmac = "02:00:5e:00:53:01"', 'h.toml:10: suffix and mac are both given; keep one'],
    ['name = "home.example.test"\nsufix = "::1"',            'h.toml:9: sufix is no setting; did you mean suffix?'],
    ['suffix = "::1"',                                       'h.toml:8: a host has no name; name one of the hostnames'],
  ])('%j is told', (host, says) => expect(complaintsOf({ toml: `${HOSTS}[[account.host]]\n${host}` })).toContain(says))
})

describe('a source', () => {
  // biome-ignore format: a table
  it.each([
    'router', 'nat-pmp', 'pcp', 'upnp', 'command', 'interfaces', 'interface:eth0',
    'stun:stun.example', 'stun:stun.example:19302', 'stun:[2001:db8::1]', 'stun:192.0.2.1:99',
    'dns:whoami.example@192.0.2.1', 'dns:whoami.example/TXT@ns.example', 'dns:whoami.example/TXT/CH@2001:db8::1',
    'https://ip.example/', 'https://ip.example/ip?format=json#ip', ...SOURCE_EXAMPLES,
  ])('%s is parsed, and formatted the same', (text) => {
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
  ])('%j is not a source', (text) => expect(parseSource(text).ok).toBe(false))
})
