import { spawn, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { oneOfEach } from '../large.ts'
import { daemon, env } from './daemon.ts'
import { clientOf, ROOT, scratch, service, start } from './processes.ts'
import { echo } from './servers.ts'

const NODE = process.env['HOLDFAST_TEST_NODE'] ?? process.execPath

/** Runs a line of bash in which `holdfast` is the program under test. */
function inShell(script: string): { readonly code: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `holdfast() { "$NODE" "$ROOT/bin/holdfast.js" "$@"; }\n${script}`],
    {
      encoding: 'utf8',
      timeout: 20_000,
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        NODE_DISABLE_COMPILE_CACHE: '1',
        NODE,
        ROOT,
        STATE: scratch(),
        HOLDFAST_PASSWORD: 'x',
        HOLDFAST_WATCH: 'no',
        HOLDFAST_VERIFY: 'no',
      },
    },
  )
  return { code: status, stderr }
}

const REFUSED = `--server 127.0.0.1:1 --username a --hostname a.test --myip 192.0.2.1 --state-dir "$STATE" --runtime-dir "$STATE"`

// biome-ignore format: a table
const COMMANDS = [
  ['update',  `update ${REFUSED}`,          69],
  ['update --dry-run', `update --dry-run ${REFUSED}`, 0],
  ['explain', `explain ${REFUSED}`,         0],
  ['explain of a reply word','explain abuse',    0],
  ['status',  `status ${REFUSED}`,          0],
  ['service', 'service install --dry-run',  78],
  ['config',  'config schema',              0],
  ['config check', `config check ${REFUSED}`, 0],
  ['--help',  '--help',                     0],
  ['providers', 'providers',                0],
  ['completion', 'completion bash',         0],
  ['an unknown command','bogus',  64],
] as const

describe.each(oneOfEach(COMMANDS, ([, , code]) => code))('%s has the same exit code', (_, command, code) => {
  it('when standard output is closed', () => {
    const found = inShell(`set -o pipefail; holdfast ${command} | true`)
    expect(found.code, found.stderr).toBe(code)
    expect(found.stderr).not.toContain('bug')
  })

  it('when standard error is closed', () =>
    expect(inShell(`holdfast ${command} 2>&1 >/dev/null | true; exit \${PIPESTATUS[0]}`).code).toBe(code))

  it('when standard output is full, or 74 if it only shows something', () => {
    const found = inShell(`holdfast ${command} >/dev/full`)
    expect([found.code, found.stderr.includes('bug')], found.stderr).toEqual([code === 0 ? 74 : code, false])
  })

  it('when standard error is full', () => expect(inShell(`holdfast ${command} 2>/dev/full`).code).toBe(code))
})

describe.each([
  ['a full disk', '2>/dev/full'],
  ['a reader that is gone', '2> >(true)'],
])('with a log that goes to %s', (_, where) => {
  const untilAsked = (line: string): number | null =>
    inShell(
      `"$NODE" "$ROOT/bin/holdfast.js" ${line} ${where} >/dev/full & for n in $(seq 100); do [ -e "$STATE/owner.lock" ] && break; sleep 0.1; done; sleep 1; kill -0 $! && kill $! && wait $!`,
    ).code

  it('run continues, and ends with 0 on SIGTERM', () =>
    expect(untilAsked(`run ${REFUSED} --log-level trace`)).toBe(0))
  it('run --json too', () => expect(untilAsked(`run ${REFUSED} --json`)).toBe(0))
})

it.each(['2>/dev/full', '2> >(true)'])('serve answers and commits with %s', async (where) => {
  const child = spawn(
    'bash',
    ['-c', `exec "${process.execPath}" bin/holdfast.js serve --dev --json --log-level debug ${where}`],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((done) => child.on('close', done))
  const first = await new Promise<string>((done) =>
    child.stdout.once('data', (chunk: Buffer) => done(chunk.toString())),
  )
  const at = JSON.parse(first) as { url: string; username: string; password: string }
  const authorization = `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`

  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
    const update = `${at.url}/nic/update?hostname=home.example.test&myip=${address}`
    const answer = await fetch(update, { headers: { authorization, 'user-agent': 'A B/1 c@d.test' } })
    expect(await answer.text()).toBe(`good ${address}\n`)
  }
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

it('status --watch ends with 0 at the first change after its output is closed', async () => {
  const at = await service()
  const folder = scratch()
  let address = '8.8.8.8'
  const { line, ask } = daemon(at, folder, '--source', await echo(() => address))
  await line('nothing to do until then')
  const watch = start(['status', ...clientOf(at, folder), '--runtime-dir', folder, '--watch'], {
    env: env(at),
  })
  const ended = new Promise<number | null>((done) => watch.on('close', done))
  let errors = ''
  watch.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  await new Promise<void>((done) => watch.stdout?.once('data', () => done()))
  watch.stdout?.destroy()
  await sleep(100)

  address = '8.8.4.4'
  await ask('poke')

  expect([await ended, errors]).toEqual([0, ''])
})

it('admin says that a secret is lost when standard output is full, and that a list is not whole', () => {
  const admin =
    'a() { holdfast admin "$@" --store "$STATE/store"; }; a init >/dev/null; a plan add p >/dev/null'
  const lost = inShell(`${admin}; a account add acme p >/dev/full`)

  expect([lost.code, lost.stderr]).toEqual([
    74,
    'holdfast: standard output cannot be written: a new secret is lost; make another one\n',
  ])
  const cut = inShell(`${admin}; a plan list >/dev/full`)
  expect([cut.code, cut.stderr]).toEqual([
    74,
    expect.stringMatching(/^holdfast: standard output cannot be written: its output is incomplete \(ENOSPC/),
  ])
  expect(inShell(`${admin}; set -o pipefail; a plan list | true`)).toEqual({ code: 74, stderr: '' })
})
