import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { env, running } from './daemon.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { clientOf, type Service, scratch, service } from './processes.ts'
import { echo } from './servers.ts'

/** A daemon that checks the address every second. */
const daemon = (at: Service, state: string, ...extra: readonly string[]) =>
  running(daemonArgs(at, state, ...extra), env(at))
const daemonArgs = (at: Service, state: string, ...extra: readonly string[]) => [
  ...clientOf(at, state),
  '--schedule',
  '* * * * * *',
  '--no-ipv6',
  ...extra,
]

it('sends each change of the address and nothing else, and ends with 0 on SIGTERM', async () => {
  const at = await service('--log-level', 'debug')
  let address = '8.8.8.8'
  const state = scratch()
  const { child, ended, line } = daemon(at, state, '--source', await echo(() => address))
  await line('good","addresses":["8.8.8.8"]')
  address = '8.8.4.4'
  await line('good","addresses":["8.8.4.4"]')

  child.kill('SIGTERM')

  expect(await ended).toBe(0)
  expect(at.stderr().match(/"path":"\/nic\/update"/g)).toHaveLength(2)
  expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('8.8.4.4')
})

it('ends with 77 when it is stopped, and again at the next start', async () => {
  const at = await service('--fault', 'word:abuse', '--log-level', 'debug')
  const state = scratch()

  expect(await daemon(at, state, '--myip', '192.0.2.1').ended).toBe(77)
  expect(await daemon(at, state, '--myip', '192.0.2.1').ended).toBe(77)
  expect(at.stderr().match(/"path":"\/nic\/update"/g)).toHaveLength(1)
})

it('retries immediately at a start after the service was unreachable', async () => {
  const at = await service('--fault', 'reset')
  const state = scratch()
  const first = daemon(at, state, '--myip', '192.0.2.1')
  await first.line('the service was not reached')
  first.child.kill('SIGTERM')
  await first.ended
  expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('"until": ')

  // A wait for that time would never end.
  const second = running(daemonArgs(at, state, '--myip', '192.0.2.1'), { ...env(at), ...shortTimers(200) })
  await second.line('sending an update request')

  second.child.kill('SIGTERM')
  await second.ended
})

it('finishes the current request on SIGTERM', async () => {
  const at = await service('--fault', 'slow:1s')
  const state = scratch()
  const { child, ended, line } = daemon(at, state, '--myip', '192.0.2.1')
  await line('sending an update request')

  child.kill('SIGTERM')

  expect(await ended).toBe(0)
  expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('192.0.2.1')
})

it('cancels a request that hangs, and ends within five seconds', async () => {
  const at = await service('--fault', 'slow:1h')
  const args = daemonArgs(at, scratch(), '--myip', '192.0.2.1')
  const { child, ended, line } = running(args, { ...env(at), ...shortTimers(4999) })
  await line('sending an update request')

  child.kill('SIGINT')

  expect(await ended).toBe(0)
  await at.stop('SIGKILL')
})

it('continues when its state cannot be saved, and logs that once', async () => {
  const at = await service()
  const file = join(scratch(), 'not-a-folder')
  writeFileSync(file, '')
  let address = '8.8.8.8'
  const nowhere = ['--runtime-dir', scratch(), '--source', await echo(() => address)]
  const args = [...clientOf(at, file), '--no-ipv6', '--interval', '1h', ...nowhere]
  const { child, ended, line, lines } = running(args, { ...env(at), XDG_RUNTIME_DIR: file, TMPDIR: file })
  await line('good","addresses":["8.8.8.8"]')
  address = '8.8.4.4'
  child.kill('SIGUSR1')
  await line('good","addresses":["8.8.4.4"]')
  child.kill('SIGTERM')

  expect(await ended).toBe(0)
  expect(lines.filter((one) => one.includes('the state cannot be saved'))).toHaveLength(1)
})
