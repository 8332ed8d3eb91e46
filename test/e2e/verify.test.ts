import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { hours } from '../../src/shared/base/time.ts'
import { formatState, parseState } from '../../src/client/agent/memory/codec.ts'
import { encodeName } from '../../src/shared/dns/name.ts'
import { FLAGS, RR_TYPES } from '../../src/shared/dns/types.ts'
import { eventually } from '../eventually.ts'
import type { Given } from '../fakes/dns-responder.ts'
import { nameServer } from '../fakes/name-server.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { env, requests, running } from './daemon.ts'
import { clientOf, holdfast, scratch, type Service, service, start } from './processes.ts'

const HOST = 'home.example.test'
const giving = (...octets: readonly number[]): Given => ({
  answers: [{ owner: encodeName(HOST), type: RR_TYPES.A, rdata: Buffer.from(octets) }],
})
const OLD = giving(192, 0, 2, 1)
const LAME = { ...OLD, flags: FLAGS.QR }

/** The environment of a user: verification is on, as by default. */
const verifying = (at: Service, servers: readonly string[]) => ({
  ...env(at),
  HOLDFAST_VERIFY: undefined,
  HOLDFAST_VERIFY_SERVERS: servers.join(','),
})

/** Moves the confirmations of a state file into the past. */
function confirmHoursAgo(path: string): void {
  const file = parseState(readFileSync(path, 'utf8'))
  if (!file.ok) throw new Error(file.error)
  const { state, anchor } = file.value
  const text = JSON.stringify(state, (key, value: unknown) =>
    key === 'since' || key === 'touched' ? Number(value) - hours(2) : value,
  )
  writeFileSync(path, formatState(JSON.parse(text) as typeof state, anchor))
}

/** A service with a client that has confirmed 192.0.2.1. */
async function confirmed() {
  const at = await service('--log-level', 'debug')
  const state = scratch()
  const run = async (command: string, servers: readonly string[], ...more: readonly string[]) =>
    holdfast([command, ...clientOf(at, state), '--runtime-dir', state, ...more], {
      env: verifying(at, servers),
    })
  const update = async (address: string, servers: readonly string[], ...more: readonly string[]) =>
    run('update', servers, '--myip', address, '--log-level', 'error', ...more)
  expect((await update('192.0.2.1', [at.dns])).code).toBe(0)
  return { at, state, run, update }
}

describe('holdfast update', () => {
  it('says where the new address is seen, of the service itself', async () => {
    const { at, update } = await confirmed()
    const { code, stdout } = await update('192.0.2.2', [at.dns])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^${HOST}: good 192.0.2.2 .*\n${HOST}: published: seen at ${at.dns} \\(\\d\\.\\d s after good\\)\n$`,
        ),
      ),
    ])
  })

  it('waits five seconds at most for a server that is stuck, and ends with the same exit code', async () => {
    const { at, state } = await confirmed()
    const stuck = await nameServer(() => OLD)
    // The round after five seconds would wait for three of them.
    const words = ['update', ...clientOf(at, state), '--runtime-dir', state, '--myip', '192.0.2.2']
    const { code, stdout } = await holdfast([...words, '--log-level', 'error'], {
      env: { ...verifying(at, [at.dns, stuck.endpoint]), ...shortTimers(2500) },
    })
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`${HOST}: published: seen at ${at.dns}, not yet at ${stuck.endpoint}\n`),
    ])
    expect(requests(at)).toBe(2)
  })

  it.each<[string, (() => Given | undefined) | undefined, string]>([
    ['a lame server', () => LAME, 'does not answer for the zone'],
    ['a silent server', () => undefined, 'does not answer'],
  ])('says that the name is not verified where there is only %s', async (_, answer, words) => {
    const { update } = await confirmed()
    const { endpoint } = await nameServer(answer ?? (() => undefined))
    const { code, stdout } = await update('192.0.2.2', [endpoint])
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`${HOST}: not verified: ${endpoint} ${words}\n`),
    ])
  })

  it('as JSON is one document with each server', async () => {
    const { at, update } = await confirmed()
    const other = await nameServer(() => giving(203, 0, 113, 9))
    const { stdout } = await update('192.0.2.2', [at.dns, other.endpoint], '--json')
    const { accounts } = JSON.parse(stdout) as { accounts: readonly { hostnames: readonly object[] }[] }
    expect(accounts[0]?.hostnames[0]).toMatchObject({
      sent: { addresses: ['192.0.2.2'], previous: { v4: '192.0.2.1' } },
      published: {
        state: 'pending',
        servers: [
          { server: at.dns, finding: 'seen', addresses: [] },
          { server: other.endpoint, finding: 'other', addresses: ['203.0.113.9'] },
        ],
      },
    })
  })

  it('asks nothing where nothing was sent, and with --verify it does', async () => {
    const { update } = await confirmed()
    const server = await nameServer(() => OLD)
    const nothing = await update('192.0.2.1', [server.endpoint])
    expect([nothing.stdout, server.questions]).toEqual([expect.not.stringContaining('published'), []])
    const asked = await update('192.0.2.1', [server.endpoint], '--verify')
    expect([asked.code, asked.stdout]).toEqual([
      0,
      expect.stringContaining(`${HOST}: published: seen at ${server.endpoint}\n`),
    ])
    const questions = server.questions.length
    expect((await update('192.0.2.1', [server.endpoint], '--verify', '--quiet')).stdout).toBe('')
    expect(server.questions).toHaveLength(questions)
  })

  it('asks nothing with --no-verify', async () => {
    const { update } = await confirmed()
    const server = await nameServer(() => OLD)
    const { stdout } = await update('192.0.2.2', [server.endpoint], '--no-verify')
    expect([stdout, server.questions]).toEqual([expect.not.stringContaining('published'), []])
  })

  it('a signal ends the wait for a name server; the update is done', async () => {
    const { at, state } = await confirmed()
    const stuck = await nameServer(() => OLD)
    const args = ['update', ...clientOf(at, state), '--runtime-dir', state, '--myip', '192.0.2.2', '--verify']
    const child = start(args, { env: verifying(at, [stuck.endpoint]) })
    let stdout = ''
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    const ended = new Promise((done) => child.on('close', done))
    await eventually(() => stuck.questions.length).toBeGreaterThan(1)
    child.kill('SIGINT')
    await ended
    expect(stdout).toContain(`${HOST}: good 192.0.2.2`)
  })

  it('a server to ask without a port is refused', async () => {
    const { update } = await confirmed()
    const { code, stderr } = await update('192.0.2.2', ['ns1.example.test'])
    expect([code, stderr]).toEqual([78, expect.stringContaining('verify_servers')])
  })
})

describe('holdfast status and explain', () => {
  it('ask now: status with --verify, explain always', async () => {
    const { at, run } = await confirmed()
    expect((await run('status', [at.dns])).stdout).not.toContain('published')
    expect((await run('status', [at.dns], '--verify')).stdout).toContain(`    published: seen at ${at.dns}\n`)
    const explained = await run('explain', [at.dns])
    expect([explained.code, explained.stdout]).toEqual([
      0,
      expect.stringContaining(`    published: seen at ${at.dns}\n    A resolver that asked earlier`),
    ])
  })

  it('explain asks for the hostname that it is given, and for none that is offline', async () => {
    const at = await service()
    const state = scratch()
    const server = await nameServer(() => OLD)
    const flags = [
      '--server',
      at.url,
      '--username',
      at.username,
      '--state-dir',
      state,
      '--runtime-dir',
      state,
    ]
    const names = at.hostnames.flatMap((name) => ['--hostname', name])
    const run = async (...words: readonly string[]) =>
      holdfast([...words, ...flags, ...names], { env: verifying(at, [server.endpoint]) })
    await run('update', '--myip', '192.0.2.1', '--no-verify')
    const second = at.hostnames[1] ?? ''
    await run('explain', second)
    expect(new Set(server.questions.map(({ name }) => name))).toEqual(new Set([second]))
    await run('update', '--offline', '--no-verify')
    const before = server.questions.length
    expect((await run('explain', '--offline')).stdout).not.toContain('accepted')
    expect(server.questions).toHaveLength(before)
  })

  it('status --watch --verify asks when it prints, and not every second', async () => {
    const { at, state } = await confirmed()
    const server = await nameServer(() => OLD)
    const child = start(['status', ...clientOf(at, state), '--runtime-dir', state, '--watch', '--verify'], {
      env: verifying(at, [server.endpoint]),
    })
    const ended = new Promise((done) => child.on('close', done))
    await eventually(() => server.questions.length).toBe(1)
    await sleep(2500)
    child.kill('SIGTERM')
    await ended
    expect(server.questions).toHaveLength(1)
  })

  it('another view of the zone is named, some time after the confirmation', async () => {
    const { state, run } = await confirmed()
    confirmHoursAgo(join(state, 'state.json'))
    const other = await nameServer(() => giving(10, 0, 0, 7))
    const { code, stdout } = await run('explain', [other.endpoint])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/accepted, but \S+ gives 10\.0\.0\.7\n.*its own view of the zone/),
    ])
  })
})

/** A daemon that confirms 192.0.2.2; its commands ask no name server themselves. */
function verifyingDaemon(at: Service, server: string) {
  const state = scratch()
  const flags = [...clientOf(at, state), '--runtime-dir', state, '--no-ipv6', '--interval', '1h']
  return running([...flags, '--myip', '192.0.2.2'], {
    ...env(at),
    HOLDFAST_VERIFY: 'yes',
    HOLDFAST_VERIFY_SERVERS: server,
  })
}

describe('a daemon', () => {
  it('reports when the name servers give the address, and shows it in status', async () => {
    const at = await service()
    const { line, ask } = verifyingDaemon(at, at.dns)
    await line('the name servers give the confirmed address')
    expect((await ask('status')).stdout).toMatch(
      new RegExp(
        `192\\.0\\.2\\.2 +[-\\d]+ [:\\d]+\n    published: seen at ${at.dns} \\(\\d\\.\\d s after good\\)`,
      ),
    )
  })
})
