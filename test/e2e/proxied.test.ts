import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encodeName } from '../../src/shared/dns/name.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { eventually } from '../eventually.ts'
import { nameServer } from '../fakes/name-server.ts'
import { cloudflare } from '../fakes/services/cloudflare.ts'
import { digitalocean } from '../fakes/services/digitalocean.ts'
import type { FakeWorld } from '../fakes/services/service.ts'
import { running } from './daemon.ts'
import { listening } from './every-service.ts'
import { holdfast, scratch } from './processes.ts'

const HOST = 'home.example.com'

/** A name at a record service whose name server gives a different address. */
async function at(
  fake: typeof cloudflare,
  extra: Record<string, unknown>,
  given: readonly number[],
  sixth: readonly number[] = [],
) {
  const world: FakeWorld = {
    zones: ['example.com'],
    records: [{ name: HOST, type: 'A', value: '192.0.2.1', ttl: 300, extra }],
    username: '',
    password: 'canary-token-7',
    apiKey: '',
    isReadOnly: false,
  }
  const asked: string[] = []
  const respond = fake.make(world)
  const server = await listening((request) => {
    asked.push(`${request.method} ${request.target.split('?')[0]}`)
    return respond(request)
  })
  const rdata = (type: number): readonly number[] => (type === RR_TYPES.A ? given : sixth)
  const dns = await nameServer(({ type }) => ({
    answers:
      rdata(type).length === 0 ? [] : [{ owner: encodeName(HOST), type, rdata: Buffer.from(rdata(type)) }],
  }))
  const folder = scratch()
  const file = join(folder, 'h.toml')
  writeFileSync(
    file,
    `provider = "${fake.id}"\nserver = "${server}"\npassword = "${world.password}"\nhostnames = ["${HOST}"]\n` +
      `verify_servers = ["${dns.endpoint}"]\nstate_dir = "${folder}"\nruntime_dir = "${folder}"\nmyip = ["192.0.2.2"]\nipv6 = false\n`,
    { mode: 0o600 },
  )
  const environment = { HOLDFAST_VERIFY: undefined as never }
  const ask = async (command: string, ...more: readonly string[]) =>
    holdfast([command, '--config', file, ...more], { env: environment })
  return { world, asked, ask, file, folder, environment }
}

const PROXY = [104, 16, 1, 1]

describe('a name for which the service publishes its own addresses', () => {
  it('is in order everywhere where the service says that it is proxied, and its DNS is not asked', async () => {
    const { ask, file, folder, environment } = await at(cloudflare, { proxied: true }, PROXY)
    const update = await ask('update')
    expect([update.code, update.stderr]).toEqual([0, ''])
    expect(update.stdout).toContain(`${HOST}: confirmed by the service, as a proxy does`)
    for (const command of ['status', 'explain']) {
      const { stdout } = await ask(command)
      expect(stdout).toContain('confirmed by the service, as a proxy does')
      expect(stdout).not.toMatch(/104\.16|another client/)
    }
    expect(readFileSync(join(folder, 'state.json'), 'utf8')).toContain('"isProxied": true')
    const { lines, line } = running(['--config', file], environment)
    await line('nothing to do until then')
    expect(JSON.parse((await ask('status', '--json')).stdout)).toMatchObject({
      accounts: [{ hostnames: [{ published: { state: 'hidden' }, isProxied: true }] }],
    })
    expect(lines.filter((one) => one.includes('"level":"warn"'))).toEqual([])
  })

  it('is in order where the service, asked, has the confirmed address', async () => {
    const { ask, asked } = await at(digitalocean, {}, PROXY)
    const { code, stdout } = await ask('update')
    expect([code, stdout]).toEqual([0, expect.stringContaining('confirmed by the service; 127.0.0.1:')])
    expect(stdout).toContain('gives 104.16.1.1, as a proxy does')
    // One update, and one reading of the record.
    expect(asked.filter((one) => one.startsWith('PUT') || one.startsWith('PATCH'))).toHaveLength(1)
  })

  it('is in order for a daemon, which asks the service once', async () => {
    const { file, environment, asked, ask } = await at(digitalocean, {}, PROXY)
    const { line } = running(['--config', file], environment)
    await line('"state":"hidden"')
    await eventually(() => asked.length).toBeGreaterThan(2)
    const before = asked.length
    const { stdout } = await ask('status')
    expect(stdout).toContain('as a proxy does')
    const explained = await ask('explain')
    expect(explained.stdout).toContain('as a proxy does')
    expect(asked.length).toBe(before)
  })

  it('is not in order where the service has another address', async () => {
    const { ask, world } = await at(digitalocean, {}, PROXY)
    const timer = setInterval(() => {
      // Another client changes the record as soon as it is written.
      for (const record of world.records) if (record.value === '192.0.2.2') record.value = '203.0.113.9'
    }, 1)
    const { stdout } = await ask('update')
    clearInterval(timer)
    expect(stdout).toContain('accepted, not yet at 127.0.0.1:')
    expect(stdout).not.toContain('proxy')
  })
})

it('an address of a family that is switched off, which is left in the DNS, is named', async () => {
  const left = [0x20, 0x01, 0x0d, 0xb8, ...Array.from({ length: 11 }, () => 0), 5]
  const { ask } = await at(digitalocean, {}, [192, 0, 2, 2], left)
  const { code, stdout } = await ask('update')
  expect([code, stdout]).toEqual([0, expect.stringContaining('published: seen at 127.0.0.1:')])
  expect(stdout).toContain(
    '; the DNS has also 2001:db8::5, of a family that is switched off: remove that record at the service',
  )
})
