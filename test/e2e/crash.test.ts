import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { env, running } from './daemon.ts'
import { clientOf, scratch, service, start } from './processes.ts'

/** Code that Node runs before the program: a bug that SIGUSR2 triggers. */
function withBug(how: string): string {
  const hook = join(scratch(), 'bug.cjs')
  writeFileSync(hook, `process.on('SIGUSR2', () => setTimeout(() => { ${how} }, 10))`)
  return `--require ${hook}`
}

const THROWN = `throw new TypeError('as if by mistake')`
const REJECTED = `void Promise.reject(new TypeError('as if by mistake'))`

it.each([
  ['is thrown by a timer', THROWN],
  ['rejects a promise that nothing awaits', REJECTED],
])('a daemon with a bug that %s logs the stack, saves its state and ends with 70', async (_, how) => {
  const at = await service()
  const folder = scratch()
  const state = join(folder, 'state')
  writeFileSync(state, 'no folder, so that nothing can be saved before')
  const nowhere = { XDG_RUNTIME_DIR: state, TMPDIR: state }
  const args = [...clientOf(at, state), '--runtime-dir', folder, '--myip', '192.0.2.1', '--no-ipv6']
  const { child, ended, line, lines } = running(args, { ...env(at), ...nowhere, NODE_OPTIONS: withBug(how) })
  await line('nothing to do until then')
  rmSync(state)

  child.kill('SIGUSR2')

  expect(await ended).toBe(70)
  const all = lines.map((one) => JSON.parse(one) as Record<string, string>)
  const last = all.findLast(({ level }) => Number(level) === 50) ?? {}
  expect(last['msg']).toMatch(/^this is a bug in Holdfast \d+\.\d+\.\d+; please report it with these lines$/)
  expect(last['error']).toMatch(/^TypeError: as if by mistake\n {4}at /)
  expect(all.at(-1)?.['msg']).toBe('the state can be saved again')
  expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('192.0.2.1')
})

it('a daemon with a bug ends with 70 even if it cannot save its state', async () => {
  const at = await service()
  const folder = scratch()
  const state = join(folder, 'state')
  writeFileSync(state, 'no folder')
  const args = [...clientOf(at, state), '--runtime-dir', folder, '--myip', '192.0.2.1', '--no-ipv6']
  const { child, ended, line } = running(args, { ...env(at), NODE_OPTIONS: withBug(THROWN) })
  await line('nothing to do until then')

  child.kill('SIGUSR2')

  expect(await ended).toBe(70)
  expect(existsSync(join(state, 'state.json'))).toBe(false)
})

it('a service with a bug logs the stack and ends with 70', async () => {
  const child = start(['serve', '--dev', '--json'], { env: { NODE_OPTIONS: withBug(THROWN) } })
  const ended = new Promise<number | null>((done) => child.on('close', done))
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  await eventually(() => log).toContain('listening')

  child.kill('SIGUSR2')

  expect(await ended).toBe(70)
  const last = JSON.parse(log.trim().split('\n').at(-1) ?? '{}') as Record<string, string>
  expect(last['msg']).toContain('this is a bug in Holdfast')
  expect(last['error']).toMatch(/^TypeError: as if by mistake\n {4}at /)
})
