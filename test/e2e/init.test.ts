import { PROVIDERS } from '../../src/client/services/providers/providers.ts'
import { encodeName } from '../../src/shared/dns/name.ts'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oneIn, oneOfEach } from '../large.ts'
import { holdfast, LAUNCHER, NODE, type Service, scratch, service } from './processes.ts'
import { echo } from './servers.ts'
import { nameServer } from '../fakes/name-server.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { inTerminal, KEY } from './terminal.ts'

const PASSWORD = 'of "the" key, 1#2'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** A token has no blank. */
const secretFor = (args: readonly string[]): string =>
  `${args.includes('no-ip') ? PASSWORD : PASSWORD.replaceAll(' ', '-')}\n`

/** A configuration in a folder of its own, without questions. */
async function init(folder: string, args: readonly string[], stdin = secretFor(args)) {
  return holdfast(['init', '--output', join(folder, 'holdfast.toml'), ...args], { stdin })
}

const NO_IP = [
  '--provider',
  'no-ip',
  '--username',
  'abc1234',
  '--password-file',
  '-',
  '--hostname',
  'home.example.test',
]

/** Services that take a token and no username, with a hostname of theirs. */
const TOKEN_SERVICES = Object.entries(PROVIDERS)
  .filter(([, { hasNoUsername, apiKey, settings }]) => {
    const text = settings['url'] ?? settings['server'] ?? ''
    return hasNoUsername === true && apiKey === undefined && text.startsWith('https://')
  })
  .map(([provider, { names }]) => {
    const zone = (names?.isClosed === true ? names.suffixes?.[0] : undefined) ?? 'example.com'
    return [provider, zone, names?.isSingle === true] as const
  })

describe('init a second time, where the account has no username', () => {
  it.each(oneOfEach(TOKEN_SERVICES, ([provider]) => provider === 'duckdns' || provider === 'cloudflare'))(
    '%s: another hostname, and another token',
    async (provider, zone, isSingle) => {
      const folder = scratch()
      const args = (label: string) => [
        '--provider',
        provider,
        '--password-file',
        '-',
        '--yes',
        '--hostname',
        `${label}.${zone}`,
      ]
      // Some take no IPv6 address, which is a remark.
      expect(await init(folder, args('one'))).toMatchObject({ code: 0 })
      const second = await init(folder, args('two'), 'another-token-of-the-account\n')
      expect([second.code, second.stderr]).toEqual([0, expect.not.stringContaining('there is no account')])
      expect(second.stdout).not.toContain('undefined')
      const config = join(folder, 'holdfast.toml')
      const lists = [...readFileSync(config, 'utf8').matchAll(/^hostnames = (.*)$/gm)].map(([, list]) => list)
      // Another token is another login, and the first one is kept.
      expect(lists).toEqual([`["one.${zone}"]`, `["two.${zone}"]`])
      const secrets = [...readFileSync(config, 'utf8').matchAll(/^password_file = "(.*)"$/gm)].map(
        ([, path = '']) => readFileSync(path, 'utf8'),
      )
      expect(secrets).toEqual([secretFor(args('one')), 'another-token-of-the-account\n'])
      // The account that the first update is sent for.
      const account = `${provider}-2`
      const sent = await holdfast([
        'update',
        '--dry-run',
        '--config',
        config,
        '--account',
        account,
        '--myip',
        '11.2.3.4',
      ])
      expect([sent.code, sent.stderr]).toEqual([0, expect.not.stringContaining('there is no account')])
      const again = await init(folder, args('two'), 'another-token-of-the-account\n')
      expect(again).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`${account}: nothing to change in `) as string,
      })
      // The same token for one more name, and another one for a name that is there.
      expect(await init(folder, args('three'), 'another-token-of-the-account\n')).toMatchObject({ code: 0 })
      expect(await init(folder, args('one'), 'a-third-token\n')).toMatchObject({ code: 0 })
      const text = readFileSync(config, 'utf8')
      expect(text.match(/^\[\[account\]\]$/gm)).toHaveLength(isSingle ? 3 : 2)
      expect((await holdfast(['config', 'check', '--config', config], {})).code, text).toBe(0)
    },
  )
})

it('init adds a second service, where neither takes a username', async () => {
  const folder = scratch()
  for (const [provider, name] of [
    ['duckdns', 'home.duckdns.org'],
    ['cloudflare', 'home.example.com'],
  ] as const)
    expect(
      await init(folder, ['--provider', provider, '--password-file', '-', '--hostname', name, '--yes']),
    ).toMatchObject({ code: 0, stderr: '' })
  const config = join(folder, 'holdfast.toml')
  expect(readFileSync(config, 'utf8')).toBe(
    `\n[[account]]\nname = "duckdns"\nprovider = "duckdns"\npassword_file = "${folder}/duckdns.password"\nhostnames = ["home.duckdns.org"]\n\n` +
      `[[account]]\nname = "cloudflare"\nprovider = "cloudflare"\npassword_file = "${folder}/cloudflare.password"\nhostnames = ["home.example.com"]\n`,
  )
  expect((await holdfast(['config', 'check', '--config', config])).code).toBe(0)
})

it.each(['home.example.com', 'home'])(
  'init takes out the name %s, which a start refuses, when the right one is added',
  async (wrong) => {
    const folder = scratch()
    const file = join(folder, 'holdfast.toml')
    writeFileSync(join(folder, 'pw'), 'token-1\n', { mode: 0o600 })
    writeFileSync(file, `provider = "duckdns"\npassword_file = "${folder}/pw"\nhostnames = ["${wrong}"]\n`)
    const args = ['--provider', 'duckdns', '--password-file', '-', '--hostname', 'home.duckdns.org', '--yes']
    expect(await init(folder, args, 'token-1\n')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${wrong} is taken out: hostname ${wrong} `) as string,
    })
    expect(readFileSync(file, 'utf8')).toContain('hostnames = ["home.duckdns.org"]')
    expect((await holdfast(['config', 'check', '--config', file], {})).code).toBe(0)
  },
)

describe('init without a terminal', () => {
  it('lists everything that is missing, with the flags', async () => {
    const { code, stderr } = await init(scratch(), [])
    expect(code).toBe(64)
    for (const flag of ['--provider NAME or --server ADDRESS', '--username', '--password-file', '--hostname'])
      expect(stderr).toContain(flag)
  })

  it('completes a label of a service that has one zone, and writes nothing that a start refuses', async () => {
    const folder = scratch()
    const args = (name: string) => ['--provider', 'duckdns', '--password-file', '-', '--hostname', name]
    expect((await init(folder, args('home'))).code).toBe(0)
    const written = readFileSync(join(folder, 'holdfast.toml'), 'utf8')
    expect(written).toContain('hostnames = ["home.duckdns.org"]')
    const other = scratch()
    const refused = await init(other, args('home.example.com'))
    expect([refused.code, refused.stderr, readdirSync(other)]).toEqual([
      64,
      expect.stringContaining('home.example.com is not at DuckDNS'),
      [],
    ])
  })

  it.each(['init', 'import'])('%s understands --config, as the other commands do', async (command) => {
    const config = join(scratch(), 'mine.toml')
    const other = join(scratch(), 'ddclient.conf')
    writeFileSync(other, 'protocol=dyndns2, server=dyn.example.test, login=a, password=b, a.example.test\n')
    const args = command === 'init' ? NO_IP : [other, '--write']
    const ended = await holdfast([command, '--config', config, ...args], { stdin: `${PASSWORD}\n` })
    expect([ended.code, existsSync(config)]).toEqual([0, true])
  })

  it('writes a configuration and a password file that only their owner can read', async () => {
    const folder = scratch()
    const { code, stdout, stderr } = await init(join(folder, 'new'), NO_IP)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [config, password] = [join(folder, 'new/holdfast.toml'), join(folder, 'new/no-ip.password')]
    expect(readFileSync(config, 'utf8')).toBe(
      `name = "no-ip"\nprovider = "no-ip"\nusername = "abc1234"\npassword_file = "${password}"\nhostnames = ["home.example.test"]\n`,
    )
    expect(readFileSync(password, 'utf8')).toBe(`${PASSWORD}\n`)
    expect([mode(config), mode(password), mode(join(folder, 'new'))]).toEqual(['600', '600', '700'])
    expect(stdout).not.toContain(PASSWORD)
    const check = await holdfast(['config', 'check', '--config', config])
    expect(check.code).toBe(0)
  })

  it('shows with --dry-run what would be written, without the password, and writes nothing', async () => {
    const folder = scratch()
    const { code, stdout } = await init(folder, [...NO_IP, '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain('provider = "no-ip"')
    expect(stdout).toContain('«secret»')
    expect(stdout).not.toContain(PASSWORD)
    expect(existsSync(join(folder, 'holdfast.toml'))).toBe(false)
  })

  it('changes a configuration only with --yes, shows the difference, and saves the old one', async () => {
    const folder = scratch()
    const config = join(folder, 'holdfast.toml')
    const old =
      '# mine\nserver = "https://dyn.example.test"\nusername = "first"\npassword_file = "/nonexistent/p"\nhostnames = [\n  "a.example.test",\n  "b.example.test",\n]\ninterval = "10m" # often\n'
    writeFileSync(config, old)

    const refused = await init(folder, NO_IP)
    expect(refused.code).toBe(78)
    expect(refused.stderr).toContain('+ [[account]]')
    expect(readFileSync(config, 'utf8')).toBe(old)

    const changed = await init(folder, [...NO_IP, '--yes'])
    expect(changed.stdout).toContain('+ [[account]]')
    expect(changed.stdout).toContain(`the old one is saved as ${config}.bak`)
    expect(changed.stderr).toContain('/nonexistent/p')
    expect(readFileSync(`${config}.bak`, 'utf8')).toBe(old)
    const text = readFileSync(config, 'utf8')
    expect(text).toContain('# mine\ninterval = "10m" # often\n')
    expect(text).toContain(
      '[[account]]\nname = "first"\nserver = "https://dyn.example.test"\nusername = "first"',
    )
    expect(text).toContain('[[account]]\nname = "no-ip"\nprovider = "no-ip"\nusername = "abc1234"')
    const shown = await holdfast(['config', 'show', '--json', '--config', config, '--account', 'first'], {
      env: { HOLDFAST_PASSWORD: 'x' },
    })
    expect(JSON.parse(shown.stdout)).toMatchObject({
      account: [
        {
          server: 'https://dyn.example.test',
          username: 'first',
          hostnames: ['a.example.test', 'b.example.test'],
        },
      ],
    })
  })

  it('adds a hostname to an account that is there, and replaces its password', async () => {
    const folder = scratch()
    const [config, password] = [join(folder, 'holdfast.toml'), join(folder, 'no-ip.password')]
    await init(folder, NO_IP)
    const before = readFileSync(config, 'utf8')
    const more = [...NO_IP.slice(0, -1), 'www.example.test']

    const refused = await init(folder, more)
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('+ hostnames = ')])
    const added = await init(folder, [...more, '--yes'])
    expect([added.code, added.stderr]).toEqual([0, ''])
    expect(readFileSync(config, 'utf8')).toBe(
      before.replace('["home.example.test"]', '["home.example.test", "www.example.test"]'),
    )
    expect(readFileSync(`${config}.bak`, 'utf8')).toBe(before)
    expect(readFileSync(password, 'utf8')).toBe(`${PASSWORD}\n`)

    const unseen = await init(folder, more, 'the new one\n')
    expect([unseen.code, unseen.stderr]).toEqual([
      78,
      expect.stringContaining(`the new password is written to ${password}`),
    ])
    expect((await init(folder, [...more, '--yes'], 'the new one\n')).code).toBe(0)
    expect([readFileSync(password, 'utf8'), mode(password)]).toEqual(['the new one\n', '600'])
    expect(existsSync(`${password}.bak`)).toBe(false)

    expect((await init(folder, more, 'the new one\n')).stdout).toContain('no-ip: nothing to change')
    expect(existsSync(join(folder, 'no-ip-2.password'))).toBe(false)
  })

  it('removes a hostname, but not the last one of an account, and says that its record stays', async () => {
    const folder = scratch()
    await init(folder, NO_IP)
    await init(folder, [...NO_IP, '--hostname', 'nas.example.test', '--yes'])
    expect((await init(folder, ['--remove', 'nas.example.test'])).code).toBe(78)
    const removed = await init(folder, ['--remove', 'NAS.example.test', '--yes'])
    expect(removed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('stays at its service') as string,
    })
    expect(readFileSync(join(folder, 'holdfast.toml'), 'utf8')).toContain('hostnames = ["home.example.test"]')
    for (const [name, problem] of [
      ['home.example.test', 'is the only hostname of the account no-ip'],
      ['other.example.test', 'is not a hostname of'],
    ] as const)
      expect(await init(folder, ['--remove', name, '--yes'])).toMatchObject({
        code: 78,
        stderr: expect.stringContaining(problem) as string,
      })
  })

  it('takes a password back where the configuration cannot be written, also behind a link', async () => {
    const folder = scratch()
    const [config, password] = [join(folder, 'holdfast.toml'), join(folder, 'no-ip.password')]
    await init(folder, NO_IP)
    renameSync(password, join(folder, 'real'))
    symlinkSync('real', password)
    writeFileSync(join(folder, 'real.bak'), 'of the user\n')
    writeFileSync(`${config}.lock`, '')
    const more = [...NO_IP.slice(0, -1), 'www.example.test', '--yes']
    const { code, stderr } = await init(folder, more, 'the new one\n')
    expect([code, stderr]).toEqual([78, expect.stringMatching(/holdfast\.toml\.lock; nothing is written/)])
    expect(lstatSync(password).isSymbolicLink()).toBe(true)
    expect(readFileSync(password, 'utf8')).toBe(`${PASSWORD}\n`)
    rmSync(`${config}.lock`)
    expect((await init(folder, more, 'the new one\n')).code).toBe(0)
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('the new one\n')
    // The user's own copy stays, and no copy of the old password.
    expect(readdirSync(folder).toSorted()).toEqual(
      ['holdfast.toml', 'holdfast.toml.bak', 'no-ip.password', 'real', 'real.bak'].toSorted(),
    )
    expect(readFileSync(join(folder, 'real.bak'), 'utf8')).toBe('of the user\n')
  })

  it('gives an account a password file of its own, where another one shares the file', async () => {
    const folder = scratch()
    const [config, shared] = [join(folder, 'holdfast.toml'), join(folder, 'shared')]
    writeFileSync(shared, 'of both\n')
    const table = (username: string, server: string): string =>
      `[[account]]\nusername = "${username}"\n${server}\npassword_file = "${shared}"\nhostnames = ["${username}.example.test"]\n`
    const text = `${table('abc1234', 'provider = "no-ip"')}\n${table('two', 'server = "https://dyn.example.test"')}`
    writeFileSync(config, text.replaceAll('\n', '\r\n'))
    expect((await init(folder, [...NO_IP, '--yes'], 'the new one\n')).code).toBe(0)
    expect(readFileSync(shared, 'utf8')).toBe('of both\n')
    const changed = readFileSync(config, 'utf8')
    expect(changed.match(/password_file = "(.*)"/)?.[1]).toBe(join(folder, 'abc1234.password'))
    expect(readFileSync(join(folder, 'abc1234.password'), 'utf8')).toBe('the new one\n')
    expect(changed.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it.each([
    ['a password that is not UTF-8', Buffer.from([0xe4, 0x0a]), 'is not UTF-8'],
    ['an empty one', Buffer.from('\n'), 'is empty'],
  ])('refuses %s', async (_, octets, why) => {
    const folder = scratch()
    const file = join(folder, 'given')
    writeFileSync(file, octets)
    const { code, stderr } = await init(folder, NO_IP.with(5, file))
    expect([code, stderr]).toEqual([64, expect.stringContaining(why)])
  })

  it('says what starts it, where it has started nothing', async () => {
    const { stdout } = await init(scratch(), NO_IP)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^ {2}holdfast run --config .*holdfast\.toml$/)
  })

  it.each(oneIn(2, ['022', '027', '077']))('gives the same rights with the umask %s', async (umask) => {
    const folder = scratch()
    const shell = [`umask ${umask}; exec "$0" "$@"`, process.execPath, LAUNCHER, 'init']
    const output = ['--output', join(folder, 'new/holdfast.toml')]
    const done = await holdfast([...shell, ...output, ...NO_IP], {
      stdin: `${PASSWORD}\n`,
      node: '/bin/sh',
      program: '-c',
    })
    expect([done.code, done.stderr]).toEqual([0, ''])
    const made = ['new/holdfast.toml', 'new/no-ip.password', 'new'].map((path) => mode(join(folder, path)))
    expect(made).toEqual(['600', '600', '700'])
  })

  it('sets up a name server from its address and the file of its key, and writes nothing for a wrong key', async () => {
    const folder = scratch()
    const key = 'key "home-key" {\n\talgorithm hmac-sha256;\n\tsecret "c2VjcmV0MTIzNDU2Nzg=";\n};\n'
    const args = [
      '--server',
      'dns://ns1.example.test',
      '--hostname',
      'home.example.test',
      '--password-file',
      '-',
    ]
    const wrong = await init(folder, [...args, '--username', 'other-key'], key)
    expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining('has the key home-key')])
    const bad = await init(folder, [...args, '--username', 'home-key'], 'not base64!\n')
    expect([bad.code, bad.stderr]).toEqual([78, expect.stringContaining('neither a TSIG secret in Base64')])
    expect(readdirSync(folder)).toEqual([])

    const { code, stderr } = await init(folder, [...args, '--username', 'home-key'], key)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readFileSync(join(folder, 'holdfast.toml'), 'utf8')).toContain('provider = "rfc2136"')
    expect(readFileSync(join(folder, 'rfc2136.password'), 'utf8')).toContain('c2VjcmV0MTIzNDU2Nzg=')
  })

  it('writes nothing if one of the files exists', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'no-ip.password'), 'of another\n')
    const { code, stderr } = await init(folder, NO_IP)
    expect(code).toBe(78)
    expect(stderr).toContain('no-ip.password exists already')
    expect(existsSync(join(folder, 'holdfast.toml'))).toBe(false)
    expect(readFileSync(join(folder, 'no-ip.password'), 'utf8')).toBe('of another\n')
  })

  it('sends a new password to its own service, whatever stands at the top of the file', async () => {
    const folder = scratch()
    const config = join(folder, 'holdfast.toml')
    writeFileSync(
      config,
      'server = "https://dyn.example.test"\npath = "/x"\non_stop = ["/bin/true"]\n\n[[account]]\nusername = "one"\npassword = "p"\nhostnames = ["a.example.test"]\npath = "/own"\n',
    )
    expect((await init(folder, [...NO_IP, '--yes'])).code).toBe(0)
    const env = { HOLDFAST_STATE_DIR: join(folder, 'state') }
    const sent = await holdfast(
      ['update', '--dry-run', '--config', config, '--account', 'no-ip', '--myip', '192.0.2.1'],
      { env },
    )
    expect(sent.stdout).toContain('# to https://dynupdate.no-ip.com')
    const shown = await holdfast(['config', 'show', '--json', '--config', config], { env })
    expect(JSON.parse(shown.stdout)).toMatchObject({
      account: [
        { server: 'https://dyn.example.test', path: '/own', on_stop: ['/bin/true'] },
        { server: 'https://dynupdate.no-ip.com', path: '/nic/update', on_stop: ['/bin/true'] },
      ],
    })
  })

  it('shows no secret of a configuration that exists', async () => {
    const folder = scratch()
    writeFileSync(
      join(folder, 'holdfast.toml'),
      'interval = "10m"\nserver = "https://dyn.example.test"\nusername = "one"\npassword = "canary-secret"\nwebhook = "https://hooks.example/canary-secret"\nhostnames = ["a.example.test"]\n',
    )
    for (const more of [[], ['--dry-run'], ['--dry-run', '--json'], ['--json']]) {
      const { stdout, stderr } = await init(folder, [...NO_IP, ...more])
      expect(stdout + stderr).toContain('«secret»')
      expect(stdout + stderr).not.toContain('canary-secret')
    }
  })

  it('adds a second key of one service, and the contact', async () => {
    const folder = scratch()
    const other = (name: string, ...more: readonly string[]) => [
      '--server',
      'https://dyn.example.test',
      '--username',
      name,
      '--password-file',
      '-',
      '--hostname',
      `${name}.example.test`,
      '--yes',
      ...more,
    ]
    for (const [name, more] of [
      ['one', []],
      ['two', ['--contact', 'me@example.test']],
      ['three', []],
    ] as const)
      expect((await init(folder, other(name, ...more))).code, name).toBe(0)
    const text = readFileSync(join(folder, 'holdfast.toml'), 'utf8')
    expect(text.match(/\[\[account\]\]/g)).toHaveLength(3)
    expect(text).toContain('contact = "me@example.test"')
    expect((await holdfast(['config', 'check', '--config', join(folder, 'holdfast.toml')])).code).toBe(0)
  })

  it('keeps rights and the place of a file that a link leads to', async () => {
    const folder = scratch()
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real/h.toml'), 'interval = "10m"\n')
    chmodSync(join(folder, 'real/h.toml'), 0o640)
    symlinkSync('real/h.toml', join(folder, 'holdfast.toml'))
    expect((await init(folder, [...NO_IP, '--yes'])).code).toBe(0)
    expect(lstatSync(join(folder, 'holdfast.toml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'real/h.toml'), 'utf8')).toContain('provider = "no-ip"')
    expect(mode(join(folder, 'real/h.toml'))).toBe('640')
  })

  it('loses no account when several run at once', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'holdfast.toml'), 'interval = "10m"\n')
    const names = ['one', 'two', 'three', 'four']
    const all = await Promise.all(
      names.map(async (name) =>
        init(folder, [
          '--server',
          `https://${name}.example.test`,
          '--username',
          name,
          '--password-file',
          '-',
          '--hostname',
          `${name}.example.test`,
          '--yes',
        ]),
      ),
    )
    const text = readFileSync(join(folder, 'holdfast.toml'), 'utf8')
    const done = names.filter((_, at) => all[at]?.code === 0)
    expect(done.length).toBeGreaterThan(0)
    expect(names.filter((name) => text.includes(`username = "${name}"`))).toEqual(done)
    for (const { code, stderr } of all.filter((one) => one.code !== 0))
      expect([code, stderr]).toEqual([
        78,
        expect.stringMatching(/changed meanwhile|another program is changing it/),
      ])
    expect(existsSync(join(folder, 'holdfast.toml.lock'))).toBe(false)
  })

  it('writes the path of a service that has another one', async () => {
    const folder = scratch()
    const server = [
      '--server',
      'https://dyn.example.test/api/update',
      '--username',
      'u',
      '--password-file',
      '-',
    ]
    const done = await init(folder, [...server, '--hostname', 'home.example.test'])
    expect(done.code, done.stderr).toBe(0)
    expect(readFileSync(join(folder, 'holdfast.toml'), 'utf8').split('\n')).toEqual(
      expect.arrayContaining(['server = "https://dyn.example.test"', 'path = "/api/update"']),
    )
    const wrong = await init(scratch(), ['--server', 'https://dyn.example.test/a?b=c'])
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('--server has a query')])
  })

  // biome-ignore format: a table
  const FAMILIES: readonly (readonly [provider: string, publish: string, exit: number, text: string])[] = [
    ['dynv6', 'both', 0,  'dynv6: dynv6 takes no IPv6 address in this protocol, so only IPv4 is published'],
    ['dyn',   'ipv4', 0,  'dyn: Dyn (Oracle) deletes the IPv6 address (AAAA record) of a hostname'],
    ['inwx',  'ipv6', 78, 'holdfast: ipv4 is false, and the service publishes a wrong IPv4 address'],
    ['dynv6', 'ipv6', 78, 'holdfast: ipv4 and ipv6 are both false; set one of them to true'],
  ]
  it.each(oneOfEach(FAMILIES, ([, , exit]) => exit))(
    'says what %s does with the families of --publish %s',
    async (provider, publish, exit, text) => {
      const account = [
        '--provider',
        provider,
        '--username',
        'u',
        '--password-file',
        '-',
        '--hostname',
        'h.example.test',
      ]
      const { code, stderr } = await init(scratch(), [...account, '--publish', publish])
      expect([code, stderr]).toEqual([exit, expect.stringContaining(text)])
    },
  )

  it('says that a password goes in clear text, and with --dry-run how it would run', async () => {
    const flags = ['--username', 'u', '--password-file', '-', '--hostname', 'home.example.test', '--dry-run']
    const plain = await init(scratch(), ['--server', 'http://dyn.example.test', ...flags, '--start', 'cron'])
    expect(plain.stderr).toContain('http://dyn.example.test is not encrypted')
    expect(plain.stdout).toContain(' update --quiet')
    const local = await init(scratch(), ['--server', 'http://127.0.0.1:8245', ...flags, '--start', 'systemd'])
    expect(local.stderr).toBe('')
    expect(local.stdout).toContain('would run holdfast service install')
  })

  it('says where a configuration has a mistake, and leaves it', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'holdfast.toml'), 'server = \n')
    const { code, stderr } = await init(folder, [...NO_IP, '--yes'])
    expect([code, stderr]).toEqual([78, expect.stringMatching(/holdfast\.toml:1: server has no value/)])
    expect(readFileSync(join(folder, 'holdfast.toml'), 'utf8')).toBe('server = \n')
  })

  it('writes one interface, or an order of lines', async () => {
    const folder = scratch()
    const lines = [
      [['wan1'], 'interface = "wan1"'],
      [['wan1', 'eth0 via 192.168.1.1'], 'interface = ["wan1", "eth0 via 192.168.1.1"]'],
    ] as const
    for (const [names, line] of lines) {
      const flags = names.flatMap((name) => ['--interface', name])
      const { code, stdout } = await init(folder, [...NO_IP, ...flags, '--dry-run'])
      expect(code).toBe(0)
      expect(stdout).toContain(line)
    }
    const { code, stderr } = await init(folder, [...NO_IP, '--interface', 'eth0 via home'])
    expect(code).toBe(64)
    expect(stderr).toContain('--interface names a gateway that is no address')
  })

  it('says that a contact of the file stays', async () => {
    const folder = scratch()
    await init(folder, [...NO_IP, '--contact', 'first@mail.test'])
    const more = ['--provider', 'opendns', '--username', 'x', '--password-file', '-', '--hostname', 'My Home']
    const { code, stderr } = await init(folder, [...more, '--contact', 'second@mail.test', '--yes'])
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('contact stays "first@mail.test", as in the file'),
    ])
    expect(readFileSync(join(folder, 'holdfast.toml'), 'utf8')).toContain('hostnames = ["My Home"]')
  })

  it('writes TOML into .toml only', async () => {
    const { code, stderr } = await holdfast(['init', '--output', join(scratch(), 'x.json'), ...NO_IP], {
      stdin: 'x\n',
    })
    expect([code, stderr]).toEqual([64, expect.stringContaining('must be a file that ends in .toml')])
  })

  it('names every wrong value', async () => {
    const { code, stderr } = await init(scratch(), [
      '--provider',
      'no-ipp',
      '--server',
      'x y',
      '--hostname',
      'a!',
      '--publish',
      'all',
      '--start',
      'magic',
      '--password-file',
      '/nonexistent',
    ])
    expect(code).toBe(64)
    for (const part of [
      'did you mean no-ip',
      '--server',
      '--hostname',
      '--publish all is not one of both, ipv4, ipv6',
      '--start magic',
      '--password-file there is no such file',
    ])
      expect(stderr).toContain(part)
  })

  const STARTS = [
    ['cron', `*/5 * * * * ${NODE} ${LAUNCHER} update --quiet`],
    ['openwrt', '/etc/init.d/holdfast enable'],
    ['container', 'HOLDFAST_PROVIDER=no-ip'],
    ['systemd', 'holdfast service install'],
  ] as const
  it.each(oneIn(4, STARTS))('says how it runs with --start %s', async (start, line) => {
    const { code, stdout } = await init(scratch(), [...NO_IP, '--start', start])
    expect(code).toBe(0)
    expect(stdout).toContain(line)
    expect(stdout).not.toContain(PASSWORD)
  })

  it('gives the same as JSON', async () => {
    const folder = scratch()
    const { stdout } = await init(folder, [...NO_IP, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      exit: { code: 0 },
      written: [join(folder, 'no-ip.password'), join(folder, 'holdfast.toml')],
    })
    const missing = await init(folder, ['--json'])
    expect(JSON.parse(missing.stdout)).toMatchObject({ exit: 'usage' })
  })
})

/** A service, and the environment in which its client sees an address. */
async function surroundings() {
  const at = await service()
  const folder = scratch()
  const env = {
    HOLDFAST_STATE_DIR: join(folder, 'state'),
    HOLDFAST_SOURCES: await echo(() => '203.0.113.9'),
    HOLDFAST_AGREEMENT: 'one',
    HOLDFAST_ALLOW: 'documentation',
    HOLDFAST_IPV6: 'no',
  }
  return { at, folder, env, config: join(folder, 'holdfast.toml') }
}

const flagsOf = (at: Service, config: string): readonly string[] => [
  'init',
  '--server',
  at.url,
  '--output',
  config,
]

describe('init in a terminal', () => {
  it('asks, writes, and sends the first update, which is remembered', async () => {
    const { at, env, config } = await surroundings()
    const person = inTerminal(flagsOf(at, config), { env })
    await person.answer('Username', at.username, KEY.enter)
    await person.answer('Password', at.password, KEY.enter)
    await person.answer('Hostnames', 'bad,name!', KEY.enter)
    await person.answer('is not a valid hostname', '\u0015', at.hostnames[0] ?? '', KEY.enter)
    await person.answer('e-mail address', KEY.enter)
    await person.answer('can be reached')
    await person.answer('Write this?', KEY.enter)
    await person.answer('How should Holdfast run', KEY.enter)

    expect(await person.ended, person.shown()).toBe(0)
    expect(person.shown()).toContain('203.0.113.9')
    expect(person.shown()).not.toContain(at.password)
    const again = await holdfast(['update', '--config', config, '--json'], { env })
    expect(JSON.parse(again.stdout)).toMatchObject({
      exit: { code: 0 },
      accounts: [{ hostnames: [{ confirmed: { v4: '203.0.113.9' }, answered: null }] }],
    })
  })

  const LEAVING = [
    ['Ctrl+C', KEY.interrupt],
    ['Ctrl+D', '\u0004'],
    ['Esc', KEY.escape],
  ] as const
  it.each(oneIn(3, LEAVING))('leaves everything as it was after %s', async (_name, key) => {
    const { at, env, config, folder } = await surroundings()
    const person = inTerminal(flagsOf(at, config), { env })
    await person.answer('Username', at.username, KEY.enter)
    await person.answer('Password', key)
    expect(await person.ended).toBe(130)
    expect(existsSync(config)).toBe(false)
    expect(person.shown()).toContain('nothing is written')
    expect(existsSync(join(folder, 'state'))).toBe(false)
  })

  it('asks line by line where the cursor cannot be moved', async () => {
    const { at, env, config } = await surroundings()
    const person = inTerminal(flagsOf(at, config), { env: { ...env, TERM: 'dumb' } })
    await person.answer('Username', at.username, '\n')
    await person.answer('Password', at.password, '\n')
    await person.answer('Hostnames', at.hostnames[0] ?? '', '\n')
    await person.answer('e-mail', '\n')
    await person.answer('Write this?')
    await person.answer('words [test]:', 'write\n')
    await person.answer('How should Holdfast run')
    await person.answer('words [', 'none\n')
    expect(await person.ended, person.shown()).toBe(0)
    expect(readFileSync(config, 'utf8')).toContain(`username = "${at.username}"`)
    expect(person.shown()).not.toContain(at.password)
    const status = await holdfast(['status', '--config', config], { env })
    expect(status.stdout).not.toContain('203.0.113.9')
  })

  it('sends nothing by default where the name has the address already, and shows what is sent for other letters', async () => {
    const { at, env, config } = await surroundings()
    const server = await nameServer(({ name, type }) => ({
      answers:
        type === RR_TYPES.A ? [{ owner: encodeName(name), type, rdata: Buffer.from([203, 0, 113, 9]) }] : [],
    }))
    const verifying = { ...env, HOLDFAST_VERIFY: undefined, HOLDFAST_VERIFY_SERVERS: server.endpoint }
    const person = inTerminal(flagsOf(at, config), { env: verifying })
    await person.answer('Username', at.username, KEY.enter)
    await person.answer('Password', at.password, KEY.enter)
    await person.answer('Hostnames', 'bücher.example.test', KEY.enter)
    await person.answer('bücher.example.test is xn--bcher-kva.example.test')
    await person.answer('e-mail address', KEY.enter)
    await person.answer('xn--bcher-kva.example.test has this address already')
    await person.answer('Write this? The names have this address already', KEY.enter)
    await person.answer('How should Holdfast run', KEY.enter)
    expect(await person.ended, person.shown()).toBe(0)
    const status = await holdfast(['status', '--config', config], { env })
    expect(status.stdout).toContain('not confirmed yet')
  })

  it('looks nothing up with --no-detect', async () => {
    const { at, env, config } = await surroundings()
    const person = inTerminal([...flagsOf(at, config), '--no-detect'], { env })
    await person.answer('Username', at.username, KEY.enter)
    await person.answer('Password', at.password, KEY.enter)
    await person.answer('Hostnames', at.hostnames[0] ?? '', KEY.enter)
    await person.answer('e-mail address', KEY.enter)
    await person.answer('Write this?', KEY.escape)
    expect(await person.ended).toBe(130)
    expect(person.shown()).not.toContain('Looking up')
  })

  it('says what happened to a service that has ended, and asks again', async () => {
    const { config, env } = await surroundings()
    const person = inTerminal(['init', '--output', config, '--dry-run'], { env })
    const found = person.answer('Take over its settings?', 'n').catch(() => undefined)
    await Promise.race([found, person.answer('Which service')])
    await person.answer('type to search', 'Google')
    await person.answer('not served', KEY.enter)
    await person.answer('ended its dynamic DNS on 2024-07-10')
    await person.answer('Which service', KEY.escape)
    expect(await person.ended).toBe(130)
  })

  it('mends a configuration mistake by mistake, and writes nothing into one that cannot be read', async () => {
    const { config, env, at } = await surroundings()
    const account = `server = "${at.url}"\nusername = "u"\npassword = "swordfish"\n`
    writeFileSync(config, `${account}hosts = ["home.example.test"]\ninterval = "soon"\n`, { mode: 0o600 })
    const person = inTerminal(['init', '--output', config], { env })
    await person.answer('hosts is not a setting')
    await person.answer('What should become of it?', KEY.enter)
    await person.answer('interval is not a duration')
    await person.answer('What should become of it?', KEY.down, KEY.enter)
    await person.answer('The value', '5m', KEY.enter)
    await person.answer('Write this?', KEY.enter)
    await person.answer('Set up an account too?', KEY.enter)
    expect(await person.ended, person.shown()).toBe(0)
    expect(readFileSync(config, 'utf8')).toBe(
      `${account}hostnames = ["home.example.test"]\ninterval = "5m"\n`,
    )
    expect(person.shown()).not.toContain('swordfish')

    writeFileSync(config, 'provider = no-ip\n')
    const refused = inTerminal(['init', '--output', config], { env })
    expect(await refused.ended, refused.shown()).toBe(78)
    expect(refused.shown()).toContain('holdfast.toml:1: write it in quotes')
    expect(readFileSync(config, 'utf8')).toBe('provider = no-ip\n')
  })

  it('finds a service by a part of its name', async () => {
    const { config, env } = await surroundings()
    const person = inTerminal(['init', '--output', config, '--dry-run'], { env })
    const found = person.answer('Take over its settings?', 'n').catch(() => undefined)
    await Promise.race([found, person.answer('Which service')])
    await person.answer('type to search', 'INWX')
    await person.answer('INWX', KEY.enter)
    await person.answer('stands for the hostname', KEY.escape)
    expect(await person.ended).toBe(130)
  })

  it('asks line by line where the terminal has no size', async () => {
    const { config, env } = await surroundings()
    const person = inTerminal(['init', '--provider', 'no-ip', '--output', config, '--no-detect'], {
      env,
      rows: 0,
      columns: 0,
    })
    await person.answer('Username', 'abc1234', KEY.enter)
    await person.answer('Password', KEY.interrupt)
    expect(await person.ended, person.shown()).toBe(130)
  })

  it('takes an address that is typed into the list, once; an entry asks for it', async () => {
    const { config, env } = await surroundings()
    const start = () => {
      const person = inTerminal(['init', '--output', config, '--dry-run', '--no-detect'], { env })
      return { person, found: person.answer('Take over its settings?', 'n').catch(() => undefined) }
    }
    const typed = start()
    await Promise.race([typed.found, typed.person.answer('Which service')])
    await typed.person.answer('type to search', 'https://dyn.example.test/x')
    await typed.person.answer('example.test/x', KEY.enter)
    await typed.person.answer('Username', KEY.escape)
    expect(await typed.person.ended, typed.person.shown()).toBe(130)

    const wrong = start()
    await Promise.race([wrong.found, wrong.person.answer('Which service')])
    await wrong.person.answer('type to search', 'https://me:secret@dyn.example.test')
    await wrong.person.answer('dyn.example.test', KEY.enter)
    await wrong.person.answer('The login in the address is ignored')
    await wrong.person.answer('Username', KEY.escape)
    expect(await wrong.person.ended, wrong.person.shown()).toBe(130)

    const first = start()
    await Promise.race([first.found, first.person.answer('Which service')])
    await first.person.answer('type to search', 'my own')
    await first.person.answer('Search: my own', KEY.enter)
    await first.person.answer('The address of the service', 'https://dyn.example.test/x', KEY.enter)
    await first.person.answer('Username', KEY.escape)
    expect(await first.person.ended, first.person.shown()).toBe(130)
    expect(first.person.shown()).not.toContain('https://https://')
  })
})
