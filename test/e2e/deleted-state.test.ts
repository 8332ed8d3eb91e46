import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { running } from './daemon.ts'
import { holdfast, scratch } from './processes.ts'
import { accountAt, answering } from './servers.ts'

it('a stop that a daemon knows is saved again at its end, where the state was deleted meanwhile', async () => {
  const folder = scratch()
  let requests = 0
  const url = await answering(() => {
    requests++
    return { status: 200, body: 'abuse\n' }
  })
  const args = [...accountAt(url, folder), '--myip', '192.0.2.1', '--no-ipv6']
  const environment = { HOLDFAST_PASSWORD: 'canary-7' }
  const { child, line, ended } = running([...args, '--when-stopped', 'idle'], environment)
  await line('updates have stopped until you act')
  const state = join(folder, 'state/state.json')
  await line('"msg":"updates have stopped until you act"')
  rmSync(state)
  child.kill('SIGTERM')
  await ended
  expect(existsSync(state)).toBe(true)
  expect((await holdfast(['update', ...args], { env: environment })).code).toBe(77)
  expect(requests).toBe(1)
})
