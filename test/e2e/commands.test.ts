import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXITS } from '../../src/shared/program/exit-codes.ts'
import { FAULT_KINDS } from '../../src/service/update/faults.ts'
import { oneIn } from '../large.ts'
import { clientOf, holdfast, ROOT, scratch, service } from './processes.ts'
import { inTerminal } from './terminal.ts'

describe('a mistake on the command line is exit 64 with a hint', () => {
  // biome-ignore format: a table
  const MISTAKES: readonly (readonly [args: readonly string[], hint: string])[] = [
    [[],                                     'a command is missing: init, update, run, status, detect, doctor, explain, poke, reload, resume, config, notify, import, providers, completion, service, serve or admin'],
    [['updtae'],                             'updtae is not a command (did you mean update?)'],
    [['update', '--servr', 'x'],             '--servr is not an option of update (did you mean --server?)'],
    [['update', '--server', 'dyn.example', '--username', 'a', '--hostname', 'a.test', '--password', 'x', '--myip', 'banana'], '--myip: myip must be an IPv4 address, an IPv6 address, both, or connection'],
    [['update', '--dry-run=maybe'],          '--dry-run must be true or false; write --dry-run or --no-dry-run'],
    [['update', '--interval'],               '--interval needs a value'],
    [['serve', '--listen', 'nowhere'],       "--listen: listen lists 'nowhere', which is not ADDRESS:PORT or ADDRESS:PORT/tls"],
    [['serve', '--fault', 'reset'],        '--fault works only with --dev'],
    [['serve', '--dev', '--store', 'x'],     '--store cannot be used with --dev'],
    [['config', 'chekc'],                    'config chekc does not exist; use one of check, show, schema'],
    [['config'],                             'config needs one of check, show, schema'],
    [['nosuch'],                             'nosuch is not a command; see'],
    [['foo'],                                'foo is not a command; see'],
    [['setup'],                              'setup is not a command; use holdfast init'],
    [['logs'],                               'logs is not a command; use journalctl -u holdfast'],
    [['start'],                              'start is not a command; use sudo systemctl enable --now holdfast'],
    [['version'],                            'version is not a command; use holdfast --version'],
    [['update', 'home.example.test'],        'the word home.example.test is not expected here'],
  ]
  it.each(oneIn(3, MISTAKES))('%j', async (args, hint) => {
    const { code, stderr, stdout } = await holdfast(args)

    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toContain(hint)
    expect(stderr).toMatch(/^holdfast: /)
    expect(stderr).not.toContain('    at ')
  })
})

it.each(oneIn(3, [40, 60, 200]))('what is shown fits a terminal of %d columns', async (columns) => {
  for (const args of [['--help'], ['run', '--help'], ['providers'], ['providers', 'easydns']]) {
    const { shown, ended } = inTerminal(args, { columns })
    expect(await ended).toBe(0)
    const long = shown()
      .split(/\r?\n/)
      .filter((line) => line.length > columns)
    expect([args, long]).toEqual([args, []])
  }
})

describe('a wrong configuration is exit 78, and reports', () => {
  it('every missing setting', async () => {
    const { code, stderr } = await holdfast(['update'])

    expect(code).toBe(78)
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^holdfast: server is missing/),
      expect.stringMatching(/^holdfast: username is missing/),
      expect.stringMatching(/^holdfast: hostnames is missing/),
      expect.stringMatching(/^holdfast: password is missing/),
      'holdfast: set it up: sudo holdfast init',
    ])
  })

  it.each(oneIn(4, ['update', 'run', 'status', 'poke', 'resume', 'notify', 'explain']))(
    'how to set it up, where there is no configuration: %s',
    async (command) => {
      const { code, stderr } = await holdfast([command])
      expect(code).toBe(78)
      expect(stderr).toMatch(/\nholdfast: set it up: sudo holdfast init\n$/)
    },
  )

  it.each(oneIn(2, ['update', 'run', 'config']))(
    'every mistake of a file, with its line: %s',
    async (command) => {
      const file = join(scratch(), 'h.toml')
      writeFileSync(file, 'sevrer = "x"\ninterval = "3"\n')

      const { code, stderr } = await holdfast([
        command,
        ...(command === 'config' ? ['check'] : []),
        '--config',
        file,
      ])

      expect(code).toBe(78)
      expect(stderr).toContain(`${file}:1: sevrer is not a setting; did you mean server?`)
      expect(stderr).toContain(`${file}:2: interval needs a unit: write 3m`)
    },
  )

  it.each([
    [
      'a missing configuration file',
      ['--config', '/nonexistent/h.toml'],
      '/nonexistent/h.toml: there is no such file',
    ],
    [
      'a missing password file',
      ['--server', 'a.test', '--username', 'a', '--hostname', 'a.test', '--password-file', '/nonexistent/p'],
      'password_file /nonexistent/p: there is no such file',
    ],
    [
      'a folder as password file',
      ['--server', 'a.test', '--username', 'a', '--hostname', 'a.test', '--password-file', '/'],
      '--password-file: password_file /: this is a folder',
    ],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await holdfast(['update', ...args])

    expect(code).toBe(78)
    expect(stderr).toContain(message)
  })

  it('the mistakes as JSON', async () => {
    const { code, stdout } = await holdfast(['update', '--json'])

    expect(code).toBe(78)
    expect(JSON.parse(stdout)).toMatchObject({
      exit: 'configuration',
      complaints: expect.any(Array) as unknown,
    })
  })

  it('an invalid cron expression', async () => {
    const run = async (schedule: string) =>
      holdfast(
        ['run', '--server', 'a.test', '--username', 'a', '--hostname', 'a.test', '--schedule', schedule],
        { env: { HOLDFAST_PASSWORD: 'x' } },
      )

    expect(await run('now')).toMatchObject({
      code: 64,
      stderr:
        'holdfast: --schedule: schedule must be a cron expression of five or six fields, such as */5 * * * *\n',
    })
    expect(await run('61 * * * *')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('schedule is not a cron expression: minute') as string,
    })
  })

  it('a port in use', async () => {
    const at = await service()

    const { code, stderr } = await holdfast(['serve', '--dev', '--listen', new URL(at.url).host])

    expect(code).toBe(78)
    expect(stderr).toContain(`cannot listen on ${new URL(at.url).host}: listen EADDRINUSE`)
  })

  it('a missing certificate', async () => {
    const { code, stderr } = await holdfast([
      'serve',
      '--dev',
      '--listen',
      '127.0.0.1:0/tls',
      '--tls-cert',
      '/nonexistent/c',
      '--tls-key',
      '/nonexistent/k',
    ])

    expect([code, stderr]).toEqual([
      78,
      expect.stringMatching(
        /^holdfast: tls_cert \/nonexistent\/c cannot be read: ENOENT.*\nholdfast: tls_key \/nonexistent\/k cannot be read/,
      ),
    ])
  })
})

describe('config', () => {
  const account = ['--server', 'dyn.example', '--username', 'a', '--hostname', 'a.test']

  it('check accepts a valid configuration', async () =>
    expect(
      await holdfast(['config', 'check', ...account, '--state-dir', scratch()], {
        env: { HOLDFAST_PASSWORD: 'x' },
      }),
    ).toMatchObject({ code: 0, stdout: 'the configuration is valid\n' }))

  it('show prints the effective settings without secrets', async () => {
    const { stdout } = await holdfast(['config', 'show', '--json', ...account, '--refresh', '7d'], {
      env: { HOLDFAST_PASSWORD: 'swordfish' },
    })

    expect(JSON.parse(stdout)).toMatchObject({
      interval: '5m',
      account: [{ server: 'https://dyn.example', refresh: '7d', password: '«secret»' }],
    })
    expect(stdout).not.toContain('swordfish')
  })

  it('schema prints the schema of the package', async () =>
    expect((await holdfast(['config', 'schema'])).stdout).toBe(
      readFileSync(join(ROOT, 'config/holdfast.schema.json'), 'utf8'),
    ))
})

describe('--help and --version', () => {
  it.each(['--help', '-h'])('list commands and exit codes: %s', async (flag) => {
    const { code, stdout } = await holdfast([flag])

    expect(code).toBe(0)
    for (const word of ['update', 'run', 'resume', 'serve', 'config', 'Exit codes'])
      expect(stdout).toContain(word)
    for (const { code: number } of Object.values(EXITS)) expect(stdout).toContain(`${number} `)
  })

  it.each([[['--help']], [['update', '--help']]])('show examples before anything else: %j', async (line) =>
    expect((await holdfast(line)).stdout).toMatch(/^holdfast .*\n\nExamples:\n(\$ holdfast .*\n){2,}\n/),
  )

  it('name every form of --fault', async () => {
    const { stdout } = await holdfast(['serve', '--help'])

    for (const kind of Object.keys(FAULT_KINDS)) expect(stdout).toMatch(new RegExp(`\\b${kind}\\[?:`))
  })

  it('list the settings of a command', async () => {
    const { stdout } = await holdfast(['update', '--help'])

    for (const flag of [
      '--hostname',
      '--username',
      '--password-file',
      '--server',
      '--myip',
      '--ipv4',
      '--ipv6',
      '--offline',
      '--config',
      '--force',
      '--dry-run',
      '--state-dir',
      '--json',
    ])
      expect(stdout).toContain(flag)
  })

  it.each(['--version', '-V'])('print the version of the package: %s', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

    expect((await holdfast([flag])).stdout.trim()).toBe(version)
  })
})

describe('a state file that cannot be read or written', () => {
  const settings = (folder: string): readonly string[] => [
    '--server',
    'http://127.0.0.1:1',
    '--username',
    'a',
    '--hostname',
    'home.test',
    '--state-dir',
    folder,
  ]

  const update = (folder: string): readonly string[] => [
    'update',
    ...settings(folder),
    '--myip',
    '192.0.2.1',
    '--password-file',
    '-',
  ]

  it('explain without a configuration distinguishes reply words from unknown words', async () => {
    const env = { HOME: scratch(), XDG_CONFIG_HOME: scratch() }
    const json = async (subject: string) => {
      const { code, stdout } = await holdfast(['explain', subject, '--json'], { env })
      return [code, JSON.parse(stdout) as unknown]
    }

    expect(await holdfast(['explain', 'abused'], { env })).toMatchObject({
      code: 64,
      stderr:
        'holdfast: abused is neither a reply word nor an account nor a hostname (did you mean abuse?); no account is configured\n',
    })
    expect(await json('abused')).toMatchObject([64, { exit: 'usage' }])
    expect(await json('Abuse')).toMatchObject([0, { explained: { word: 'abuse' } }])
  })

  it.each(oneIn(2, ['status', 'explain', 'resume']))(
    'is not moved by %s when it is broken',
    async (command) => {
      const folder = scratch()
      const file = join(folder, 'state.json')
      writeFileSync(file, 'broken')

      expect(await holdfast([command, ...settings(folder)])).toMatchObject({
        code: 78,
        stderr: expect.stringMatching(
          /^holdfast: \S+state\.json cannot be read .* this command does not change it; the next update renames it if it can/,
        ) as string,
      })
      expect(readFileSync(file, 'utf8')).toBe('broken')
    },
  )

  // biome-ignore format: a table
  it.each([
    ['a folder that cannot exist',       '/proc/x',       69, /warn: \/proc\/x is not writable \(ENOENT.*saved in /],
    ['a path that is too long',         'a'.repeat(300), 78, /^holdfast: a{300}\/state\.json cannot be read \(ENAMETOOLONG/],
  ])('is reported at the start: %s', async (_, folder, code, message) =>
    expect(await holdfast(update(folder), { stdin: 'swordfish' })).toMatchObject({
      code,
      stderr: expect.stringMatching(message) as string,
    }),
  )

  it('makes resume fail when the disk is full', async () => {
    const at = await service('--fault', 'word:abuse')
    const folder = scratch()
    const args = clientOf(at, folder)
    await holdfast(['update', ...args, '--myip', '192.0.2.1'], { env: { HOLDFAST_PASSWORD: at.password } })
    const node = join(folder, 'node')
    // RLIMIT_FSIZE of 0 (setrlimit(2)) fails every write, as a full disk does.
    writeFileSync(node, `#!/bin/sh\nulimit -f 0\ntrap '' XFSZ\nexec ${process.execPath} "$@"\n`, {
      mode: 0o755,
    })
    const resumed = await holdfast(['resume', ...args], { node })

    expect(resumed).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/is not writable .*; the state is unchanged, with its stops; /) as string,
    })
    expect((await holdfast(['status', ...args])).stdout).toMatch(
      /stopped since \S+ \S+, the service answered abuse/,
    )
  })
})

describe('--help', () => {
  it('of a command that shows what is saved leaves out settings that do nothing there', async () => {
    const [status, update] = await Promise.all([
      holdfast(['status', '--help']),
      holdfast(['update', '--help']),
    ])
    expect(status.stdout).not.toContain('--pace')
    expect(status.stdout).toContain('--state-dir')
    expect(update.stdout).toContain('--pace')
    expect(
      (
        await holdfast([
          'status',
          '--pace',
          '3',
          '--server',
          'dyn.example',
          '--username',
          'u',
          '--hostname',
          'h.example.test',
          '--state-dir',
          scratch(),
        ])
      ).code,
    ).toBe(0)
  })
  // biome-ignore format: a table
  it.each([
    ['update', ['--webhook', '--pace'],  ['--interval', '--page', '--metrics-file', '--offline-on-stop']],
    ['detect', ['--source', '--watch'],  ['--webhook', '--health-url', '--on-change', '--page', '--interval']],
    ['doctor', ['--source'],             ['--webhook', '--page', '--metrics-file']],
    ['admin',  ['--store'],              ['--listen', '--badauth-limit', '--trusted-proxies']],
  ])('of %s shows what matters to it', async (command, shown, hidden) => {
    const { stdout } = await holdfast([command, '--help'])
    for (const flag of shown) expect(stdout).toMatch(new RegExp(`${flag}\\b`))
    for (const flag of hidden) expect(stdout).not.toMatch(new RegExp(`${flag}\\b`))
  })
  it('names the values of an enumeration', async () => {
    const { stdout } = await holdfast(['update', '--help'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'or one request per address [together] (together, apart)',
    )
  })
})
