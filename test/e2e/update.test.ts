import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { oneOfEach } from '../large.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { clientOf, holdfast, scratch, service } from './processes.ts'
import { echo } from './servers.ts'

interface Result {
  readonly exit: { readonly code: number; readonly reason: string }
  readonly accounts: readonly {
    readonly outcome: string
    readonly because: string | null
    readonly remedy: string | null
    readonly nextAttempt: string | null
    readonly hostnames: readonly {
      readonly hostname: string
      readonly sent: unknown
      readonly answered: string | null
      readonly means: string | null
    }[]
  }[]
}
const resultOf = (stdout: string): Result => JSON.parse(stdout) as Result
const env = (password: string) => ({ HOLDFAST_PASSWORD: password })

describe('every reply word of the service has its outcome in the client', () => {
  // biome-ignore format: a table
  const WORDS: readonly (readonly [word: string, code: number, outcome: string, because: string | null])[] = [
    ['good',      0,  'settled', null],
    ['nochg',     0,  'settled', null],
    ['nohost',    77, 'stopped', 'nohost'],
    ['badauth',   77, 'stopped', 'badauth'],
    ['badagent',  77, 'stopped', 'badagent'],
    ['!donator',  77, 'stopped', '!donator'],
    ['abuse',     77, 'stopped', 'abuse'],
    ['911',       75, 'waiting', '911'],
  ]
  it.each(oneOfEach(WORDS, ([, code]) => code))('%s: exit %i', async (word, code, outcome, because) => {
    const at = await service('--fault', `word:${word}`)
    const state = scratch()
    const start = Date.now()

    const first = await holdfast(['update', ...clientOf(at, state), '--myip', '192.0.2.1', '--json'], {
      env: env(at.password),
    })

    expect(first.code, first.stderr).toBe(code)
    const [account] = resultOf(first.stdout).accounts
    expect(account).toMatchObject({ outcome, because })
    expect(account?.hostnames[0]?.answered?.split(' ')[0]).toBe(word)
    if (code === 77) expect([account?.nextAttempt, account?.remedy]).toEqual([null, expect.any(String)])
    if (code === 75)
      expect(Date.parse(account?.nextAttempt ?? '') - start).toBeGreaterThanOrEqual(30 * 60_000)
    const second = await holdfast(['update', ...clientOf(at, state), '--myip', '192.0.2.9', '--json'], {
      env: env(at.password),
    })
    expect(second.code).toBe(code)
    if (code !== 0) expect(resultOf(second.stdout).accounts[0]?.hostnames[0]?.sent).toBeNull()
  })

  it('without faults: good, nochg, nohost, badauth and offline', async () => {
    const at = await service()
    const ask = async (password: string, ...args: readonly string[]) =>
      resultOf(
        (await holdfast(['update', ...clientOf(at, scratch()), '--json', ...args], { env: env(password) }))
          .stdout,
      ).accounts[0]

    expect((await ask(at.password, '--myip', '192.0.2.1'))?.hostnames[0]?.answered).toBe('good 192.0.2.1')
    expect((await ask(at.password, '--myip', '192.0.2.1'))?.hostnames[0]?.answered).toBe('nochg 192.0.2.1')
    expect((await ask('wrong', '--myip', '192.0.2.1'))?.because).toBe('badauth')
    expect(
      (await ask(at.password, '--myip', '192.0.2.1', '--hostname', 'nope.example.test'))?.hostnames[1]
        ?.answered,
    ).toBe('nohost')
    expect((await ask(at.password, '--offline'))?.hostnames[0]).toMatchObject({
      sent: { offline: true },
      answered: 'good 127.0.0.1',
    })
  })

  it('without faults: badagent for a blocked agent, abuse for repeated updates', async () => {
    const [unwelcoming, strict] = [
      await service('--blocked-agents', 'holdfast'),
      await service('--nochg-limit', '2'),
    ]
    const ask = async (at: typeof strict, state: string) =>
      resultOf(
        (
          await holdfast(['update', ...clientOf(at, state), '--json', '--myip', '192.0.2.1', '--force'], {
            env: env(at.password),
          })
        ).stdout,
      ).accounts[0]?.hostnames[0]?.answered
    const state = scratch()

    expect(await ask(unwelcoming, scratch())).toBe('badagent')
    expect([
      await ask(strict, state),
      await ask(strict, state),
      await ask(strict, state),
      await ask(strict, state),
    ]).toEqual(['good 192.0.2.1', 'nochg 192.0.2.1', 'nochg 192.0.2.1', 'abuse'])
    expect(await ask(strict, state)).toBeNull()
  })
})

it.each(['127.0.0.1:0', '[::1]:0'])('updates over %s, with both families in one request', async (listen) => {
  const at = await service('--listen', listen)

  const { code, stdout, stderr } = await holdfast(
    ['update', ...clientOf(at, scratch(), at.hostnames.join(',')), '--myip', '192.0.2.1,2001:db8::1'],
    { env: env(at.password) },
  )

  expect([code, stdout], stderr).toEqual([
    0,
    at.hostnames.map((name) => `${name}: good 192.0.2.1,2001:db8::1 (update succeeded)\n`).join(''),
  ])
})

it('sends nothing when every address is confirmed', async () => {
  const at = await service('--fault', 'impatient:1')
  const state = scratch()
  const update = async () =>
    holdfast(['update', ...clientOf(at, state), '--myip', '192.0.2.1'], { env: env(at.password) })

  await update()

  expect(await update()).toMatchObject({
    code: 0,
    stdout: 'home.example.test: already confirmed at 192.0.2.1; nothing sent\n',
  })
})

it('prints what stopped it and what to do', async () => {
  const at = await service()

  const { stdout, stderr } = await holdfast(['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1'], {
    env: env('wrong'),
  })

  expect(stdout).toBe(`home.example.test: badauth (invalid username and password)\n`)
  expect(stderr).toContain(
    `${at.username}@${new URL(at.url).host}: stopped, because the service answered badauth (invalid username and password); nothing more is sent until you act\n` +
      '  what to do: correct the username or the password of the DDNS key; then run holdfast resume\n',
  )
})

describe('the password', () => {
  const given = async (extra: readonly string[], options: Parameters<typeof holdfast>[1] = {}) => {
    const at = await service()
    return {
      at,
      run: async () =>
        holdfast(
          [
            'update',
            ...clientOf(at, scratch()),
            '--myip',
            '192.0.2.1',
            ...extra.map((arg) => arg.replace('PASSWORD', at.password)),
          ],
          options.stdin === undefined ? options : { ...options, stdin: at.password },
        ),
    }
  }

  it('can come from a file', async () => {
    const at = await service()
    const file = join(scratch(), 'password')
    writeFileSync(file, `${at.password}\n`, { mode: 0o600 })

    expect(
      await holdfast(['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1', '--password-file', file]),
    ).toMatchObject({ code: 0 })
  })

  it('can come from standard input', async () =>
    expect(await (await given(['--password-file', '-'], { stdin: '' })).run()).toMatchObject({ code: 0 }))

  it('can come from the command line, with a warning', async () => {
    const ended = await (await given(['--password', 'PASSWORD'])).run()

    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain(
      'a password on the command line is visible to every user of this host; use --password-file',
    )
  })

  it('in a file that others can read causes a warning', async () => {
    const at = await service()
    const file = join(scratch(), 'password')
    writeFileSync(file, at.password, { mode: 0o644 })

    expect(
      (await holdfast(['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1', '--password-file', file]))
        .stderr,
    ).toContain('chmod 600')
  })
})

it('--dry-run prints the exact request with the password masked, and sends and saves nothing', async () => {
  const state = join(scratch(), 'state')
  const args = [
    'update',
    '--server',
    'https://127.0.0.1:1',
    '--username',
    'abc1234',
    '--hostname',
    'a.test,b.test',
    '--myip',
    '192.0.2.1,2001:db8::1',
    '--state-dir',
    state,
    '--dry-run',
  ]

  const { code, stdout } = await holdfast(args, { env: env('swordfish') })

  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^# to https:\/\/127\.0\.0\.1:1, not sent\nGET \/nic\/update\?hostname=a\.test,b\.test&myip=192\.0\.2\.1,2001:db8::1 HTTP\/1\.1\nhost: 127\.0\.0\.1:1\nauthorization: Basic «secret»\nuser-agent: Holdfast holdfast\/Linux-\S+-\d+\.\d+\.\d+\naccept: text\/plain\n$/,
  )
  expect(() => readFileSync(join(state, 'state.json'))).toThrow('ENOENT')
})

it('the contact is the end of the User-Agent', async () => {
  const { stdout } = await holdfast(
    [
      'update',
      '--server=https://127.0.0.1:1',
      '--username=a',
      '--hostname=a.test',
      '--myip=192.0.2.1',
    ].concat(['--contact=me@example.test', `--state-dir=${join(scratch(), 'state')}`, '--dry-run']),
    { env: env('swordfish') },
  )
  expect(stdout).toMatch(/\nuser-agent: Holdfast holdfast\/\S+ me@example\.test\n/)
})

it('--force sends a confirmed address again', async () => {
  const at = await service()
  const state = scratch()
  const update = async (...extra: readonly string[]) =>
    holdfast(['update', ...clientOf(at, state), '--myip', '192.0.2.1', ...extra], { env: env(at.password) })
  await update()

  expect((await update('--force')).stdout).toBe(
    'home.example.test: nochg 192.0.2.1 (address already current)\n',
  )
})

describe('the address', () => {
  it('can come from a web service, as plain text or as a JSON member', async () => {
    const at = await service()
    const [plain, json] = [await echo(() => '8.8.8.8\n'), await echo(() => '{"ip":"8.8.4.4"}')]
    const update = async (source: string) =>
      holdfast(['update', ...clientOf(at, scratch()), '--source', source, '--no-ipv6'], {
        env: env(at.password),
      })

    expect((await update(plain)).stdout).toBe('home.example.test: good 8.8.8.8 (update succeeded)\n')
    expect((await update(`${json}#ip`)).stdout).toBe('home.example.test: good 8.8.4.4 (update succeeded)\n')
  })

  it('that no source reports is exit 69, and nothing is sent', async () => {
    const at = await service('--fault', 'word:abuse')
    const portal = await echo(() => '<html>Sign in</html>')

    const ended = await holdfast(['update', ...clientOf(at, scratch()), '--source', portal], {
      env: env(at.password),
    })

    expect([ended.code, ended.stdout]).toEqual([69, 'home.example.test: nothing sent\n'])
    expect(ended.stderr).toMatch(
      /no source reported a public address \(IPv4: no source reports an address: http:\S+: .*\); nothing was sent\n {2}what to do: run holdfast detect/,
    )
  })

  it('can be the source address of the connection', async () => {
    const at = await service()

    const ended = await holdfast(['update', ...clientOf(at, scratch()), '--myip', 'connection'], {
      env: env(at.password),
    })

    expect(ended.stdout).toBe('home.example.test: good 127.0.0.1 (update succeeded)\n')
  })
})

it('a hostname that is bound to an interface without an address is not sent with the address of another line', async () => {
  const at = await service()
  const folder = scratch()
  writeFileSync(
    join(folder, 'h.toml'),
    `sources = ["${await echo(() => '8.8.8.8')}"]\nagreement = "one"\nipv6 = false\nstate_dir = "${folder}"\n` +
      `[[account]]\nserver = "${at.url}"\nusername = "${at.username}"\npassword = "${at.password}"\n` +
      `hostnames = ["home.example.test"]\n[[account.host]]\nname = "home.example.test"\ninterface = "wan9"\n`,
    { mode: 0o600 },
  )
  const ended = await holdfast(['update', '--config', join(folder, 'h.toml')])

  expect(ended).toMatchObject({ code: 69, stdout: 'home.example.test: nothing sent\n' })
  expect(ended.stderr).toContain('the interface of this hostname has no IPv4 address')
})

it('a configuration file with two accounts updates both', async () => {
  const [one, two] = [await service(), await service()]
  const folder = scratch()
  const account = (at: typeof one): string =>
    `[[account]]\nserver = "${at.url}"\nusername = "${at.username}"\npassword = "${at.password}"\nhostnames = ["${at.hostnames.join('", "')}"]\n`
  writeFileSync(
    join(folder, 'h.toml'),
    `myip = ["192.0.2.1"]\nstate_dir = "${folder}"\n${account(one)}${account(two)}`,
    { mode: 0o600 },
  )

  const ended = await holdfast(['update', '--config', join(folder, 'h.toml')])

  expect([ended.code, ended.stdout.split('\n').length - 1], ended.stderr).toEqual([0, 6])
  expect(
    await holdfast(['update', '--config', join(folder, 'h.toml'), '--account', one.username]),
  ).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(.*nothing sent\n){3}$/) as string })
})

it('another token among the fixed parameters ends a stop after badauth, and the same one does not', async () => {
  const at = await service('--fault', 'word:badauth')
  const state = scratch()
  const sent = async (...parameters: readonly string[]) => {
    const args = parameters.flatMap((one) => ['--parameters', one])
    const { stdout } = await holdfast(
      ['update', ...clientOf(at, state), '--myip', '192.0.2.1', '--json', ...args],
      { env: env(at.password) },
    )
    return resultOf(stdout).accounts[0]?.hostnames[0]?.sent !== null
  }
  const asked: boolean[] = []
  for (const token of ['token=a', 'token=a', 'token=b', 'token={password}', 'token={password}'])
    asked.push(await sent(token))

  expect(asked).toEqual([true, false, true, true, false])
})

it('resume ends a stop, but not a wait', async () => {
  const [abusive, broken] = [await service('--fault', 'word:abuse'), await service('--fault', 'word:911')]
  const state = scratch()
  const run = async (at: typeof abusive, command: string) =>
    holdfast([command, ...clientOf(at, state), '--myip', '192.0.2.1'], { env: env(at.password) })
  await run(abusive, 'update')
  await run(broken, 'update')

  expect(await run(abusive, 'resume')).toMatchObject({
    code: 0,
    stdout: `${abusive.username}@${new URL(abusive.url).host}: the stop after abuse is cleared\n`,
  })
  expect((await run(abusive, 'update')).stdout).toContain('home.example.test: abuse')
  expect(await run(broken, 'resume')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^nothing to resume: .*\n\S+: still waiting after 911 until [-\d]+ [:\d]+; resume does not end this wait\n$/,
    ) as string,
  })
  expect((await run(broken, 'update')).stdout).toContain('home.example.test: nothing sent')
})

it('a state file that cannot be read is named by status, left alone by --dry-run, and renamed by update', async () => {
  const at = await service('--log-level', 'debug')
  const state = scratch()
  mkdirSync(join(state, 'state.json'))
  // Commands that only read the state move no file.
  const looked = await holdfast(['status', ...clientOf(at, state), '--runtime-dir', state], {
    env: env(at.password),
  })
  const update = ['update', ...clientOf(at, state), '--myip', '192.0.2.1']
  const tried = await holdfast([...update, '--dry-run'], { env: env(at.password) })
  expect([tried.code, tried.stderr, readdirSync(state)]).toEqual([
    0,
    expect.stringMatching(/state\.json cannot be read \(this is a folder\); an update renames it/),
    ['state.json'],
  ])
  const updated = await holdfast(update, { env: env(at.password) })

  expect([looked.code, looked.stderr]).toEqual([
    78,
    expect.stringMatching(
      /^holdfast: .*state\.json cannot be read \(this is a folder\) and may record a stop; this command does not change it; .*\n$/,
    ),
  ])
  expect([updated.code, updated.stderr]).toEqual([
    0,
    expect.stringMatching(/the state file could not be read \(this is a folder\) and is renamed to/),
  ])
})

it('--dry-run prints every request, not only the first', async () => {
  const names = Array.from({ length: 45 }, (_, n) => `h${n}.example.test`).join(',')
  const { stdout } = await holdfast(
    [
      'update',
      '--server',
      'a.test',
      '--username',
      'a',
      '--hostname',
      names,
      '--myip',
      '192.0.2.1',
      '--state-dir',
      scratch(),
      '--dry-run',
      '--json',
    ],
    { env: env('x') },
  )

  expect((JSON.parse(stdout) as { wouldSend: unknown[] }).wouldSend).toHaveLength(3)
})

describe('an unreachable host', () => {
  // biome-ignore format: a table
  it.each([
    ['nothing listens',         ['--server', 'http://127.0.0.1:1'],                  /connect: refused by 127\.0\.0\.1:1\b/],
    ['the name does not exist', ['--server', 'https://no.such.name.invalid'],        /look-up: /],
    ['no TLS is spoken',        ['--server', 'PLAIN-AS-TLS'],                        /TLS: 127\.0\.0\.1 answers without TLS; is the port right\?/],
  ])('is exit 69: %s', async (_, args, why) => {
    const plain = args.includes('PLAIN-AS-TLS') ? (await service()).url : ''
    const real = args.map((arg) => arg.replace('PLAIN-AS-TLS', plain.replace('http:', 'https:')))

    const ended = await holdfast(['update', '--username', 'a', '--hostname', 'a.test', '--myip', '192.0.2.1', '--state-dir', scratch(), ...real], { env: env('swordfish') })

    expect(ended.code).toBe(69)
    expect(ended.stderr).toMatch(why)
  })

  it('is tried immediately by the next one-shot', async () => {
    const state = scratch()
    const update = async () =>
      holdfast(
        [
          'update',
          '--server',
          'http://127.0.0.1:1',
          '--username',
          'a',
          '--hostname',
          'a.test',
          '--myip',
          '192.0.2.1',
          '--state-dir',
          state,
          '--json',
        ],
        { env: env('x') },
      )
    await update()

    const { accounts } = resultOf((await update()).stdout)
    expect(accounts[0]).toMatchObject({ outcome: 'unreached', because: 'connect: refused by 127.0.0.1:1' })
    // The attempt counts as not sent: no connection was made.
    expect(accounts[0]?.hostnames[0]?.sent).toBeNull()
  })
})

it('a service that accepts and never answers is unreached after response_timeout', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  onTestFinished(() => void silent.close())
  const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  // Long enough for Node to collect its garbage meanwhile.
  const { code, stderr } = await holdfast(
    [
      'update',
      '--server',
      server,
      '--username',
      'u',
      '--hostname',
      'home.example.test',
      '--myip',
      '192.0.2.1',
      '--state-dir',
      scratch(),
      '--response-timeout',
      '10s',
    ],
    { env: { ...env('x'), ...shortTimers(10_000) } },
  )
  expect(code).toBe(69)
  expect(stderr).toContain('no answer in time')
})

describe('fault injection', () => {
  it('slow: the reply arrives', async () => {
    const at = await service('--fault', 'slow:300ms')
    const start = performance.now()

    expect(
      await holdfast(['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1'], {
        env: env(at.password),
      }),
    ).toMatchObject({ code: 0 })
    expect(performance.now() - start).toBeGreaterThan(300)
  })

  it('slow beyond the timeout: unreached', async () => {
    const at = await service('--fault', 'slow:20s')

    expect(
      await holdfast(
        ['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1', '--response-timeout', '1s'],
        {
          env: env(at.password),
        },
      ),
    ).toMatchObject({ code: 69 })
    await at.stop('SIGKILL')
  })

  it('reset: unreached, and nothing is confirmed', async () => {
    const at = await service('--fault', 'reset')

    expect(
      await holdfast(['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1'], {
        env: env(at.password),
      }),
    ).toMatchObject({ code: 69 })
  })

  it('outage: 911, then the normal reply', async () => {
    const at = await service('--fault', 'outage:6s')
    const update = async () =>
      holdfast(['update', ...clientOf(at, scratch()), '--myip', '192.0.2.1'], { env: env(at.password) })

    expect(await update()).toMatchObject({ code: 75 })
    await eventually(async () => (await update()).code).toBe(0)
  })

  it('impatient: abuse after the given number of requests', async () => {
    const at = await service('--fault', 'impatient:2')
    const codes: (number | null)[] = []
    for (let n = 1; n <= 3; n++)
      codes.push(
        (
          await holdfast(['update', ...clientOf(at, scratch()), '--myip', `192.0.2.${n}`], {
            env: env(at.password),
          })
        ).code,
      )

    expect(codes).toEqual([0, 0, 77])
  })

  it.each([['word:hello'], ['hail'], ['slow:5'], ['reset:0'], ['']])(
    '%j is rejected with a message',
    async (fault) => {
      const ended = await holdfast(['serve', '--dev', '--fault', fault])

      expect(ended.code).toBe(64)
      expect(ended.stderr).toMatch(/^holdfast: --fault/)
    },
  )
})
