import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdfast, type Service, scratch, service } from './processes.ts'
import { echo } from './servers.ts'
import { inTerminal, KEY } from './terminal.ts'

const PASSWORD = 'of "the" key, 1#2'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** A configuration in a folder of its own, without questions. */
async function init(folder: string, args: readonly string[], stdin = `${PASSWORD}\n`) {
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

describe('init without a terminal', () => {
  it('lists everything that is missing, with the flags', async () => {
    const { code, stderr } = await init(scratch(), [])
    expect(code).toBe(64)
    for (const flag of ['--provider NAME or --server ADDRESS', '--username', '--password-file', '--hostname'])
      expect(stderr).toContain(flag)
  })

  it('writes a configuration and a password file that only their owner can read', async () => {
    const folder = scratch()
    const { code, stdout, stderr } = await init(join(folder, 'new'), NO_IP)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [config, password] = [join(folder, 'new/holdfast.toml'), join(folder, 'new/no-ip.password')]
    expect(readFileSync(config, 'utf8')).toBe(
      `provider = "no-ip"\nusername = "abc1234"\npassword_file = "${password}"\nhostnames = ["home.example.test"]\n`,
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

  it('refuses an account that is there already', async () => {
    const folder = scratch()
    await init(folder, NO_IP)
    const { code, stderr } = await init(folder, [...NO_IP, '--yes'])
    expect(code).toBe(78)
    expect(stderr).toContain('abc1234')
    expect(existsSync(join(folder, 'no-ip-2.password'))).toBe(false)
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

  it('names every wrong value', async () => {
    const { code, stderr } = await init(scratch(), [
      '--provider',
      'no-ipp',
      '--server',
      'x y',
      '--hostname',
      'a b',
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

  it.each([
    ['cron', '*/5 * * * * holdfast update --quiet'],
    ['openwrt', '/etc/init.d/holdfast enable'],
    ['container', 'HOLDFAST_PROVIDER=no-ip'],
    ['systemd', 'holdfast service install'],
  ])('says how it runs with --start %s', async (start, line) => {
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
    await person.answer('Hostnames', 'bad name!', KEY.enter)
    await person.answer('is not a valid hostname', '\u0015', at.hostnames[0] ?? '', KEY.enter)
    await person.answer('203.0.113.9')
    await person.answer('Which addresses are published?', KEY.enter)
    await person.answer('e-mail address', KEY.enter)
    await person.answer('can be reached')
    await person.answer('Write this?', KEY.enter)
    await person.answer('Send it now?', KEY.enter)
    await person.answer('How shall it run', KEY.enter)

    expect(await person.ended, person.shown()).toBe(0)
    expect(person.shown()).toContain('203.0.113.9')
    expect(person.shown()).not.toContain(at.password)
    const again = await holdfast(['update', '--config', config, '--json'], { env })
    expect(JSON.parse(again.stdout)).toMatchObject({
      exit: { code: 0 },
      accounts: [{ hostnames: [{ confirmed: { v4: '203.0.113.9' }, answered: null }] }],
    })
  })

  it.each([
    ['Ctrl+C', KEY.interrupt],
    ['Esc', KEY.escape],
  ])('leaves everything as it was after %s', async (_name, key) => {
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
    await person.answer('Which addresses are published?')
    await person.answer('[both]:', '\n')
    await person.answer('e-mail', '\n')
    await person.answer('Write this? (yes/no) [yes]:', '\n')
    await person.answer('(yes/no)', 'no\n')
    await person.answer('How shall it run')
    await person.answer('words [', 'none\n')
    expect(await person.ended, person.shown()).toBe(0)
    expect(readFileSync(config, 'utf8')).toContain(`username = "${at.username}"`)
    expect(person.shown()).not.toContain(at.password)
    const status = await holdfast(['status', '--config', config], { env })
    expect(status.stdout).not.toContain('203.0.113.9')
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
})
