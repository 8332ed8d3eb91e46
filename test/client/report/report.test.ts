import { expect, it } from 'vitest'
import { hours, minutes } from '../../../src/shared/base/time.ts'
import { forever, run } from '../../../src/client/agent/run.ts'
import { ExchangeLog, reportAccounts } from '../../../src/client/report/report.ts'
import { disk, world } from '../../fakes/world.ts'

it('reports since when no address is known, and the next look', async () => {
  const scene = world(disk(), [], (minute) => (minute < 12 ? ['192.0.2.1'] : []))
  const agent = {
    ...scene,
    http: async () => ({ kind: 'answered', status: 200, headers: {}, body: 'good' }) as const,
  }
  scene.stopAfter(hours(1))
  const loop = await run(agent, [{ kind: 'started' }], forever)
  const [seen] = reportAccounts(loop, {
    exchanges: new ExchangeLog(),
    clock: { now: scene.clock.now(), wallAt: (at) => at },
  })

  expect(seen).toMatchObject({
    outcome: 'addressUnknown',
    since: '2026-01-01T00:15:00.000Z',
    nextLook: expect.stringMatching(/^2026-01-01T01:/) as string,
  })
})

it('an address that was sent and not confirmed is remarked', async () => {
  const script = ['good 192.0.2.1', ...Array<string>(20).fill('unreached')]
  const scene = world(disk(), script, (minute) => [minute < 12 ? '192.0.2.1' : '192.0.2.2'])
  scene.stopAfter(minutes(16))
  const loop = await run(scene, [{ kind: 'started' }], forever)
  const [account] = reportAccounts(loop, {
    exchanges: new ExchangeLog(),
    clock: { now: scene.clock.now(), wallAt: (at) => at },
  })
  expect(account?.hostnames[0]).toMatchObject({
    confirmed: { v4: '192.0.2.1' },
    remarks: ['192.0.2.2 was sent, and the service has not confirmed it'],
  })
})

it.each([
  ['no-zone', 'no-zone, which holdfast explain no-zone explains'],
  ['notfqdn', 'the service answered notfqdn, which is handled like nohost'],
])('remarks on a hostname that %s stopped', async (said, remark) => {
  const scene = world(disk(), ['good 192.0.2.1'], () => ['192.0.2.1'])
  scene.stopAfter(minutes(1))
  const loop = await run(scene, [{ kind: 'started' }], forever)
  const [id, account] = Object.entries(loop.state.accounts)[0] ?? []
  const [hostname, host] = Object.entries(account?.hosts ?? {})[0] ?? []
  if (id === undefined || account === undefined || hostname === undefined || host === undefined)
    throw new Error('nothing was updated')
  const stopped = { because: 'nohost', said, since: scene.clock.now() } as const
  const accounts = { [id]: { ...account, hosts: { [hostname]: { ...host, stopped } } } }
  const state = { ...loop.state, accounts } as typeof loop.state
  const [report] = reportAccounts(
    { ...loop, state },
    { exchanges: new ExchangeLog(), clock: { now: scene.clock.now(), wallAt: (at) => at } },
  )
  expect(report?.hostnames[0]?.remarks).toContain(remark)
})
