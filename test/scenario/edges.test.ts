import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { after, hours, type Instant, instant, milliseconds, minutes, seconds } from '../../src/base/time.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import { exchangeEvents } from '../../src/client/agent/exchange-events.ts'
import { nextWait, retryAt, waitAt } from '../../src/client/decide/backoff.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import type { Observation } from '../../src/client/decide/observation.ts'
import { accountOf, NEW_STATE } from '../../src/client/decide/state.ts'
import { clientTime } from '../../src/client/memory/client-time.ts'
import { formatState, parseState } from '../../src/client/memory/codec.ts'
import { fileMemory } from '../../src/client/memory/file-memory.ts'
import { outcomeOf, worstOutcome } from '../../src/client/report/outcome.ts'
import { type Address, parseAddress } from '../../src/net/address.ts'
import { systemFiles } from '../../src/platform/files.ts'
import { type Disk, disk, type Line, PLAN, type Sky, START, world } from '../fakes/world.ts'

const STARTED: readonly Observation[] = [{ kind: 'started' }]
const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}

interface Scene {
  script: readonly Line[]
  span?: number
  sky?: Sky
  desiredStates?: readonly Partial<DesiredState>[]
  kept?: Disk
  opening?: readonly Observation[]
}
async function daemon({ script, span = 24, sky, desiredStates, kept = disk(), opening = STARTED }: Scene) {
  const lines = [...script]
  const scene = world(kept, lines, sky, desiredStates)
  scene.stopAfter(hours(span))
  await run(scene, opening, forever)
  expect(lines).toEqual([])
  return scene.diary
}
async function oneShot({ script, sky, desiredStates, kept = disk(), opening = STARTED }: Scene) {
  const scene = world(kept, [...script], sky, desiredStates)
  await run(scene, opening, once)
  return scene.diary
}
const times = (d: readonly string[]) => d.map((e) => e.split(' ')[0])

it('the word of the user is for the account that it names', async () => {
  const kept = disk()
  const desiredStates = [{ account: 'a' }, { account: 'b' }]
  await oneShot({ script: ['abuse', 'abuse'], desiredStates, kept })
  expect(
    await oneShot({
      script: ['good'],
      desiredStates,
      kept,
      opening: [...STARTED, { kind: 'resumed', account: 'b' }],
    }),
  ).toHaveLength(1)
})
it('a refused option is tried again when the settings change', async () => {
  const kept = disk()
  await daemon({ script: ['!donator', 'good'], desiredStates: [{ isOffline: true }], kept })
  const desiredStates = [{ isOffline: true, fingerprints: { ...PLAN.fingerprints, settings: 's2' } }]
  expect((await oneShot({ script: ['good'], desiredStates, kept }))[0]).toContain('offline=YES')
})
it('a refused option does not take back a wait', async () =>
  expect(
    times(
      await daemon({
        script: ['911\n!donator', 'good\ngood'],
        desiredStates: [{ isOffline: true, hostnames: ['a.test', 'b.test'] }],
        span: 1,
      }),
    ),
  ).toEqual(['0', '30m']))
it('what a service confirmed without being told is remembered', async () => {
  const kept = disk()
  await oneShot({ script: ['good 198.51.100.9'], desiredStates: [{ reliesOnConnection: true }], kept })
  expect(await oneShot({ script: [], kept, sky: () => ['198.51.100.9'] })).toEqual([])
})
it('a wait is as old as the first of the answers that asked for it', async () => {
  const kept = disk()
  await daemon({ script: ['911', '911'], kept, span: 1 })
  const state = parseState(kept.text)
  expect(state.ok && accountOf(state.value.state, PLAN.account).status).toMatchObject({
    since: START,
    attempt: 3,
  })
})
it('Retry-After lengthens the wait after an answer that was not understood', async () =>
  expect(
    times(
      await daemon({ script: [{ status: 200, body: 'dnserr', headers: { 'retry-after': '7200' } }, 'good'] }),
    ),
  ).toEqual(['0', '2h']))
it('a family that was lost is not blanked by a change of the other', async () => {
  const sky: Sky = (m) =>
    m < 60 ? ['192.0.2.1', '2001:db8::1'] : m < 120 ? ['192.0.2.2'] : ['192.0.2.2', '2001:db8::1']
  expect(await daemon({ script: ['good', 'good'], sky })).toHaveLength(2)
})
it('the daemon ends when every one of its names is stopped', async () =>
  expect(
    await daemon({
      script: ['nohost\nnohost'],
      desiredStates: [{ hostnames: ['a.test', 'b.test'], nohostStops: 'hostname' }],
    }),
  ).toHaveLength(2))
it('a refresh of 0 is never', async () =>
  expect(
    await daemon({ script: ['good'], desiredStates: [{ refreshAfter: milliseconds(0) }], span: 24 * 60 }),
  ).toHaveLength(1))
it('an offline name is touched again in time', async () =>
  expect(
    times(await daemon({ script: ['good', 'good'], desiredStates: [{ isOffline: true }], span: 24 * 30 })),
  ).toEqual(['0', '26d14h24m']))
it('names share a request only when they need the same addresses', async () => {
  const kept = disk()
  await oneShot({ script: ['good'], desiredStates: [{ hostnames: ['a.test'] }], kept })
  await oneShot({
    script: ['good'],
    desiredStates: [{ hostnames: ['b.test'] }],
    kept,
    sky: () => ['192.0.2.2'],
  })
  const diary = await oneShot({
    script: ['good', 'good'],
    desiredStates: [{ hostnames: ['a.test', 'b.test'], isOffline: true }],
    kept,
  })
  expect(diary.map((e) => e.split('?')[1])).toEqual([
    'hostname=a.test&myip=192.0.2.1&offline=YES',
    'hostname=b.test&myip=192.0.2.2&offline=YES',
  ])
})
it('waits never go below their floor, and a tenth above it at most', () => {
  const floors = [30, 60, 120, 240, 240]
  const first = nextWait('911', undefined)
  floors.forEach((floor, turn) => {
    expect(waitAt(first + turn, 0)).toBe(minutes(floor))
    expect(waitAt(first + turn, 1)).toBe(minutes(floor * 1.1))
  })
})
it('retries lie between five and ten minutes apart in the long run', () => {
  expect([retryAt(5, 0), retryAt(50, 0.5), retryAt(500, 0.999)]).toEqual([
    minutes(5),
    minutes(7.5),
    seconds(599.7),
  ])
})
it('a state of another version is not believed', () => {
  expect(parseState(formatState(NEW_STATE).replace('"version": 2', '"version": 1')).ok).toBe(false)
})
it('a captive portal is not named when an echo service gave a sensible answer', async () => {
  const told = async (by: string) => {
    const scene = world(disk(), ['<html>'])
    const source = {
      name: by,
      look: async () => ({ kind: 'seen', address: address('192.0.2.1'), by }) as const,
    }
    await run({ ...scene, jobs: scene.jobs.map((c) => ({ ...c, source })) }, STARTED, once)
    return scene.events.some(({ kind }) => kind === 'captivePortal')
  }
  expect([await told('interface eth0'), await told('https://echo.test/')]).toEqual([true, false])
})
it('a captive portal is not named when another service answered', async () => {
  const scene = world(disk(), ['good', '<html>'], undefined, [{ account: 'a' }, { account: 'b' }])
  await run(scene, STARTED, once)
  expect(scene.events.some(({ kind }) => kind === 'captivePortal')).toBe(false)
})
it.each([
  [minutes(2), seconds(132)],
  [minutes(60), minutes(60.5)],
])('jitter is a tenth, and half a minute at most: %i ms become %i', async (span, wait) => {
  const schedule = { nextAfter: (from: Instant) => instant(from + span) }

  const { world: seen } = await run(
    { ...world(disk(), ['good']), random: () => 1 - 1e-9, schedule },
    STARTED,
    once,
  )

  expect(seen.nextLook - START).toBe(wait)
})

it('a source that accounts share is asked once', async () => {
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
it('every wait is told', async () => {
  const scene = world(disk(), ['911', '911'])
  scene.stopAfter(hours(1))
  await run(scene, STARTED, forever)
  expect(scene.events.filter(({ kind }) => kind === 'waiting')).toHaveLength(2)
})
it('a confirmation that differs in one family is told', () => {
  const sent = { hostnames: ['h.test'], addresses: { v4: address('192.0.2.1'), v6: address('2001:db8::1') } }
  const replies = [{ word: 'good', addresses: [address('192.0.2.1'), address('2001:db8::2')] }] as const
  expect(exchangeEvents({ kind: 'answered', account: 'a', sent, replies }, sent)[0]?.kind).toBe(
    'confirmedDifferent',
  )
})
it('a name or an option that is stopped makes the whole run stopped', async () => {
  const end = async (scene: Scene) => {
    const w = world(disk(), [...scene.script], scene.sky, scene.desiredStates)
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
it('a wall clock that is set right during a wait does not end the wait at the next boot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-edges-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // A machine without a battery wakes up in 1970; five minutes later it learns the date; after ten it is started anew.
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

it('a one-shot tries each account once, however long the tries take, and leaves the retries to the next run', async () => {
  const desiredStates = ['a', 'b', 'c'].map((account) => ({
    account,
    hostnames: [`${account}.example.test`],
  }))
  const scene = world(disk(), Array.from<Line>({ length: 9 }).fill('unreached'), undefined, desiredStates)
  const slow = async (...args: Parameters<typeof scene.http>) => {
    await scene.clock.sleep(after(scene.clock.now(), seconds(15)), scene.end)
    return scene.http(...args)
  }

  await run({ ...scene, http: slow, mustSave: true }, STARTED, once)

  expect(scene.diary.map((line) => /hostname=(\w)/.exec(line)?.[1])).toEqual(['a', 'b', 'c'])
})
