import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fill } from '../bench/fill.ts'
import { addressIn, Asker } from '../bench/publish-asker.ts'
import { publishFilled } from '../bench/publish-large.ts'
import { secondariesIn } from '../bench/publish-servers.ts'
import { startService } from '../bench/service.ts'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { scratch } from '../e2e/processes.ts'
import { lacks } from '../lacks.ts'
import { SECRET } from '../system/name-server-programs.ts'

const NAMES = 100_000
const isLacking = ['knotd', 'named', 'nsd', 'dig'].map((one) => lacks(one)).includes(true)

it.skipIf(isLacking)(
  'name servers fetch a zone of 100,000 names, and a change of one of them',
  async () => {
    const folder = scratch()
    const filled = fill(join(folder, 'store'), { names: NAMES, keys: 100 })
    publishFilled(filled)
    const { dns, servers, flags } = await secondariesIn(folder)
    const service = await startService(process.execPath, [
      '--store',
      filled.folder,
      '--nameservers',
      'ns1.operator.test',
      '--answer-queries',
      ...flags,
    ])
    const asker = new Asker()
    onTestFinished(async () => {
      asker.close()
      await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
      await service.stop()
    })
    for (const server of servers) {
      await server.start()
      server.addZone(filled.zone)
    }
    const all = [...servers.map(({ port }) => port), dns]
    const last = questionWire(`${filled.nameOf(NAMES)}.${filled.zone}`, RR_TYPES.A)
    const everyAnswers = async (address?: string): Promise<void> => {
      for (const port of all)
        await asker.until({ port, wire: last, pause: 50, timeout: 60_000 }, (answer) => {
          const given = addressIn(answer)
          return address === undefined ? given !== undefined : given === address
        })
    }
    await everyAnswers()
    expect(axfrOf(dns, filled.zone)).toBe(NAMES)
    const authorization = `Basic ${Buffer.from(`${filled.usernameOf(100)}:${filled.password}`).toString('base64')}`
    const hostname = `${filled.nameOf(NAMES)}.${filled.zone}`
    const response = await fetch(`${service.url}/nic/update?hostname=${hostname}&myip=203.0.113.7`, {
      headers: { authorization, 'user-agent': 'Acme t/1-1 me@example.test' },
    })
    expect(await response.text()).toBe('good 203.0.113.7\n')
    await everyAnswers('203.0.113.7')
  },
  180_000,
)

/** The A records of a transfer. */
function axfrOf(port: number, zone: string): number {
  const { stdout } = spawnSync(
    'dig',
    [
      '@127.0.0.1',
      '-p',
      String(port),
      '-y',
      `hmac-sha256:knot-key:${SECRET}`,
      '+noall',
      '+answer',
      'AXFR',
      zone,
    ],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  return stdout.split('\n').filter((line) => /\sIN\s+A\s/.test(line)).length
}
