import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Daemon, env, running } from './daemon.ts'
import { clientOf, holdfast, type Service, scratch, service } from './processes.ts'
import { answering, echo } from './servers.ts'

const EVERY_SECOND = ['--myip', '192.0.2.1', '--no-ipv6', '--schedule', '* * * * * *']

/** A daemon that checks the address, and so saves its state, every second. */
const daemon = (at: Service, state: string, runtime: string): Daemon =>
  running([...clientOf(at, state), '--runtime-dir', runtime, ...EVERY_SECOND], env(at))

const lockIn = (folder: string, name = 'owner.lock'): { pid?: number } =>
  existsSync(join(folder, name))
    ? (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { pid: number })
    : {}

/** The messages of a daemon that refused to start. */
async function refusal({ ended, lines }: Daemon): Promise<string> {
  expect(await ended).toBe(78)
  return lines.join('\n')
}

describe('a second daemon is refused with the process id of the first', () => {
  it('in the same state folder', async () => {
    const at = await service()
    const [state, one, two] = [scratch(), scratch(), scratch()]
    const first = daemon(at, state, one)
    await first.line('nothing to do until then')

    expect(await refusal(daemon(at, state, two))).toContain(
      `holdfast: a daemon is already running (process ${first.child.pid}) in the state folder ${state}`,
    )
    expect((await first.ask('status')).stdout).toContain('the daemon is running')
  })

  it('with the same runtime folder, and releases its own state folder', async () => {
    const at = await service()
    const [one, two, runtime] = [scratch(), scratch(), scratch()]
    const first = daemon(at, one, runtime)
    await first.line('nothing to do until then')

    expect(await refusal(daemon(at, two, runtime))).toContain(
      `holdfast: a daemon is already running (process ${first.child.pid}) with the control socket ${runtime}/control.sock`,
    )
    expect(existsSync(join(two, 'owner.lock'))).toBe(false)
    expect((await first.ask('status')).stdout).toContain('the daemon is running')
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    const next = daemon(at, two, runtime)
    await next.line('nothing to do until then')
  })

  it('when several start concurrently: one runs', async () => {
    const at = await service()
    const [state, runtime] = [scratch(), scratch()]
    const all = [state, state, scratch(), scratch()].map((folder) => daemon(at, folder, runtime))
    const running = async (): Promise<number> =>
      (await Promise.all(all.map(async ({ child, lines }) => child.exitCode ?? lines.length))).filter(
        (one) => one !== 78,
      ).length

    await eventually(running).toBe(1)
    expect(all.filter(({ child }) => child.exitCode === null)).toHaveLength(1)
  })
})

describe('a daemon whose state folder is deleted', () => {
  it('locks it again, so that a second daemon does not start', async () => {
    const at = await service()
    const [state, runtime] = [scratch(), scratch()]
    const first = daemon(at, state, runtime)
    await first.line('nothing to do until then')
    rmSync(state, { recursive: true })

    await eventually(() => lockIn(state).pid).toBe(first.child.pid)
    expect(await refusal(daemon(at, state, scratch()))).toContain(`(process ${first.child.pid})`)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(lockIn(state)).toEqual({})
  })

  it('obeys a stop that a one-shot saved there meanwhile', async () => {
    let [address, asked] = ['8.8.8.8', 0]
    const server = await answering(() => ({ status: 200, body: ++asked === 2 ? 'abuse' : `good ${address}` }))
    const [state, runtime] = [scratch(), scratch()]
    const account = ['--server', server, '--username', 'a', '--hostname', 'h.example.test', '--no-ipv6']
    const [folders, password] = [['--state-dir', state, '--runtime-dir', runtime], { HOLDFAST_PASSWORD: 'b' }]
    const source = ['--source', await echo(() => address), '--interval', '1h', '--when-stopped', 'idle']
    const { line, lines, child } = running([...account, ...folders, ...source], password)
    await line('nothing to do until then')
    rmSync(state, { recursive: true })
    const elsewhere = ['--state-dir', state, '--runtime-dir', scratch(), '--myip', '9.9.9.9']
    expect((await holdfast(['update', ...account, ...elsewhere], { env: password })).code).toBe(77)

    address = '1.1.1.1'
    child.kill('SIGUSR1')
    await line('updates have stopped until you act')

    expect(asked, lines.join('\n')).toBe(2)
    expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('abuse')
    expect(lockIn(state).pid).toBe(child.pid)
  })

  it('opens its control socket again', async () => {
    const at = await service()
    const [state, runtime] = [scratch(), join(scratch(), 'run')]
    mkdirSync(runtime)
    const first = daemon(at, state, runtime)
    await first.line('nothing to do until then')
    rmSync(runtime, { recursive: true })

    await eventually(() => existsSync(join(runtime, 'control.sock'))).toBe(true)
    expect(lockIn(runtime, 'control.lock').pid).toBe(first.child.pid)
    expect((await first.ask('status')).stdout).toContain('the daemon is running')
  })

  it('ends cleanly with a message when another daemon holds it', async () => {
    const at = await service()
    const folder = scratch()
    const first = daemon(at, folder, folder)
    await first.line('nothing to do until then')
    first.child.kill('SIGSTOP')
    rmSync(folder, { recursive: true })
    const second = daemon(at, folder, folder)
    await second.line('nothing to do until then')

    first.child.kill('SIGCONT')

    expect(await first.ended).toBe(78)
    expect(first.lines.join('\n')).toContain(
      `another daemon (process ${second.child.pid}) has taken ${folder}/owner.lock; this one ends`,
    )
    expect(lockIn(folder).pid).toBe(second.child.pid)
    expect((await second.ask('status')).stdout).toContain('the daemon is running')
  })
})

it('a daemon logs that its socket path is too long, and runs without a socket', async () => {
  const at = await service()
  const runtime = join(scratch(), 'x'.repeat(100))
  const { line, child, ended } = daemon(at, scratch(), runtime)
  await line('nothing to do until then')
  await line(`its path is too long for a Unix socket: ${runtime.length + 13} bytes, the maximum is 107`)

  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
