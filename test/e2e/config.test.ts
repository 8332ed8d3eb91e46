import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../src/shared/settings/document.ts'
import { readClientConfig } from '../../src/client/settings/read-client.ts'
import { holdfast, type Options, scratch } from './processes.ts'

const WHOLE =
  'server = "http://127.0.0.1:1"\nusername = "a"\npassword = "swordfish"\nhostnames = ["a.test"]\n'

/** Writes a configuration with these lines at its top, in a new folder. */
function written(lines: string, whole = WHOLE): { readonly folder: string; readonly file: string } {
  const folder = scratch()
  const file = join(folder, 'h.toml')
  writeFileSync(file, `${lines}\n${whole}`, { mode: 0o600 })
  return { folder, file }
}

const check = async (file: string, options: Options & { readonly args?: readonly string[] } = {}) =>
  holdfast(['config', 'check', '--config', file, '--state-dir', scratch(), ...(options.args ?? [])], options)

describe('config check rejects what cannot work on this host', () => {
  // biome-ignore format: a table
  it.each<[string, string]>([
    ['sources = ["command"]\ncommand = ["/no/such/program", "x"]', ':2: command /no/such/program: there is no such program'],
    ['sources = ["command"]\ncommand = ["no-such-program-here"]',  ':2: command no-such-program-here: there is no such program in PATH'],
    ['sources = ["command"]\ncommand = ["/etc/passwd"]',         ':2: command /etc/passwd: it is not executable; run chmod +x /etc/passwd'],
    ['sources = ["command"]\ncommand = ["/etc"]',                  ':2: command /etc: it is not a file'],
    ['sources = ["command"]\ncommand = "/bin/echo 1.2.3.4"',       ':2: command is one word with spaces, and there is no such program; write it as a list: command = ["/bin/echo", "1.2.3.4"]'],
    ['sources = ["interface:nonexist0"]',                          ':1: sources: this host has no interface nonexist0 now; there are '],
    ['command = ["/bin/echo", "1.2.3.4"]',                         ':1: command is set, but sources does not list it; write sources = ["command"]'],
    ['ca_file = "/etc/passwd"',                                  ':1: ca_file /etc/passwd: there is no certificate in PEM format'],
    ['ca_file = "/no/such/file"',                                  ':1: ca_file /no/such/file: there is no such file'],
  ])('%s', async (lines, message) => {
    const { file } = written(lines)

    const { code, stderr, stdout } = await check(file)

    expect([code, stdout]).toEqual([78, ''])
    expect(stderr).toContain(`holdfast: ${file}${message}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('but accepts an existing program, by path or in PATH', async () => {
    for (const command of ['["/bin/echo", "1.2.3.4"]', '["echo", "1.2.3.4"]'])
      expect((await check(written(`sources = ["command"]\ncommand = ${command}`).file)).code).toBe(0)
  })

  it('a broken certificate', async () => {
    const { folder, file } = written('ca_file = "CA"')
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
    writeFileSync(file, readFileSync(file, 'utf8').replace('CA', ca))

    expect((await check(file)).stderr).toBe(
      `holdfast: ${file}:1: ca_file ${ca}: a certificate in it is invalid\n`,
    )
  })

  it.each([
    ['/proc/x', '/proc/x cannot be made (ENOENT)'],
    ['/proc/x/y', '/proc/x cannot be made (ENOENT)'],
    ['/tmp/'.padEnd(300, 'a'), `${'/tmp/'.padEnd(300, 'a')} cannot be made (ENAMETOOLONG)`],
  ])('a state folder that cannot be created: %s', async (state, message) => {
    const { file } = written('')

    expect(await holdfast(['config', 'check', '--config', file, '--state-dir', state])).toMatchObject({
      code: 78,
      stderr: `holdfast: --state-dir: state_dir: ${message}\n`,
    })
  })

  it.each(['SECRETSECRET1', 'a'.repeat(300)])(
    'a password instead of its file, without printing it: %s',
    async (password) => {
      const { file } = written('', WHOLE.replace('password = "swordfish"', `password_file = "${password}"`))

      expect(await check(file)).toMatchObject({
        code: 78,
        stderr: `holdfast: ${file}:4: password_file must name a file with the password, and there is no such file; to give the password itself, use password\n`,
      })
    },
  )

  it('but accepts a state folder that does not exist yet, and does not create it', async () => {
    const { folder, file } = written('')
    const state = join(folder, 'a', 'b')

    expect((await holdfast(['config', 'check', '--config', file, '--state-dir', state])).code).toBe(0)
    expect(existsSync(join(folder, 'a'))).toBe(false)
  })

  it('a state folder below a file', async () => {
    const { folder, file } = written('')
    writeFileSync(join(folder, 'taken'), '')

    const { code, stderr } = await holdfast([
      'config',
      'check',
      '--config',
      file,
      '--state-dir',
      join(folder, 'taken', 'state'),
    ])

    expect([code, stderr]).toEqual([
      78,
      `holdfast: --state-dir: state_dir: ${join(folder, 'taken')} is not a folder\n`,
    ])
  })

  it.each([
    ['HOLDFAST_HOSTNAME', '; did you mean HOLDFAST_HOSTNAMES?'],
    ['HOLDFAST_USER', '; did you mean HOLDFAST_USERNAME?'],
    ['HOLDFAST_IMAGE_TAG', ''],
  ])('an unknown HOLDFAST_ variable: %s', async (name, hint) => {
    const { code, stderr } = await check(written('').file, { env: { [name]: 'x' } })

    expect([code, stderr]).toEqual([78, `holdfast: ${name} is not a setting${hint}\n`])
  })

  it('an unknown variable, reported together with a missing setting', async () =>
    expect(await holdfast(['update'], { env: { HOLDFAST_USER: 'x' } })).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(
        /^holdfast: server is missing[^]*HOLDFAST_USER is not a setting; did you mean HOLDFAST_USERNAME\?\nholdfast: set it up: sudo holdfast init\n$/,
      ) as string,
    }))

  it('but accepts variables of the service, of tests and of news', async () =>
    expect(
      await check(written('').file, {
        env: { HOLDFAST_LISTEN: 'x', HOLDFAST_TEST_X: 'x', HOLDFAST_NEWS_X: 'x' },
      }),
    ).toMatchObject({ code: 0, stderr: '' }))
})

describe('an update', () => {
  const rehearse = async (file: string, env: Options['env'] = {}) =>
    holdfast(['update', '--dry-run', '--myip', '192.0.2.1', '--config', file, '--state-dir', scratch()], {
      env,
    })

  it('continues with a missing interface and with an unknown variable', async () => {
    const { file } = written('sources = ["interface:nonexist0"]')

    const { code, stderr } = await rehearse(file, { HOLDFAST_IMAGE_TAG: '7' })

    expect(code).toBe(0)
    expect(stderr).toContain('this host has no interface nonexist0 now')
    expect(stderr).toContain('HOLDFAST_IMAGE_TAG is not a setting')
  })

  it('rejects a wrong command and a misspelled variable', async () => {
    const { file } = written('sources = ["command"]\ncommand = "/bin/echo 1.2.3.4"')

    expect(await rehearse(file)).toMatchObject({ code: 78, stdout: '' })
    expect(await rehearse(written('').file, { HOLDFAST_HOSTNAME: 'b.test' })).toMatchObject({
      code: 78,
      stdout: '',
    })
  })
})

describe('a path that is no regular file is rejected', () => {
  const pipe = (): string => {
    const path = join(scratch(), 'pipe')
    execFileSync('mkfifo', [path])
    return path
  }
  const account = ['--server', 'a.test', '--username', 'a', '--hostname', 'a.test'] as const

  // biome-ignore format: a table
  it.each<[string, () => string, string]>([
    ['a pipe',             pipe,                 'this is a pipe; a file is needed'],
    ['an endless device',  () => '/dev/zero',    'this is a device; a file is needed'],
    ['a folder',           scratch,              'this is a folder'],
  ])('%s', async (_, make, message) => {
    const path = make()

    const all = await Promise.all([
      holdfast(['update', ...account, '--password-file', path]),
      holdfast(['update', ...account, '--ca-file', path], { env: { HOLDFAST_PASSWORD: 'x' } }),
      holdfast(['update', '--config', path]),
    ])

    expect(all.map(({ code, stderr }) => [code, stderr])).toEqual([
      [78, `holdfast: --password-file: password_file ${path}: ${message}\n`],
      [78, `holdfast: --ca-file: ca_file ${path}: ${message}\n`],
      [78, `holdfast: config ${path}: ${message}\n`],
    ])
  })

  it('a password file of more than 64 KiB is rejected', async () => {
    const path = join(scratch(), 'p')
    writeFileSync(path, 'x'.repeat(65_537), { mode: 0o600 })

    expect((await holdfast(['update', ...account, '--password-file', path])).stderr).toBe(
      `holdfast: --password-file: password_file ${path}: this is larger than 64 KiB\n`,
    )
  })
})

describe('"~" at the start of a path', () => {
  it('is the home folder of the user', async () => {
    const home = scratch()
    mkdirSync(join(home, 'state'))
    writeFileSync(join(home, 'pw'), 'swordfish\n', { mode: 0o600 })
    writeFileSync(
      join(home, 'h.toml'),
      `${WHOLE.replace('password = "swordfish"', 'password_file = "~/pw"')}state_dir = "~/state"\n`,
    )

    const { stdout, stderr } = await holdfast(['config', 'show', '--json'], {
      env: { HOME: home, HOLDFAST_CONFIG: '~/h.toml' },
    })

    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      state_dir: join(home, 'state'),
      account: [{ password_file: join(home, 'pw') }],
    })
  })

  it('followed by a user name is rejected', async () =>
    expect((await holdfast(['update', '--config', '~alice/h.toml'])).stderr).toBe(
      'holdfast: config begins with ~alice, the home folder of another user; write the absolute path\n',
    ))
})

it('a missing setting names the file that it can be set in', async () => {
  const folder = scratch()

  const { stderr } = await holdfast(['update'], {
    env: { CONFIGURATION_DIRECTORY: folder, HOLDFAST_CONFIG: '' },
  })

  expect(stderr).toContain(`set it in ${join(folder, 'holdfast.toml')}, as --server or HOLDFAST_SERVER`)
  expect(stderr).toContain(`set password_file in ${join(folder, 'holdfast.toml')}`)
})

describe('config', () => {
  it('check reports success with a note on each internationalized name', async () => {
    const { file } = written('', WHOLE.replace('a.test', 'b\u00fccher.test'))

    expect((await check(file)).stdout).toBe(
      'b\u00fccher.test is sent as xn--bcher-kva.test\nthe configuration is valid\n',
    )
    expect(JSON.parse((await check(file, { args: ['--json'] })).stdout)).toEqual({
      exit: 'settled',
      complaints: [],
      warnings: [],
      notes: ['b\u00fccher.test is sent as xn--bcher-kva.test'],
    })
    chmodSync(file, 0o644)
    expect(JSON.parse((await check(file, { args: ['--json'] })).stdout)).toMatchObject({
      warnings: [`${file} contains a password and is readable by other users; run chmod 600 ${file}`],
    })
  })

  it('show prints a file with the same meaning', async () => {
    const account = `${WHOLE}myip = ["192.0.2.1", "2001:db8::1"]\n[[account.host]]\nname = "a.test"\nmac = "02:00:5e:00:53:01"\n`
    const { file } = written(
      'sources = ["router", "stun:stun.example"]\nipv6_prefix = "2001:db8::/32"\nschedule = "*/5 * * * *"\n[[account]]',
      account,
    )

    const { stdout } = await holdfast(['config', 'show', '--config', file])

    const read = readClientConfig({
      flags: {},
      environment: {},
      chosen: [],
      file: { name: 'shown', document: parseDocument(stdout, 'shown') },
    })
    expect(stdout).toContain('sources = ["router", "stun:stun.example"]\n')
    expect(stdout).not.toContain('swordfish')
    expect(read).toMatchObject({
      ok: true,
      value: {
        sources: [{ kind: 'router' }, { kind: 'stun', host: 'stun.example' }],
        accounts: [
          {
            hostnames: ['a.test'],
            myip: { v4: '192.0.2.1', v6: '2001:db8::1' },
            hosts: [{ suffix: { address: '::5eff:fe00:5301', length: 64 } }],
          },
        ],
      },
    })
  })
})
