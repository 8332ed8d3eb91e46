import { describe, expect, it } from 'vitest'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../../src/client/settings/client-settings.ts'
import { parseDocument } from '../../../src/shared/settings/document.ts'
import { readHostname } from '../../../src/client/settings/hostname.ts'
import { readClientConfig } from '../../../src/client/settings/read-client.ts'
import { formatComplaint, fromEnvironment } from '../../../src/shared/settings/setting.ts'

const WHOLE =
  'server = "dyn.example"\nusername = "abc1234"\npassword = "p"\nhostnames = ["home.example.test"]\n'

const complaintsOf = (text: string, name = 'h.toml', env: Record<string, string> = {}): readonly string[] => {
  const config = readClientConfig({
    flags: {},
    environment: fromEnvironment({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }, env),
    chosen: [],
    file: { name, document: parseDocument(text, name) },
  })
  return config.ok ? [] : config.error.map(formatComplaint)
}

describe('a file with extreme nesting is a complaint, not a crash', () => {
  const deep = 5000
  // biome-ignore format: a table
  it.each([
    ['h.toml', `ipv6 = true\nhostnames = ${'['.repeat(deep)}${']'.repeat(deep)}`, 2],
    ['h.toml', `ipv6 = true\nhostnames = ${'{a='.repeat(deep)}1${'}'.repeat(deep)}`, 2],
    ['h.json', `{\n"server": ${'['.repeat(deep)}${']'.repeat(deep)}}`, 2],
    ['h.json', '{"a":'.repeat(deep), 1],
  ])('%s', (name, text, line) =>
    expect(complaintsOf(text, name)).toEqual([
      `${name}:${line}: this is nested too deeply; a value may be a list, but not a list of lists`,
    ]))

  it('shortens the quoted line', () =>
    expect(complaintsOf('['.repeat(deep))).toEqual([`h.toml:1: ${'['.repeat(60)}… has no closing bracket ]`]))
})

describe('a TOML syntax error is explained', () => {
  // biome-ignore format: a table
  it.each<[string, string]>([
    ['interval = 5m',                    'write it in quotes: interval = "5m"'],
    ['server = dyn.example # mine',      'write it in quotes: server = "dyn.example"'],
    ['ipv6 = yes',                       'ipv6 must be true or false, in lower case and without quotes'],
    ['ipv6 = True',                      'ipv6 must be true or false, in lower case and without quotes'],
    ['server = "dyn.example',            'server has no closing quote'],
    ['interval = "5m"\ninterval = "6m"', 'interval is set twice; keep one'],
    ['sources = [router, "stun:a.test"]', 'write each in quotes: sources = ["router", "stun:a.test"]'],
    ['sources = ["router" "upnp"]',      'a comma is missing in sources'],
    ['ca_file = "C:\\Users"',            "a backslash in double quotes begins an escape; write ca_file in 'single quotes', or each backslash twice"],
    ['ipv6 = true\n[[account]',          '[[account] has no closing bracket ]'],
    ['ipv6 = true\nsources = ["router",', 'sources has no closing bracket ]'],
    ['interval: 5m',                     'write it with an equals sign: interval = "5m"'],
    ['interval 5m',                      'write it with an equals sign: interval = "5m"'],
    ['interval =',                       'interval has no value'],
  ])('%j', (text, problem) => {
    const [first = ''] = complaintsOf(text)

    expect(first).toBe(`h.toml:${text.split('\n').length}: ${problem}`)
  })
})

// biome-ignore format: a table
it.each<[string, string]>([
  ['{"interval": 5m}',               'h.json:1: not JSON: 5m is not a number, true, false or a text in quotes'],
  ['{\n"interval": yes\n}',          'h.json:2: not JSON: yes is not a number, true, false or a text in quotes'],
  ['{\n"interval": "5m"\n"ipv6": true}', 'h.json:3: not JSON: a comma is missing'],
  ['{"interval" "5m"}',              'h.json:1: not JSON: a colon is missing'],
  ['{"interval": "5m}',              'h.json:1: not JSON: a text has no closing quote'],
  ['{"interval": "5m"',              'h.json:1: not JSON: a closing brace } is missing'],
  ['{"interval": }',                 'h.json:1: not JSON: a value is missing'],
  ['{"interval": "5m",\n"interval": "6m"}', 'h.json:2: interval is set twice; keep one'],
])('a JSON syntax error is explained: %j', (text, complaint) => expect(complaintsOf(text, 'h.json')[0]).toBe(complaint))

// biome-ignore format: a table
it.each([
  ['h.toml', 'password = swordfish'], ['h.toml', 'password: swordfish'], ['h.toml', 'password = "swordfish'],
  ['h.toml', 'passwd = swordfish'], ['h.toml', 'server = https://me:swordfish@dyn.test'], ['h.toml', 'sources = [https://me:swordfish@a.test]'],
  ['h.toml', 'password: "swordfish'], ['h.toml', '"swordfish'],
  ['h.json', '{"password": swordfish}'], ['h.json', '{"password": "swordfish}'], ['h.json', '{"password": swordfish1 2}'],
])('a complaint about a password does not show it: %s, %j', (name, text) => {
  const complaints = complaintsOf(text, name)

  expect(complaints).toHaveLength(1)
  expect(complaints.join()).not.toContain('swordfish')
})

describe('the encoding of the file', () => {
  it.each(['h.toml', 'h.json'])('may start with a byte order mark: %s', (name) =>
    expect(
      complaintsOf(
        name === 'h.toml'
          ? `\uFEFF${WHOLE}`
          : `\uFEFF${JSON.stringify({ server: 'a.test', username: 'a', password: 'p', hostnames: ['a.test'] })}`,
        name,
      ),
    ).toEqual([]),
  )

  it('is a complaint where it is UTF-16', () =>
    expect(complaintsOf(Buffer.from(`\uFEFF${WHOLE}`, 'utf16le').toString('utf8'))).toEqual([
      'h.toml:1: the file is UTF-16; save it as UTF-8',
    ]))

  it('is a complaint with the line where it is another one', () =>
    expect(complaintsOf(Buffer.from(`${WHOLE}name = "b\u00fcro"\n`, 'latin1').toString('utf8'))).toEqual([
      'h.toml:5: a character is not valid UTF-8; save the file as UTF-8',
    ]))
})

// biome-ignore format: a table
it.each<[string, readonly string[]]>([
  ['interval = 300',                 ['interval needs a unit: write "300s" or "5m"']],
  ['interval = "300"',               ['interval needs a unit: write 300s or 5m']],
  ['interval = 5',                   ['interval needs a unit: write "5m"']],
  ['refresh = 28',                   ['refresh needs a unit: write "28d"']],
  ['refresh = "28"',                 ['refresh needs a unit: write 28d']],
  ['interval = 5000000000',          ['interval needs a unit: write "90s", "5m" or "28d"']],
  ['refresh = 0',                    []],
  ['interval = true',                ['interval must be a duration in quotes, such as "5m"']],
  ['interval = "5min"',              []],
  ['refresh = "1w"',                 []],
  ['refresh = "28 days"',            ['refresh is not a duration; write 28d']],
  ['interval = "2 Hours, 5 minutes"', ['interval is not a duration; write 2h5m']],
  ['interval = "soon"',              ['interval is not a duration such as 90s, 5m or 1h30m']],
])('a duration: %s', (line, problems) =>
  expect(complaintsOf(WHOLE + line)).toEqual(problems.map((problem) => `h.toml:5: ${problem}`)),
)

// biome-ignore format: a table
it.each([
  ['user', 'username'], ['login', 'username'], ['pass', 'password'], ['passwd', 'password'],
  ['host', 'hostnames'], ['hosts', 'hostnames'], ['hostname', 'hostnames'], ['intervall', 'interval'],
])('the complaint about %s suggests %s', (key, meant) =>
  expect(complaintsOf(`${WHOLE}${key} = "x"`)).toEqual([`h.toml:5: ${key} is not a setting; did you mean ${meant}?`]),
)

// biome-ignore format: a table
it.each([
  ['[[account]]\ninterval = "5m"',                                   'h.toml:6: interval belongs at the top of the file, above [[account]]'],
  ['[[account]]\nsuffix = "::1"',                                    'h.toml:6: suffix belongs in an [[account.host]] table'],
  ['suffix = "::1"',                                                 'h.toml:5: suffix belongs in an [[account.host]] table'],
  ['[[account]]\n[[account.host]]\nname = "home.example.test"\nusername = "x"', 'h.toml:8: username belongs above [[account.host]], in the account'],
  ['[[account]]\n[[account.host]]\nname = "home.example.test"\nwatch = true', 'h.toml:8: watch belongs at the top of the file, above [[account]]'],
  ['[[account]]\nhost = "home.example.test"',                        'h.toml:6: host must be a list of tables: write [[account.host]]; list names in hostnames'],
])('the complaint about a misplaced setting names the right table: %j', (lines, complaint) => expect(complaintsOf(WHOLE + lines)).toEqual([complaint]))

describe('sources', () => {
  it('have one short complaint per invalid item, and one that lists the valid forms', () => {
    const complaints = complaintsOf(
      `${WHOLE}sources = ["rooter", "stun", "eth0", "dns", "interface", "banana", "router"]`,
    )

    expect(complaints).toEqual([
      "h.toml:5: sources lists 'rooter', which is not a source; did you mean router?",
      "h.toml:5: sources lists 'stun', which names no server; write stun:HOST",
      "h.toml:5: sources lists 'eth0', which is not a source; did you mean interface:eth0?",
      "h.toml:5: sources lists 'dns', which names no server; write dns:NAME@SERVER",
      "h.toml:5: sources lists 'interface', which names no interface; write interface:NAME",
      "h.toml:5: sources lists 'banana', which is not a source",
      expect.stringMatching(/^h\.toml:5: sources may list interfaces, /),
    ])
    for (const complaint of complaints) expect(complaint.length).toBeLessThan(200)
  })

  it('that list command need the setting command', () => {
    expect(complaintsOf(`${WHOLE}sources = ["router", "command"]`)).toEqual([
      'h.toml:5: sources lists command, and command is not set; write command = ["/path/to/program"]',
    ])
    expect(complaintsOf(`${WHOLE}sources = ["command"]\ncommand = ["/bin/x"]`)).toEqual([])
  })

  it('that are of one operator cannot be two that agree', () => {
    const same = 'sources = ["https://a.test/x", "dns:x.test/TXT@a.test"]'
    expect(complaintsOf(`${WHOLE}${same}\nagreement = "two"`)).toEqual([
      'h.toml:6: agreement is two, and sources has one operator, a.test; add a source of another operator, or write agreement = "one"',
    ])
    for (const allowed of [
      same,
      `${same}\nagreement = "one"`,
      'sources = ["https://a.test/x", "router"]\nagreement = "two"',
    ])
      expect(complaintsOf(`${WHOLE}${allowed}`)).toEqual([])
  })
})

describe('an address in myip', () => {
  // biome-ignore format: a table
  it.each([
    ['192.168.1.1', 'private'], ['100.64.0.1', 'cgnat'], ['127.0.0.1', 'loopback'],
    ['169.254.1.1', 'link-local'], ['fd00::1', 'private'], ['224.0.0.1', 'multicast'],
  ])('is a complaint where it is not public, unless its range is allowed: %s', (address, rangeClass) => {
    const [complaint = '', ...more] = complaintsOf(`${WHOLE}myip = "${address}"`)

    expect(complaint).toMatch(new RegExp(`^h\\.toml:5: myip ${address} is not public \\(${rangeClass}: .*write allow = \\["${rangeClass}"\\]$`))
    expect(more).toEqual([])
    expect(complaintsOf(`${WHOLE}myip = "${address}"\nallow = ["${rangeClass}"]`)).toEqual([])
  })

  it.each(['192.0.2.1', '2001:db8::1', '198.18.0.1', '11.2.3.4'])(
    'is accepted where it is public or for documentation: %s',
    (address) => expect(complaintsOf(`${WHOLE}myip = "${address}"`)).toEqual([]),
  )
})

describe('a hostname', () => {
  // biome-ignore format: a table
  it.each<[string, string]>([
    ['a..b.example.test',            'has two dots in a row'],
    ['.example.test',                'begins with a dot'],
    ['@.example.test',               'begins with @, which stands for the zone itself; write example.test'],
    ['192.0.2.1',                    'is an address, not a hostname; set an address to publish as myip'],
    ['[2001:db8::1]',                'is an address, not a hostname; set an address to publish as myip'],
    ['https://home.example.test/x',  'is a URL; write only the name, home.example.test'],
    ['home.example.test/x',          'contains a slash or a colon; write only the name'],
    ['home.example.test:443',        'contains a slash or a colon; write only the name'],
    [`${'a'.repeat(64)}.example.test`, 'has a label of 64 characters; the maximum is 63'],
    [`${'a.'.repeat(127)}test`,      'has 258 characters; the maximum is 253'],
    ['-bad.example.test',            'has a label that begins or ends with a hyphen'],
    ['bad-.example.test',            'has a label that begins or ends with a hyphen'],
    ['home example.test',            'contains a blank'],
    ['home!.example.test',           'is not a valid hostname or group'],
  ])('is rejected with the reason: %s', (name, error) => expect(readHostname(name)).toEqual({ ok: false, error }))

  // biome-ignore format: a table
  it.each([
    ['Home.Example.test',    'home.example.test'],
    ['home.example.test.',   'home.example.test'],
    ['*.example.test',       '*.example.test'],
    ['_acme.example.test',   '_acme.example.test'],
    ['all-hostnames',        'all-hostnames'],
    ['@family',              '@family'],
    ['m\u00fcller.example.test', 'xn--mller-kva.example.test'],
    ['M\u00dcLLER.example.test', 'xn--mller-kva.example.test'],
  ])('is converted to the form of the protocol: %s', (name, value) => expect(readHostname(name)).toEqual({ ok: true, value }))
})

it('a path in the home folder of another user is a complaint', () =>
  expect(complaintsOf(`${WHOLE}ca_file = "~alice/ca.pem"`)).toEqual([
    'h.toml:5: ca_file begins with ~alice, the home folder of another user; write the absolute path',
  ]))

describe('the body of a webhook', () => {
  const withBody = (body: string, type = 'json'): readonly string[] =>
    complaintsOf(
      `${WHOLE}webhook = "https://a.test/"\nwebhook_format = "template"\nwebhook_type = "${type}"\nwebhook_body = '${body}'\n`,
    )

  it.each([
    [
      '{"text": {text}}',
      'h.toml:8: webhook_body is not JSON when its placeholders are filled; write them in quotes: "{text}"',
    ],
    [
      '{"a": "{txt}"}',
      expect.stringContaining('h.toml:8: webhook_body has {txt}, which is none of {text}, {title}, '),
    ],
  ])('is refused: %s', (body, problem) => expect(withBody(body)).toEqual([problem]))

  it.each(['{"text": "{text}", "n": {times}, "t": "{token}"}', '{"a": {}}'])('is accepted: %s', (body) =>
    expect(withBody(body)).toEqual([]),
  )

  it('is not read as JSON where it is none', () => expect(withBody('x={text}', 'form')).toEqual([]))
})
