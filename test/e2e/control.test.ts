import { existsSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { sized } from '../large.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { daemon, daemonIn, env, requests, running } from './daemon.ts'
import { clientOf, holdfast, scratch, service, start } from './processes.ts'
import { answering, echo } from './servers.ts'
import { inTerminal } from './terminal.ts'

const CROWD = sized(6, 50)

// biome-ignore format: a table
const INVALID_REQUESTS = [
  'null', '[]', '[1]', '5', '"x"', '{}', '{"do":null}', '{"do":"toString"}', '{"do":"resume"}', '{"do":"resume","accounts":[1]}',
  '{"do":"update"}', '{"do":"update","updates":[null]}', '{"do":"update","updates":[{"account":"a"}]}',
  '{"do":"update","updates":[{"account":"a","hostnames":["a.test"],"addresses":[1]}]}',
]

describe('a running daemon', () => {
  it('reports its state over a socket that only its owner can open', async () => {
    const at = await service()
    const folder = scratch()
    const { ask, line, child, ended } = daemon(at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')

    expect(statSync(join(folder, 'control.sock')).mode & 0o777).toBe(0o600)
    expect(await ask('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^the daemon is running\n\S+: up to date\n {2}last look [-\d]+ [:\d]+, next look [-\d]+ [:\d]+\n {2}seen: 192\.0\.2\.1 \(given\)\n {2}hostname +address +confirmed since\n {2}home\.example\.test +192\.0\.2\.1 +[-\d]+ [:\d]+\n$/,
      ) as string,
    })
    expect(JSON.parse((await ask('status', '--json')).stdout)).toMatchObject({
      isRunning: true,
      accounts: [{ outcome: 'settled' }],
    })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect([existsSync(join(folder, 'owner.lock')), existsSync(join(folder, 'control.sock'))]).toEqual([
      false,
      false,
    ])
    expect(await ask('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^no daemon is running; this is the saved state\n\S+: up to date\n {2}hostname +address +confirmed since\n {2}home\.example\.test +192\.0\.2\.1 +[-\d]+ [:\d]+\n$/,
      ) as string,
    })
  })

  it('checks the address when it is poked, by command and by signal', async () => {
    const at = await service()
    let address = '8.8.8.8'
    const { ask, line, child } = daemon(at, scratch(), '--source', await echo(() => address))
    await line('good","addresses":["8.8.8.8"]')
    address = '8.8.4.4'

    expect(await ask('poke')).toMatchObject({ code: 0, stdout: 'the daemon checks the address now\n' })
    expect(await ask('poke', at.username)).toMatchObject({
      code: 0,
      stdout: 'the daemon checks the address now\n',
    })
    expect(await ask('poke', 'stranger')).toMatchObject({
      code: 64,
      stderr: `holdfast: there is no account stranger; there are ${at.username}@${new URL(at.url).host}\n`,
    })
    await line('good","addresses":["8.8.4.4"]')
    address = '9.9.9.9'
    child.kill('SIGUSR1')
    await line('good","addresses":["9.9.9.9"]')
  })

  it('sends one request for a crowd of concurrent one-shot updates', async () => {
    const at = await service('--log-level', 'debug')
    const folder = scratch()
    const { ask, line } = daemon(at, folder, '--source', await echo(() => '8.8.8.8'))
    await line('nothing to do until then')
    expect(requests(at)).toBe(1)

    const ended = await Promise.all(
      Array.from({ length: CROWD }, async () => ask('update', '--myip', '192.0.2.77')),
    )

    expect(new Set(ended.map(({ code }) => code))).toEqual(new Set([0]))
    expect(requests(at)).toBe(2)
    expect(ended.every(({ stdout }) => stdout.includes('192.0.2.77'))).toBe(true)
  })

  it('does not report an earlier exchange as the result of an update request', async () => {
    const at = await service('--log-level', 'debug')
    const { ask, line } = daemon(at, scratch(), '--source', await echo(() => '8.8.8.8'))
    await line('nothing to do until then')

    expect(await ask('update')).toMatchObject({
      code: 0,
      stdout: 'home.example.test: already confirmed at 8.8.8.8; nothing sent\n',
    })
    expect(await ask('update', '--quiet')).toMatchObject({ code: 0, stdout: '' })
    expect(JSON.parse((await ask('update', '--json')).stdout)).toMatchObject({
      accounts: [{ hostnames: [{ sent: null, answered: null }] }],
    })
    expect(requests(at)).toBe(1)
  })

  it('answers concurrent one-shots each about its own address', async () => {
    const at = await service('--log-level', 'debug')
    const { ask, line } = daemon(at, scratch(), '--source', await echo(() => '8.8.8.8'))
    await line('nothing to do until then')
    const addresses = ['192.0.2.50', '192.0.2.51', '192.0.2.52', '192.0.2.53']

    const ended = await Promise.all(addresses.map(async (address) => ask('update', '--myip', address)))

    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(
      addresses.map((address) => [0, `home.example.test: good ${address} (update succeeded)\n`]),
    )
    expect(requests(at)).toBe(1 + addresses.length)
  })

  it.each([
    ['911', null],
    ['abuse', 'abuse'],
  ])('reports the result of its resume: %s', async (word, because) => {
    const at = await service('--fault', `word:${word}`)
    const { ask, line } = daemon(
      at,
      scratch(),
      '--myip',
      '192.0.2.1',
      '--name',
      'office',
      '--when-stopped',
      'idle',
    )
    await line(word === '911' ? 'nothing to do until then' : 'until you act')

    const { code, stdout } = await ask('resume', 'office')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        because === null
          ? /^nothing to resume: .*\noffice \(\S+\): still waiting after 911 until [-\d]+ [:\d]+; resume does not end this wait\n$/
          : /^office \(\S+\): the stop after abuse is cleared\n$/,
      ),
    ])
    expect(JSON.parse((await ask('resume', '--json')).stdout)).toMatchObject({
      resumed: [{ name: 'office', because, wait: because === null ? { because: '911' } : null }],
    })
  })

  it('refuses an update request for an unknown account', async () => {
    const at = await service()
    const folder = scratch()
    const { ask, line } = daemon(at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')

    expect(await ask('update', '--hostname', 'office.example.test')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('it has no hostname office.example.test') as string,
    })
    const stranger = [
      'update',
      '--server',
      at.url,
      '--username',
      'another',
      '--hostname',
      'a.test',
      '--myip',
      '192.0.2.1',
      '--state-dir',
      folder,
      '--runtime-dir',
      folder,
    ]
    expect(await holdfast(stranger, { env: env(at) })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('it has no account another@') as string,
    })
  })

  it('survives clients that send nothing and clients that send garbage', async () => {
    const at = await service()
    const folder = scratch()
    const { line, child, ended, ask } = daemonIn(shortTimers(3000), at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')
    const path = join(folder, 'control.sock')
    const replyTo = async (text: string): Promise<string> =>
      new Promise((done) => {
        let answer = ''
        const socket = connect(path, () => socket.write(text))
        socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
        socket.on('error', () => undefined)
        socket.on('close', () => done(answer))
      })
    expect(await replyTo('hello\n')).toBe('{"error":"a request must be one line of JSON"}\n')
    for (const invalid of INVALID_REQUESTS)
      expect(await replyTo(`${invalid}\n`), invalid).toMatch(
        /^\{"version":3,"error":"this daemon does not support the request; /,
      )
    expect((await ask('status')).code).toBe(0)
    const silent = connect(path)
    silent.on('error', () => undefined)
    await new Promise((done) => silent.on('connect', done))
    child.kill('SIGTERM')

    expect(await ended).toBe(0)
    silent.destroy()
  })

  it('shows every change to status --watch', async () => {
    const at = await service()
    const folder = scratch()
    let address = '8.8.8.8'
    const { ask, line } = daemon(at, folder, '--no-ipv6', '--source', await echo(() => address))
    await line('nothing to do until then')
    const watch = start(['status', ...clientOf(at, folder), '--runtime-dir', folder, '--watch'], {
      env: env(at),
    })
    onTestFinished(() => void watch.kill('SIGKILL'))
    let shown = ''
    watch.stdout?.on('data', (chunk: Buffer) => (shown += chunk.toString()))
    await eventually(() => shown).toMatch(/home\.example\.test +8\.8\.8\.8 /)
    address = '8.8.4.4'
    await ask('poke')

    await eventually(() => shown).toMatch(/home\.example\.test +8\.8\.4\.4 /)
    // A watch may see the request on its way, too; what is unchanged is not shown again.
    const [, ...states] = shown.split('the daemon is running')
    expect(states.length).toBeGreaterThanOrEqual(2)
    expect(states.filter((state, at) => state.trim() === states[at - 1]?.trim())).toEqual([])
  })

  it('is healthy while it answers and is not stopped: status --healthcheck', async () => {
    const at = await service()
    const folder = scratch()
    const check = async () =>
      holdfast(['status', '--healthcheck', ...clientOf(at, folder), '--runtime-dir', folder], {
        env: env(at),
      })
    expect(await check()).toMatchObject({ code: 69, stderr: 'holdfast: no daemon is running\n' })
    const { line, child, ended } = daemon(at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')
    expect(await check()).toMatchObject({ code: 0, stdout: '', stderr: '' })
    child.kill('SIGTERM')
    await ended
    const wrong = { ...env(at), HOLDFAST_PASSWORD: 'wrong' }
    const other = scratch()
    const stopped = running(
      [...clientOf(at, other), '--runtime-dir', other, '--myip', '192.0.2.1', '--when-stopped', 'idle'],
      wrong,
    )
    await stopped.line('updates have stopped until you act')
    const refused = await holdfast(
      ['status', '--healthcheck', ...clientOf(at, other), '--runtime-dir', other],
      { env: wrong },
    )
    expect([refused.code, refused.stderr]).toEqual([77, expect.stringContaining('stopped until you act')])
    stopped.child.kill('SIGTERM')
    await stopped.ended
  })

  it('redraws status --watch in its place in a terminal, and no line scrolls away', async () => {
    const at = await service()
    const folder = scratch()
    let address = '8.8.8.8'
    const { ask, line } = daemon(at, folder, '--no-ipv6', '--source', await echo(() => address))
    await line('nothing to do until then')
    const watching = ['status', ...clientOf(at, folder), '--runtime-dir', folder, '--watch']
    const high = inTerminal(watching, { env: env(at) })
    const low = inTerminal(watching, { env: env(at), rows: 4 })
    await high.answer('8.8.8.8')
    await low.answer('more lines; enlarge the window')
    address = '8.8.4.4'
    await ask('poke')
    await high.answer('8.8.4.4')

    const [, ...drawn] = high.raw().split('\u001b[H\u001b[J')
    expect(drawn.length).toBeGreaterThanOrEqual(2)
    // The last one may be half drawn.
    expect(drawn.slice(0, -1).filter((one) => !one.includes('the daemon is running'))).toEqual([])
    for (const one of low.raw().split('\u001b[H\u001b[J').slice(1))
      expect(one.match(/\n/g)?.length ?? 0, one).toBeLessThanOrEqual(3)
  })

  it('refuses a second daemon with the same state folder', async () => {
    const at = await service()
    const { ask, line, child } = daemon(at, scratch(), '--myip', '192.0.2.1')
    await line('nothing to do until then')

    expect(await ask('run')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(`a daemon is already running (process ${child.pid})`) as string,
    })
  })

  it('that was killed does not count as running', async () => {
    const at = await service()
    const folder = scratch()
    const first = daemon(at, folder, '--myip', '192.0.2.1')
    await first.line('nothing to do until then')
    first.child.kill('SIGKILL')
    await first.ended
    expect(existsSync(join(folder, 'owner.lock'))).toBe(true)

    expect(await first.ask('update')).toMatchObject({
      code: 0,
      stdout: 'home.example.test: already confirmed at 192.0.2.1; nothing sent\n',
    })
    const second = daemon(at, folder, '--myip', '192.0.2.1')
    await second.line('nothing to do until then')
  })

  it('stays up idle with when_stopped = idle, and continues after resume', async () => {
    const at = await service('--fault', 'impatient:1')
    let address = '8.8.8.8'
    const { ask, line, lines, child, ended } = daemon(
      at,
      scratch(),
      '--source',
      await echo(() => address),
      '--when-stopped',
      'idle',
    )
    await line('good","addresses":["8.8.8.8"]')
    address = '8.8.4.4'
    await ask('poke')
    await line('updates have stopped until you act')

    expect((await ask('explain')).stdout).toContain(
      'Why: the service answered abuse (username blocked for abuse).',
    )
    await ask('poke')
    expect(lines.filter((one) => one.includes('sending an update request'))).toHaveLength(2)
    expect(await ask('resume')).toMatchObject({ code: 0 })
    expect(lines.filter((one) => one.includes('sending an update request'))).toHaveLength(3)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('reads its settings again on SIGHUP; a wrong file keeps the old ones and logs why', async () => {
    const at = await service()
    const folder = scratch()
    const file = join(folder, 'h.toml')
    const write = (more: string): void =>
      writeFileSync(
        file,
        `server = "${at.url}"\nusername = "${at.username}"\npassword = "${at.password}"\nstate_dir = "${folder}"\nruntime_dir = "${folder}"\nlog_level = "debug"\n${more}\n`,
        { mode: 0o600 },
      )
    write('myip = ["192.0.2.1"]\nhostnames = ["home.example.test"]')
    const { child, line, lines } = running(['--config', file], {})
    await line('good","addresses":["192.0.2.1"]')

    write('myip = ["192.0.2.2"]\nhostnames = []')
    child.kill('SIGHUP')
    await line('hostnames is empty')
    write('myip = ["192.0.2.3"]\nhostnames = ["home.example.test", "office.example.test"]')
    child.kill('SIGHUP')
    await line('"hostname":"office.example.test"')

    await eventually(
      () => lines.filter((one) => one.includes('"msg":"the service confirmed the address"')).length,
    ).toBe(3)
    expect(lines.join('\n')).not.toContain('192.0.2.2"')
  })

  it('reads a corrected password at a resume, and does not try the old one again', async () => {
    const at = await service()
    const folder = scratch()
    const [file, passwordFile] = [join(folder, 'h.toml'), join(folder, 'password')]
    writeFileSync(passwordFile, 'wrong', { mode: 0o600 })
    writeFileSync(
      file,
      `server = "${at.url}"\nusername = "${at.username}"\npassword_file = "${passwordFile}"\nstate_dir = "${folder}"\nruntime_dir = "${folder}"\nmyip = ["192.0.2.1"]\nhostnames = ["home.example.test"]\nwhen_stopped = "idle"\n`,
    )
    const { line, lines } = running(['--config', file], {})
    await line('updates have stopped until you act')
    const badauths = (): number => lines.filter((one) => one.includes('badauth')).length
    const before = badauths()
    writeFileSync(passwordFile, '')
    expect(await holdfast(['resume', '--config', file])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('is empty'),
    })
    expect(badauths()).toBe(before)
    writeFileSync(passwordFile, at.password)
    const resumed = await holdfast(['resume', '--config', file])
    expect(resumed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the stop after badauth is cleared'),
    })
    await line('good","addresses":["192.0.2.1"]')
    expect(lines.filter((one) => one.includes('badauth')).length).toBeLessThanOrEqual(2)
  })

  it('waits at its start for a running one-shot', async () => {
    const at = await service('--fault', 'slow:2s')
    const folder = scratch()
    const first = holdfast(['update', ...clientOf(at, folder), '--no-ipv6', '--myip', '192.0.2.1'], {
      env: env(at),
    })
    await eventually(() => existsSync(join(folder, 'owner.lock'))).toBe(true)
    const { line } = daemon(at, folder, '--myip', '192.0.2.1')

    await line('nothing to do until then')
    expect((await first).code).toBe(0)
  })

  it('updates only the hostnames that an update request names', async () => {
    const at = await service('--log-level', 'debug')
    const folder = scratch()
    let address = '8.8.8.8'
    const { ask, line } = daemon(
      at,
      folder,
      '--hostname',
      'office.example.test,HOME.example.test',
      '--no-ipv6',
      '--source',
      await echo(() => address),
    )
    await line('nothing to do until then')
    // A link that another test brings up makes the daemon look again, and a look that finds an address puts the name right.
    address = 'none'
    const one = clientOf(at, folder)
    const update = async (...more: readonly string[]) =>
      holdfast(['update', ...one, '--no-ipv6', ...more], { env: env(at) })

    expect(await update('--myip', '192.0.2.77', '--force')).toMatchObject({
      code: 0,
      stdout: 'home.example.test: good 192.0.2.77 (update succeeded)\n',
    })
    const shown = JSON.parse((await ask('status', '--json')).stdout) as {
      accounts: { hostnames: { hostname: string; sent: { addresses: string[] } }[] }[]
    }
    expect(shown.accounts[0]?.hostnames.map(({ hostname, sent }) => [hostname, sent.addresses])).toEqual([
      ['home.example.test', ['192.0.2.77']],
      ['office.example.test', ['8.8.8.8']],
    ])
    expect(requests(at)).toBe(2)
    expect(await update('--offline')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/keeps \S+ online; change offline in its configuration/) as string,
    })
    expect(await update('--myip', 'connection')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/does not let the service choose the address of \S+;/) as string,
    })
    expect(requests(at)).toBe(2)
  })

  it('reports an unknown account to resume', async () => {
    const at = await service()
    const folder = scratch()
    const { line } = daemon(at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')
    const stranger = ['--server', at.url, '--username', 'another', '--hostname', 'a.test']

    expect(await holdfast(['resume', ...stranger, '--state-dir', folder, '--json'])).toMatchObject({
      code: 78,
      stdout: expect.stringContaining('has no account another@') as string,
    })
  })

  it('that hangs does not count as absent', async () => {
    const at = await service()
    const folder = scratch()
    const { ask, line, child } = daemon(at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')
    child.kill('SIGSTOP')

    const [status, poke] = await Promise.all([ask('status'), ask('poke')])
    expect(status).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'the daemon is running but does not answer; this is the saved state\n',
      ) as string,
    })
    expect(poke).toMatchObject({ code: 69, stderr: 'holdfast: the daemon does not respond; it may hang\n' })
  })

  it('ends although a client keeps its control connection half-open', async () => {
    const at = await service('--fault', 'slow:1500ms')
    const folder = scratch()
    const { line, child, ended } = daemonIn(shortTimers(3000), at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')
    const keeper = connect({ path: join(folder, 'control.sock'), allowHalfOpen: true })
    keeper.on('error', () => undefined)
    keeper.write('{"do":"status"}\n')
    await new Promise((done) => keeper.once('data', done))
    child.kill('SIGTERM')

    expect(await ended).toBe(0)
    keeper.destroy()
  })

  it('answers commands that cannot read the password', async () => {
    const at = await service()
    const folder = scratch()
    const { line, child, ended } = daemon(at, folder, '--myip', '192.0.2.1')
    await line('nothing to do until then')
    const keyless = async (command: string) =>
      holdfast([command, ...clientOf(at, folder), '--runtime-dir', folder])

    for (const command of ['status', 'explain', 'poke', 'resume'])
      expect([command, (await keyless(command)).code]).toEqual([command, 0])
    child.kill('SIGTERM')
    await ended
    for (const command of ['status', 'explain', 'resume'])
      expect([command, (await keyless(command)).code]).toEqual([command, 0])
    expect((await keyless('poke')).stderr).toContain('password is missing')
  })

  it('sends nothing more after the plan refuses offline', async () => {
    const asked: string[] = []
    const url = await answering((target) => {
      asked.push(target)
      return { status: 200, body: target.includes('offline=YES') ? '!donator\n' : 'good 192.0.2.1\n' }
    })
    const folder = scratch()
    const args = ['--server', url, '--username', 'a', '--hostname', 'home.test', '--state-dir', folder]
    for (const requests of [2, 2]) {
      const { line, child, ended } = running(
        [...args, '--no-ipv6', '--myip', '192.0.2.1', '--offline-on-stop'],
        { HOLDFAST_PASSWORD: 'x' },
      )
      await line('nothing to do until then')
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(asked).toHaveLength(requests)
    }
  })

  it('takes the names offline at a stop signal, and online at its start', async () => {
    const at = await service('--log-level', 'debug')
    const folder = scratch()
    for (const replies of [2, 4]) {
      const { line, child, ended } = daemon(at, folder, '--myip', '192.0.2.1', '--offline-on-stop')
      await line('nothing to do until then')
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(requests(at)).toBe(replies)
    }
  })
})

it('a crowd of concurrent one-shots without a daemon sends one request', async () => {
  const at = await service('--log-level', 'debug')
  const state = scratch()

  const ended = await Promise.all(
    Array.from({ length: CROWD }, async () =>
      holdfast(['update', ...clientOf(at, state), '--runtime-dir', state, '--myip', '192.0.2.1'], {
        env: env(at),
      }),
    ),
  )

  expect(ended.filter(({ code }) => code !== 0)).toEqual([])
  expect(requests(at)).toBe(1)
})

it('restarts after a stop send nothing and end with 77', async () => {
  const at = await service('--fault', 'word:badauth', '--log-level', 'debug')
  const state = scratch()
  const run = async () =>
    holdfast(['run', ...clientOf(at, state), '--runtime-dir', state, '--myip', '192.0.2.1'], { env: env(at) })
  await run()

  for (let n = 0; n < sized(2, 20); n++) expect((await run()).code).toBe(77)

  expect(requests(at)).toBe(1)
})

it('logs sentences with the names of the accounts', async () => {
  const [at, folder] = [await service('--fault', 'word:abuse'), scratch()]
  const file = join(folder, 'h.toml')
  const account = `name = "office"\nserver = "${at.url}"\nusername = "${at.username}"\nhostnames = ["home.example.test"]`
  writeFileSync(file, `myip = "192.0.2.1"\nwhen_stopped = "idle"\n[[account]]\n${account}\n`)
  const deep = join(folder, 'x'.repeat(100))
  const child = start(['run', '--config', file, '--state-dir', folder, '--runtime-dir', deep], {
    env: env(at),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const logs = async (line: RegExp) => eventually(() => log).toMatch(line)

  await logs(/ office \(\S+\): keeping home\.example\.test current\n/)
  await logs(
    /there is no control socket at \S+ \(its path is too long .*\); status, poke, resume and update cannot reach this daemon/,
  )
  await logs(/office \(\S+\): stopped until you act/)
  child.kill('SIGHUP')
  await logs(/ the settings are reloaded, for office\n/)
  writeFileSync(file, 'invalid = 1\n')
  child.kill('SIGHUP')
  await logs(/the settings were not reloaded, and the earlier ones stay in use: \S+h\.toml:1: /)
  expect(log).not.toMatch(/\w=["[]|=office/)
})

it('logs once what stopped it', async () => {
  const [at, folder] = [await service('--fault', 'word:abuse'), scratch()]
  const given = ['--runtime-dir', folder, '--myip', '192.0.2.1']

  const { code, stderr } = await holdfast(['run', ...clientOf(at, folder), ...given], { env: env(at) })

  expect([code, stderr.match(/stopped/g)]).toEqual([77, ['stopped']])
})
