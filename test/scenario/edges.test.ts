import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  after,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
  seconds,
} from '../../src/shared/base/time.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import { exchangeEvents } from '../../src/client/agent/change-reporter.ts'
import { nextWait, retryAt, waitAt } from '../../src/client/decide/backoff.ts'
import { accountOf, NEW_STATE } from '../../src/client/decide/state.ts'
import { clientTime } from '../../src/client/agent/memory/client-time.ts'
import { formatState, parseState } from '../../src/client/agent/memory/codec.ts'
import { fileMemory } from '../../src/client/agent/memory/file-memory.ts'
import { outcomeOf, worstOutcome } from '../../src/client/report/cause.ts'
import type { Family } from '../../src/shared/base/address.ts'
import type { Sighting } from '../../src/shared/base/sighting.ts'
import { systemFiles } from '../../src/shared/platform/files/files.ts'
import { disk, type ScriptedOutcome, PLAN, type AddressScript, START, world } from '../fakes/world.ts'
import { address } from '../fakes/address.ts'
import { daemon, oneShot, type Scene, STARTED } from './runs.ts'

const times = (d: readonly string[]) => d.map((e) => e.split(' ')[0])

it('resume clears the stops of the named account only', async () => {
  const file = disk()
  const desiredStates = [{ account: 'a' }, { account: 'b' }]
  await oneShot({ script: ['abuse', 'abuse'], desiredStates, file })
  expect(
    await oneShot({
      script: ['good'],
      desiredStates,
      file,
      opening: [...STARTED, { kind: 'resumed', account: 'b' }],
    }),
  ).toHaveLength(1)
})
it('a refused option is tried again when the settings change', async () => {
  const file = disk()
  await daemon({ script: ['!donator', 'good'], desiredStates: [{ isOffline: true }], file })
  const desiredStates = [{ isOffline: true, fingerprints: { ...PLAN.fingerprints, settings: 's2' } }]
  expect((await oneShot({ script: ['good'], desiredStates, file }))[0]).toContain('offline=YES')
})
it('a refused option does not end a wait', async () =>
  expect(
    times(
      await daemon({
        script: ['911\n!donator', 'good\ngood'],
        desiredStates: [{ isOffline: true, hostnames: ['a.test', 'b.test'] }],
        span: 1,
      }),
    ),
  ).toEqual(['0', '30m']))
it('an address that the service took from the connection is remembered', async () => {
  const file = disk()
  await oneShot({ script: ['good 198.51.100.9'], desiredStates: [{ reliesOnConnection: true }], file })
  expect(await oneShot({ script: [], file, addressesAt: () => ['198.51.100.9'] })).toEqual([])
})
it('a wait starts with the first of consecutive replies that require one', async () => {
  const file = disk()
  await daemon({ script: ['911', '911'], file, span: 1 })
  const state = parseState(file.text)
  expect(state.ok && accountOf(state.value.state, PLAN.account).status).toMatchObject({
    since: START,
    attempt: 3,
  })
})
it('Retry-After lengthens the wait after an unrecognized reply', async () =>
  expect(
    times(
      await daemon({ script: [{ status: 200, body: 'dnserr', headers: { 'retry-after': '7200' } }, 'good'] }),
    ),
  ).toEqual(['0', '2h']))
it('a lost family is not removed by a change of the other', async () => {
  const addressesAt: AddressScript = (m) =>
    m < 60 ? ['192.0.2.1', '2001:db8::1'] : m < 120 ? ['192.0.2.2'] : ['192.0.2.2', '2001:db8::1']
  expect(await daemon({ script: ['good', 'good'], addressesAt })).toHaveLength(2)
})
it('the daemon exits when all of its hostnames are stopped', async () =>
  expect(
    await daemon({
      script: ['nohost\nnohost'],
      desiredStates: [{ hostnames: ['a.test', 'b.test'], nohostStops: 'hostname' }],
    }),
  ).toHaveLength(2))
it('a refresh of 0 disables refreshes', async () =>
  expect(
    await daemon({ script: ['good'], desiredStates: [{ refreshAfter: milliseconds(0) }], span: 24 * 60 }),
  ).toHaveLength(1))
it('an offline hostname is refreshed', async () =>
  expect(
    times(await daemon({ script: ['good', 'good'], desiredStates: [{ isOffline: true }], span: 24 * 30 })),
  ).toEqual(['0', '26d14h24m']))
it('hostnames share a request only when they need the same addresses', async () => {
  const file = disk()
  await oneShot({ script: ['good'], desiredStates: [{ hostnames: ['a.test'] }], file })
  await oneShot({
    script: ['good'],
    desiredStates: [{ hostnames: ['b.test'] }],
    file,
    addressesAt: () => ['192.0.2.2'],
  })
  const log = await oneShot({
    script: ['good', 'good'],
    desiredStates: [{ hostnames: ['a.test', 'b.test'], isOffline: true }],
    file,
  })
  expect(log.map((e) => e.split('?')[1])).toEqual([
    'hostname=a.test&myip=192.0.2.1&offline=YES',
    'hostname=b.test&myip=192.0.2.2&offline=YES',
  ])
})
it('waits are between their minimum and a tenth more', () => {
  const minimums = [30, 60, 120, 240, 240]
  const first = nextWait('911', undefined)
  minimums.forEach((minimum, turn) => {
    expect(waitAt(first + turn, 0)).toBe(minutes(minimum))
    expect(waitAt(first + turn, 1)).toBe(minutes(minimum * 1.1))
  })
})
it('long-term retries are between five and ten minutes apart', () => {
  expect([retryAt(5, 0), retryAt(50, 0.5), retryAt(500, 0.999)]).toEqual([
    minutes(5),
    minutes(7.5),
    seconds(599.7),
  ])
})
it.each([0, 3])('a state file of version %i is rejected', (version) => {
  expect(parseState(formatState(NEW_STATE).replace('"version": 2', `"version": ${version}`)).ok).toBe(false)
})
it('a captive portal is reported where more than one place shows a page', async () => {
  const isReported = async (sighting: Sighting, accounts = 1) => {
    const names = ['a', 'b'].slice(0, accounts)
    const scene = world(
      disk(),
      names.map(() => '<html>'),
      undefined,
      names.map((account) => ({ account })),
    )
    const look = async (family: Family): Promise<Sighting> => (family === 'v4' ? sighting : { kind: 'none' })
    const source = { name: 'web', look }
    await run({ ...scene, jobs: scene.jobs.map((one) => ({ ...one, source })) }, STARTED, once)
    return scene.events.some(({ kind }) => kind === 'captivePortal')
  }
  const seen: Sighting = { kind: 'seen', address: address('192.0.2.1'), by: 'interface eth0' }
  expect(await isReported(seen)).toBe(false)
  expect(await isReported({ ...seen, isPage: true })).toBe(true)
  expect(await isReported(seen, 2)).toBe(true)
})
it('a captive portal is not reported when another service answered', async () => {
  const scene = world(disk(), ['good', '<html>'], undefined, [{ account: 'a' }, { account: 'b' }])
  await run(scene, STARTED, once)
  expect(scene.events.some(({ kind }) => kind === 'captivePortal')).toBe(false)
})
it.each([
  [minutes(2), seconds(132)],
  [minutes(60), minutes(60.5)],
])('jitter adds a tenth, up to half a minute: %i ms become %i', async (span, wait) => {
  const schedule = { nextAfter: (from: Instant) => instant(from + span) }

  const { world: seen } = await run(
    { ...world(disk(), ['good']), random: () => 1 - 1e-9, schedule },
    STARTED,
    once,
  )

  expect(seen.nextLook - START).toBe(wait)
})

it('accounts with the same source share one request', async () => {
  let asked = 0
  const scene = world(disk(), ['good', 'good'], undefined, [{ account: 'a' }, { account: 'b' }])
  const source = {
    name: 's',
    look: async () => (asked++, { kind: 'seen', address: address('192.0.2.1'), by: 's' } as const),
  }
  await run(
    {
      ...scene,
      jobs: scene.jobs.map((c) => ({ ...c, source, desired: { ...c.desired, families: ['v4'] } })),
    },
    STARTED,
    once,
  )
  expect(asked).toBe(1)
})
it('every wait is reported', async () => {
  const scene = world(disk(), ['911', '911'])
  scene.stopAfter(hours(1))
  await run(scene, STARTED, forever)
  expect(scene.events.filter(({ kind }) => kind === 'waiting')).toHaveLength(2)
})
it('a confirmation that differs in one family is reported', () => {
  const sent = { hostnames: ['h.test'], addresses: { v4: address('192.0.2.1'), v6: address('2001:db8::1') } }
  const replies = [{ word: 'good', addresses: [address('192.0.2.1'), address('2001:db8::2')] }] as const
  expect(exchangeEvents({ kind: 'answered', account: 'a', sent, replies }, sent, NEW_STATE)[0]?.kind).toBe(
    'confirmedDifferent',
  )
})
it('a stopped hostname or option makes the outcome of the run stopped', async () => {
  const end = async (scene: Scene) => {
    const w = world(disk(), [...scene.script], scene.addressesAt, scene.desiredStates)
    const rest = await run(w, STARTED, once)
    const desired = { ...PLAN, ...scene.desiredStates?.[0] }
    return outcomeOf(desired, { state: rest.state, world: rest.world, now: START })
  }
  expect(
    await end({
      script: ['good\nnohost'],
      desiredStates: [{ hostnames: ['a.test', 'b.test'], nohostStops: 'hostname' }],
    }),
  ).toBe('stopped')
  expect(await end({ script: ['!donator', 'good'], desiredStates: [{ isOffline: true }] })).toBe('stopped')
  expect(worstOutcome(['settled', 'waiting', 'stopped'])).toBe('stopped')
})
it('a wall clock that is corrected during a wait does not end the wait at the next boot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-edges-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // A machine without a battery boots in 1970, gets the date after five minutes, and reboots after ten.
  let [wall, uptime, boot] = [0, 0, 'first']
  const clocks = () => ({ wall: instant(wall), boot, uptime: milliseconds(uptime) })
  const memory = () => {
    const time = clientTime(clocks)
    return { time, memory: fileMemory([folder], { files: systemFiles, time, report: () => undefined }) }
  }
  const before = memory()
  const scene = world(disk(), ['911'])
  const ending = new AbortController()
  const clock: typeof scene.clock = {
    ...scene.clock,
    now: () => before.time.now(),
    sleep: async (until) => {
      const span = until - before.time.now()
      ;[wall, uptime] = [wall + span, uptime + span]
      if (uptime >= minutes(5) && wall < START) wall = START
      if (uptime >= minutes(10)) ending.abort()
    },
  }
  const first = await run({ ...scene, clock, memory: before.memory, end: ending.signal }, STARTED, forever)
  const { status } = accountOf(first.state, PLAN.account)
  const left = status.kind === 'waiting' ? status.until - before.time.now() : 0

  ;[wall, uptime, boot] = [wall + seconds(20), 0, 'second']
  const second = memory()
  await second.memory.load()

  expect(left).toBeGreaterThanOrEqual(minutes(20))
  expect(status.kind === 'waiting' && status.until - second.time.now()).toBe(left - seconds(20))
})

it('a one-shot sends one request for each account, and leaves retries to the next run', async () => {
  const desiredStates = ['a', 'b', 'c'].map((account) => ({
    account,
    hostnames: [`${account}.example.test`],
  }))
  const scene = world(
    disk(),
    Array.from<ScriptedOutcome>({ length: 9 }).fill('unreached'),
    undefined,
    desiredStates,
  )
  const slow = async (...args: Parameters<typeof scene.http>) => {
    await scene.clock.sleep(after(scene.clock.now(), seconds(15)), scene.end)
    return scene.http(...args)
  }

  await run({ ...scene, http: slow, mustSave: true }, STARTED, once)

  expect(scene.log.map((line) => /hostname=(\w)/.exec(line)?.[1])).toEqual(['a', 'b', 'c'])
})
