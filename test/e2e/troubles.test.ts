import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { running } from './daemon.ts'
import { scratch } from './processes.ts'
import { receiving } from './receivers.ts'
import { accountAt, answering, echo } from './servers.ts'

/** A daemon whose address is what `seen` says, and its webhook. */
async function surroundings(answer: () => number) {
  const folder = scratch()
  const seen = { address: '203.0.113.1', word: 'good' }
  const service = await answering(() => ({ status: 200, body: `${seen.word} ${seen.address}\n` }))
  const sink = await receiving(() => ({ status: answer() }))
  const settings = [
    ...accountAt(service, folder),
    '--webhook',
    sink.url,
    '--webhook-format',
    'json',
    '--when-stopped',
    'idle',
  ]
  const again = () => running(settings, environment)
  const environment = {
    HOLDFAST_PASSWORD: 'secret',
    HOLDFAST_SOURCES: await echo(() => seen.address),
    HOLDFAST_AGREEMENT: 'one',
    HOLDFAST_ALLOW: 'documentation',
    HOLDFAST_IPV6: 'no',
    HOME: folder,
    TMPDIR: folder,
  }
  const client = again()
  const confirmed = async (address: string) =>
    eventually(
      () => client.lines.filter((line) => line.includes('confirmed') && line.includes(address)).length,
    ).toBeGreaterThan(0)
  const change = async (to: string) => {
    seen.address = to
    await client.ask('poke')
    await confirmed(to)
  }
  const shown = async (command: string, ...more: readonly string[]) => {
    const { stdout, stderr } = await client.ask(command, ...more)
    return stdout + stderr
  }
  await confirmed(seen.address)
  return { folder, seen, sink, client, again, change, shown }
}

it('a state that is kept where a reboot may delete it is told everywhere, until it is where it belongs', async () => {
  const { folder, sink, client, change, shown } = await surroundings(() => 200)
  const state = join(folder, 'state')
  const text = 'stops and waits are saved in'
  expect(await shown('status')).not.toContain(text)
  rmSync(state, { recursive: true })
  writeFileSync(state, '')
  await change('203.0.113.2')

  await eventually(() => sink.received.map(({ body }) => body).join('\n')).toContain('"event":"unsaved"')
  for (const command of ['status', 'explain', 'doctor']) {
    const said = (await shown(command)).replaceAll(/\s+/g, ' ')
    expect(said, command).toContain(text)
    expect(said, command).toContain(`what to do: make ${state} writable`)
  }
  const health = await client.ask('status', '--healthcheck')
  expect([health.code, health.stderr]).toEqual([69, expect.stringContaining(text)])

  rmSync(state)
  await change('203.0.113.3')
  expect(await shown('status')).not.toContain(text)
  expect((await client.ask('status', '--healthcheck')).code).toBe(0)
})

it('a receiver that takes nothing is named where people look, until it takes something', async () => {
  let status = 404
  const { seen, sink, client, shown, again } = await surroundings(() => status)
  const text = /notifications to webhook at 127\.0\.0\.1:\d+ fail: it answered HTTP 404 \(since /
  await eventually(() => sink.received.length).toBeGreaterThan(0)
  for (const command of ['status', 'explain', 'notify', 'doctor'])
    await eventually(async () => (await shown(command)).replaceAll(/\s+/g, ' ')).toMatch(text)
  const { accounts, troubles } = JSON.parse((await client.ask('status', '--json')).stdout) as {
    accounts: readonly object[]
    troubles: readonly object[]
  }
  expect([accounts.length, troubles]).toEqual([1, [expect.objectContaining({ kind: 'delivery' })]])
  expect((await client.ask('status', '--healthcheck')).code).toBe(0)

  // It is known without a daemon too, and by the next one.
  client.child.kill('SIGKILL')
  await client.ended
  expect((await shown('status')).replaceAll(/\s+/g, ' ')).toMatch(text)
  const next = again()
  await next.line('nothing to do until')
  expect((await shown('notify')).replaceAll(/\s+/g, ' ')).toMatch(text)

  status = 200
  // A stop is told at once.
  Object.assign(seen, { address: '203.0.113.2', word: 'badauth' })
  await next.ask('poke')
  await eventually(async () => shown('status')).toMatch(/stopped since/)
  await eventually(async () => shown('status')).not.toMatch(/notifications to .* fail/)
})

it('a stop that its receiver refuses is told at the next start, when the receiver takes it', async () => {
  let status = 200
  const { seen, sink, client, again, shown } = await surroundings(() => status)
  await eventually(() => sink.received.length).toBe(1)
  status = 302
  Object.assign(seen, { address: '203.0.113.2', word: 'badauth' })
  await client.ask('poke')
  await eventually(async () => shown('status')).toMatch(/notifications to .* fail/)
  client.child.kill('SIGKILL')
  await client.ended
  status = 200
  const next = again()
  await eventually(() => sink.received.filter(({ body }) => body.includes('"event":"stopped"')).length).toBe(
    2,
  )
  await eventually(async () => shown('status')).not.toMatch(/notifications to .* fail/)
  next.child.kill('SIGKILL')
  await next.ended
  again()
  await eventually(async () => shown('status')).toMatch(/stopped since/)
  // It has arrived, and is not told again.
  expect(sink.received.filter(({ body }) => body.includes('"event":"stopped"'))).toHaveLength(2)
})
