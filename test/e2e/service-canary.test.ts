import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { PAGES } from '../../src/client/page/handler.ts'
import { NEW } from '../client/services/protocols/services.ts'
import { eventually } from '../eventually.ts'
import { CANARY, everyService, listening, REPEATS, secretOf, SERVICES } from './every-service.ts'
import { contents, formsOf, leaksIn } from './leaks.ts'
import { holdfast, scratch, start } from './processes.ts'

/** The beginning of any secret as it appears in base64, at each of the three alignments. */
const TRACES = [
  CANARY,
  Buffer.from(CANARY).toString('hex'),
  ...[0, 1, 2].map((before) =>
    Buffer.from(`${' '.repeat(before)}${CANARY}`)
      .toString('base64')
      .slice(before === 0 ? 0 : before + 1, 8 + before),
  ),
]

it('the search finds every encoding', () => {
  for (const isInHeader of [true, false])
    for (const form of formsOf(secretOf('token', isInHeader), 'maria'))
      expect(leaksIn(`… ${form} …`, TRACES)).not.toEqual([])
})

/** A client with an account at every service, and all that it shows. */
async function client() {
  const folder = scratch()
  const file = join(folder, 'h.toml')
  const shown: string[] = []
  const webhook = await listening(({ target, headers, body }) => {
    shown.push(target, JSON.stringify(headers), body)
    return { status: 200, body: '' }
  })
  const services = await everyService()
  const settings = `runtime_dir = "${folder}"
log_level = "trace"
contact = "maria@example.test"
webhook = "${webhook}/"
webhook_events = ["first", "changed", "stopped", "waiting", "unreached"]
`
  const write = (more: string): void =>
    writeFileSync(file, `${more}${settings}${services.toml}`, { mode: 0o600 })
  write('')
  const argumentsOf = (words: string, state = 'state'): readonly string[] => [
    ...words.split(' '),
    '--config',
    file,
    '--state-dir',
    join(folder, state),
  ]
  const run = async (words: string, state?: string) => {
    const ended = await holdfast(argumentsOf(words, state))
    expect(ended.code, ended.stderr).not.toBe(70)
    shown.push(ended.stdout, ended.stderr)
    return ended
  }
  return { ...services, folder, file, shown, write, argumentsOf, run }
}

type Client = Awaited<ReturnType<typeof client>>

async function usesEveryCommand({ run, folder, worlds, write }: Client): Promise<void> {
  const { code, stderr } = await run('update')
  expect(code, stderr).toBe(0)
  for (const { records } of worlds) expect(records[0]?.value).toBe(NEW)
  const reply = join(folder, 'reply')
  writeFileSync(reply, `what is ${worlds[0]?.password}?`)
  for (const words of [
    'update --json',
    'update --dry-run --force',
    'update --dry-run --force --json',
    `update --dry-run --force --account ${SERVICES[0]?.provider} --reply ${reply}`,
    'status',
    'status --json',
    'explain',
    'config show',
    'config show --json',
    'notify',
    'resume',
  ])
    await run(words)
  writeFileSync(reply, '')
  for (const wrong of ['interval = 1\n', 'hostnames = [\n', 'password_file = "/nonexistent"\n']) {
    write(wrong)
    await run('config check')
  }
  write('')
}

/** The answers of the services have their secrets in them. */
async function hearsItsSecrets({ run, mode }: Client): Promise<void> {
  for (const [nth, repeat] of REPEATS.entries()) {
    mode.repeat = repeat
    const [what] = repeat
    const { code } = await run(nth % 2 === 0 ? 'update' : 'update --json', what)
    expect([69, 75, 77], what).toContain(code)
    if (nth % 3 === 0) await run(nth % 2 === 0 ? 'status' : 'explain --json', what)
  }
  delete mode.repeat
}

async function staysWithItsPage({ argumentsOf, shown }: Client): Promise<void> {
  const child = start(argumentsOf('run --json --page 127.0.0.1:0 --interval 1h', 'daemon'))
  const ended = new Promise((done) => child.on('close', done))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  await eventually(() => log).toContain('nothing to do until then')
  const url = /"url":"([^"]+)","msg":"the page is open"/.exec(log)?.[1] ?? ''
  shown.push(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'))
  for (const path of Object.keys(PAGES).filter((one) => one !== '/events'))
    shown.push(await (await fetch(new URL(path, url))).text())
  child.kill('SIGTERM')
  await ended
  shown.push(log)
}

it('nothing that is shown of any service has a secret of it, at trace level', async () => {
  const one = await client()
  const { folder, file, shown } = one
  await usesEveryCommand(one)
  await hearsItsSecrets(one)
  await staysWithItsPage(one)

  const text = shown.join('\n')
  for (const { provider } of SERVICES) expect(text).toContain(provider)
  expect(text.split('\n').filter((line) => leaksIn(line, TRACES).length > 0)).toEqual([])
  // Most of the answers are quoted, and begin with a secret.
  expect(text.match(/"«secret»/g)?.length).toBeGreaterThan(8 * SERVICES.length)
  writeFileSync(file, '')
  expect(leaksIn(contents(folder), TRACES)).toEqual([])
})
