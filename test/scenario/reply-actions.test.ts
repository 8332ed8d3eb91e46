import { describe, expect, it } from 'vitest'
import { after, hours, type Instant, minutes, parseDuration, seconds } from '../../src/base/time.ts'
import type { AgentEvent } from '../../src/client/agent/events.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import type { Observation } from '../../src/client/decide/observation.ts'
import { accountOf, hostOf } from '../../src/client/decide/state.ts'
import { parseState } from '../../src/client/memory/codec.ts'
import { byFamily, parseAddress } from '../../src/net/address.ts'
import { type Disk, disk, type Line, type Sky, START, world } from '../fakes/world.ts'

const STARTED: readonly Observation[] = [{ kind: 'started' }]
const ONE = '?hostname=home.example.test&myip=192.0.2.1'

interface Scene {
  readonly script: readonly Line[]
  readonly span?: number
  readonly sky?: Sky
  readonly desiredStates?: readonly Partial<DesiredState>[]
  readonly kept?: Disk
  readonly opening?: readonly Observation[]
}

/** A day of the daemon: what it sent and when. */
async function daemon({
  script,
  span = 24,
  sky,
  desiredStates,
  kept = disk(),
  opening = STARTED,
}: Scene): Promise<readonly string[]> {
  const lines = [...script]
  const scene = world(kept, lines, sky, desiredStates)
  scene.stopAfter(hours(span))
  await run(scene, opening, forever)
  expect(lines, 'every line of the script was needed').toEqual([])
  return scene.diary
}

async function oneShot({
  script,
  sky,
  desiredStates,
  kept = disk(),
  opening = STARTED,
}: Scene): Promise<readonly string[]> {
  const scene = world(kept, [...script], sky, desiredStates)
  await run(scene, opening, once)
  return scene.diary
}

describe('for a day, told always the same, the daemon sends', () => {
  it('once after good', async () =>
    expect(await daemon({ script: ['good 192.0.2.1'] })).toEqual([`0 send a.test${ONE}`]))
  it('once after nochg', async () =>
    expect(await daemon({ script: ['nochg 192.0.2.1'] })).toEqual([`0 send a.test${ONE}`]))

  it.each(['nohost', 'badauth', 'badagent', '!donator', 'abuse'])(
    'once after %s, and never again after a restart',
    async (word) => {
      const kept = disk()

      expect(await daemon({ script: [word], kept })).toEqual([`0 send a.test${ONE}`, `0 stopped by ${word}`])
      expect(await daemon({ script: [], kept, span: 24 * 365 })).toEqual([])
      expect(await oneShot({ script: [], kept })).toEqual([])
    },
  )

  it.each<[string, Line]>([
    ['911', '911'],
    ['HTTP 500', { status: 500, body: 'oops' }],
    ['HTTP 599', { status: 599, body: '' }],
    ['HTTP 429', { status: 429, body: '' }],
    ['a web page', '<html><body>Sign in</body></html>'],
    ['a redirect', { status: 302, body: '' }],
    ['an unknown word', 'dnserr'],
  ])('after half an hour, one, two and then every four hours after %s', async (_, line) => {
    const times = (await daemon({ script: Array<Line>(9).fill(line) })).map((entry) => entry.split(' ')[0])

    expect(times).toEqual(['0', '30m', '1h30m', '3h30m', '7h30m', '11h30m', '15h30m', '19h30m', '23h30m'])
  })

  const timesOf = async (script: readonly Line[], span: number): Promise<readonly (string | undefined)[]> =>
    (await daemon({ script, span })).map((entry) => entry.split(' ')[0])

  it('after one and five minutes, and then as after 911, while a gateway answers 503', async () => {
    const busy: Line = { status: 503, body: '<html>busy</html>' }
    const times = await timesOf(
      Array.from({ length: 7 }, () => busy),
      8,
    )

    expect(times).toEqual(['0', '1m', '6m', '36m', '1h36m', '3h36m', '7h36m'])
  })

  it('no sooner than after half an hour when a 911 follows on a 503', async () =>
    expect(await timesOf([{ status: 503, body: '' }, '911', { status: 503, body: '' }, 'good'], 3)).toEqual([
      '0',
      '1m',
      '31m',
      '1h31m',
    ]))

  it.each(['unreached', 'bad certificate'] as const)(
    'sooner at first and then every five minutes at least: %s',
    async (line) => {
      const times = await timesOf(Array<Line>(9).fill(line), 0.4)

      expect(times).toEqual(['0', '5s', '20s', '1m5s', '3m5s', '8m5s', '13m5s', '18m5s', '23m5s'])
    },
  )

  it('not before half an hour after an answer that is no HTTP', async () =>
    expect(await timesOf(['no HTTP', 'good'], 1)).toEqual(['0', '30m']))

  it('from the beginning when the network changes', async () => {
    const kept = disk()
    await daemon({ script: Array<Line>(3).fill('unreached'), kept, span: 0.01 })

    const opening = [...STARTED, { kind: 'networkChanged' } as const]
    expect(await oneShot({ script: ['unreached'], kept, opening })).toHaveLength(1)
    expect((await daemon({ script: ['good'], kept })).map((entry) => entry.split(' ')[0])).toEqual(['5s'])
  })
})

it('waits as long as Retry-After asks, where that is longer', async () => {
  const retryAfter = { status: 503, body: '', headers: { 'retry-after': '7200' } }

  expect(await daemon({ script: [retryAfter, 'good 192.0.2.1'] })).toEqual([
    `0 send a.test${ONE}`,
    `2h send a.test${ONE}`,
  ])
})

it('does not wait shorter because Retry-After says so', async () => {
  const retryAfter = { status: 500, body: '', headers: { 'retry-after': '1' } }

  expect(await daemon({ script: [retryAfter, 'good 192.0.2.1'] })).toEqual([
    `0 send a.test${ONE}`,
    `30m send a.test${ONE}`,
  ])
})

it('begins with the shortest wait again after a success', async () => {
  const sky: Sky = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']

  const times = (await daemon({ script: ['911', 'good', '911', '911', 'good'], sky })).map(
    (entry) => entry.split(' ')[0],
  )

  expect(times).toEqual(['0', '30m', '1h', '1h30m', '2h30m'])
})

it('keeps a wait over a restart, in the daemon and in a one-shot', async () => {
  const kept = disk()
  await oneShot({ script: ['911'], kept })

  expect(await oneShot({ script: [], kept })).toEqual([])
  expect(await daemon({ script: ['good'], kept })).toEqual([`30m send a.test${ONE}`])
})

it('tries at once in a one-shot that a person runs, after the service was not reached', async () => {
  const kept = disk()
  await oneShot({ script: ['unreached'], kept })

  const again = await oneShot({ script: ['good'], kept, opening: [...STARTED, { kind: 'networkChanged' }] })

  expect(again).toHaveLength(1)
})

describe('addresses', () => {
  it('are sent when they change, both in one request', async () => {
    const sky: Sky = (minute) => (minute < 60 ? ['192.0.2.1', '2001:db8::1'] : ['192.0.2.1', '2001:db8::2'])

    expect(await daemon({ script: ['good', 'good'], sky })).toEqual([
      '0 send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::1',
      '1h send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::2',
    ])
  })

  it('of a family that is lost are neither blanked nor sent again when it comes back', async () => {
    const sky: Sky = (minute) => (minute > 60 && minute < 120 ? ['192.0.2.1'] : ['192.0.2.1', '2001:db8::1'])

    expect(await daemon({ script: ['good'], sky })).toHaveLength(1)
  })

  it('of a family that is switched off are never sent', async () => {
    const sky: Sky = () => ['192.0.2.1', '2001:db8::1']

    expect(await daemon({ script: ['good'], sky, desiredStates: [{ families: ['v6'] }] })).toEqual([
      '0 send a.test?hostname=home.example.test&myip=2001:db8::1',
    ])
  })

  it('go in myipv6 where the service needs that', async () => {
    const sky: Sky = () => ['192.0.2.1', '2001:db8::1']

    expect(await daemon({ script: ['good'], sky, desiredStates: [{ ipv6Parameter: 'myipv6' }] })).toEqual([
      '0 send a.test?hostname=home.example.test&myip=192.0.2.1&myipv6=2001:db8::1',
    ])
  })

  it('are not sent at all when none is seen', async () =>
    expect(await daemon({ script: [], sky: () => [] })).toEqual([]))

  it('that the service names differently cause no loop', async () =>
    expect(await daemon({ script: ['good 198.51.100.9'] })).toHaveLength(1))

  it('are left to the service where the user chose so, once', async () =>
    expect(
      await daemon({ script: ['good 198.51.100.9'], desiredStates: [{ reliesOnConnection: true }] }),
    ).toEqual(['0 send a.test?hostname=home.example.test']))

  it('answered with good 127.0.0.1 are not confirmed, and end like badagent', async () =>
    expect(await daemon({ script: ['good 127.0.0.1'], span: 24 })).toEqual([
      `0 send a.test${ONE}`,
      '0 stopped by badagent',
    ]))

  it('of a family that the answer does not name are not confirmed, and not sent again until they change', async () => {
    const kept = disk()
    const sky: Sky = (minute) => ['192.0.2.1', minute < 60 ? '2001:db8::1' : '2001:db8::2']

    const diary = await daemon({ script: ['good 192.0.2.1', 'good'], sky, kept, span: 24 })

    expect(diary).toEqual([
      '0 send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::1',
      '1h send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::2',
    ])
    const state = parseState(kept.text)
    const host = state.ok && hostOf(accountOf(state.value.state, 'key@service.test'), 'home.example.test')
    expect(host).toMatchObject({ confirmed: { v4: '192.0.2.1', v6: '2001:db8::2' } })
    expect(host).not.toHaveProperty('unechoed')
  })

  it('are touched again after 28 days, and not before', async () => {
    const times = (await daemon({ script: ['good', 'nochg', 'nochg'], span: 24 * 60 })).map(
      (entry) => entry.split(' ')[0],
    )

    // The random of this world give 0, so that the spread is its lowest: 5 % early.
    expect(times).toEqual(['0', '26d14h24m', '53d4h48m'])
  })
})

describe('several hostnames', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `h${n}.example.test`)

  it('share a request, twenty at a time, and the next follows at once', async () => {
    const script = [20, 20, 5].map((count) => Array(count).fill('good 192.0.2.1').join('\n'))

    const diary = await daemon({ script, desiredStates: [{ hostnames: names(45) }] })

    expect(diary.map((entry) => entry.split(',').length)).toEqual([20, 20, 5])
    expect(diary.every((entry) => entry.startsWith('0 '))).toBe(true)
  })

  it('of an account with very many are shared out among eight requests, all alike', async () => {
    const script = Array<string>(8).fill(Array(125).fill('good').join('\n'))

    const diary = await daemon({ script, desiredStates: [{ hostnames: names(1000) }] })

    expect(diary.map((entry) => entry.split(',').length)).toEqual(Array(8).fill(125))
    expect(new Set(diary.flatMap((entry) => entry.match(/h\d+/g) ?? [])).size).toBe(1000)
  })

  it('are as many in a request as the user says', async () => {
    const script = [3, 3, 1].map((count) => Array(count).fill('good').join('\n'))

    const diary = await daemon({ script, desiredStates: [{ hostnames: names(7), batch: 3 }] })

    expect(diary.map((entry) => entry.split(',').length)).toEqual([3, 3, 1])
  })

  it('that are very many and long share a request of no more than 7,000 characters', async () => {
    const long = Array.from(
      { length: 400 },
      (_, n) => `${'a'.repeat(60)}.${'b'.repeat(60)}.h${100 + n}.example.test`,
    )
    const script = [...Array<number>(8).fill(49), 8].map((count) => Array(count).fill('good').join('\n'))

    const diary = await daemon({ script, desiredStates: [{ hostnames: long }] })

    const lengths = diary.map((entry) => entry.split('?')[1]?.length ?? 0)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(7000)
    expect(lengths[0]).toBeGreaterThan(6000)
  })

  it('share a request of no more than 2,000 characters', async () => {
    const long = Array.from(
      { length: 20 },
      (_, n) => `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.h${n}.example.test`,
    )
    const script = [...Array<string>(2).fill(Array(9).fill('good').join('\n')), 'good\ngood']

    const diary = await daemon({ script, desiredStates: [{ hostnames: long }] })

    expect(diary.map((entry) => entry.split(',').length)).toEqual([9, 9, 2])
    expect(Math.max(...diary.map((entry) => entry.split('?')[1]?.length ?? 0))).toBeLessThanOrEqual(2000)
  })

  it('are settled line by line, and one nohost stops the account by default', async () => {
    const kept = disk()
    const desiredStates = [{ hostnames: names(3) }]
    const diary = await daemon({ script: ['good\nnohost\ngood'], desiredStates, kept })

    expect(diary.at(-1)).toBe('0 stopped by nohost')
    expect(await daemon({ script: [], desiredStates, kept, sky: () => ['192.0.2.9'] })).toEqual([])
  })

  it('go on beside a nohost where the setting narrows it', async () => {
    const sky: Sky = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']
    const diary = await daemon({
      script: ['good\nnohost\ngood', 'good\ngood'],
      sky,
      desiredStates: [{ hostnames: names(3), nohostStops: 'hostname' }],
    })

    expect(diary.at(-1)).toBe('1h send a.test?hostname=h0.example.test,h2.example.test&myip=192.0.2.2')
  })

  it('are not understood when the lines are too few or too many', async () => {
    const desiredStates = [{ hostnames: names(3) }]

    expect(
      await daemon({
        script: ['good\ngood', 'good\ngood\ngood\ngood', 'good\ngood\ngood'],
        desiredStates,
        span: 2,
      }),
    ).toHaveLength(3)
  })
})

describe('several accounts', () => {
  const desiredStates = [{ account: 'a' }, { account: 'b', hostnames: ['b.example.test'] }]

  it('go on when one is stopped', async () => {
    const sky: Sky = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']
    const diary = await daemon({ script: ['badauth', 'good', 'good'], desiredStates, sky })

    expect(diary.slice(1)).toEqual([
      '0 stopped by badauth',
      '0 send a.test?hostname=b.example.test&myip=192.0.2.1',
      '1h send a.test?hostname=b.example.test&myip=192.0.2.2',
    ])
  })

  it('wait each for itself', async () => {
    const diary = await daemon({ script: ['911', 'good', 'good'], desiredStates, span: 1 })

    expect(diary.map((entry) => entry.split('&')[0])).toEqual([
      '0 send a.test?hostname=home.example.test',
      '0 send a.test?hostname=b.example.test',
      '30m send a.test?hostname=home.example.test',
    ])
  })
})

it('a stop among other lines outlasts them all', async () => {
  const desiredStates = [{ hostnames: ['a.test', 'b.test', 'c.test'] }]
  for (const body of ['good\nabuse\n911', '911\nabuse\n911', 'abuse\ngood\n!donator']) {
    const kept = disk()
    expect(await daemon({ script: [body], desiredStates, kept })).toHaveLength(2)
    expect(await daemon({ script: [], desiredStates, kept })).toEqual([])
  }
})

it('is not asked in a circle by a service that confirms without an address', async () => {
  expect(await daemon({ script: ['good'], desiredStates: [{ reliesOnConnection: true }] })).toHaveLength(1)
  const kept = disk()
  await oneShot({ script: ['good'], desiredStates: [{ reliesOnConnection: true }], kept })
  expect(
    await oneShot({
      script: ['nochg'],
      desiredStates: [{ reliesOnConnection: true }],
      kept,
      opening: [...STARTED, { kind: 'forced' }],
    }),
  ).toHaveLength(1)
})

it('a group may be called constructor', async () =>
  expect(await daemon({ script: ['good'], desiredStates: [{ hostnames: ['constructor'] }] })).toHaveLength(1))

it('half an answer can forbid but not confirm', async () => {
  const cut = (body: string, status = 200): Line => ({ status, body, isCut: true })
  const times = async (lines: readonly Line[]) =>
    (await daemon({ script: lines, span: 1 })).map((entry) => entry.split(' ')[0])

  expect(await times([cut('good 192.0.2.1'), 'good'])).toEqual(['0', '5s'])
  expect(await times([cut('', 500), 'good'])).toEqual(['0', '30m'])
  expect(await times([cut('911', 500), 'good'])).toEqual(['0', '30m'])
  expect(await times([cut('abuse')])).toEqual(['0', '0'])
})

it('tells of a captive portal only when every place asked may be one', async () => {
  const told = async (line: Line, sky?: Sky): Promise<boolean> => {
    const scene = world(disk(), [line], sky)
    await run(scene, STARTED, once)
    return scene.events.some(({ kind }) => kind === 'captivePortal')
  }

  expect(await told('<html>')).toBe(true)
  expect(await told({ status: 302, body: '' })).toBe(true)
  expect(await told({ status: 404, body: '<html>' })).toBe(false)
})

it('names the one hostname that is stopped, and what was stopped before', async () => {
  const desiredStates = [{ hostnames: ['a.test', 'b.test'], nohostStops: 'hostname' as const }]
  const kept = disk()
  for (const script of [['good\nnohost'], []]) {
    const scene = world(kept, script, undefined, desiredStates)
    await run(scene, STARTED, once)
    expect(scene.events.filter(({ kind }) => kind === 'stopped')).toMatchObject([
      { because: 'nohost', hostname: 'b.test' },
    ])
  }
})

describe('a stop is lifted', () => {
  const after = async (word: string, desired: Partial<DesiredState>, opening = STARTED): Promise<number> => {
    const kept = disk()
    await daemon({ script: [word], kept })
    return (await oneShot({ script: ['good'], kept, desiredStates: [desired], opening })).length
  }
  const credentials = { fingerprints: { credentials: 'c2', agent: 'a1', settings: 's2' } }
  const agent = { fingerprints: { credentials: 'c1', agent: 'a2', settings: 's1' } }
  const settings = { fingerprints: { credentials: 'c1', agent: 'a1', settings: 's2' } }
  const resumed: readonly Observation[] = [...STARTED, { kind: 'resumed' }]

  // biome-ignore format: a table
  it.each([
    ['badauth',  'new credentials', credentials,                      1],
    ['badauth',  'another agent',   agent,                            0],
    ['nohost',   'new credentials', credentials,                      1],
    ['nohost',   'other hostnames', { hostnames: ['x.example.test'] }, 1],
    ['nohost',   'another agent',   agent,                            0],
    ['badagent', 'another agent',   agent,                            1],
    ['badagent', 'new credentials', credentials,                      0],
    ['!donator', 'other settings',  settings,                         1],
    ['!donator', 'another agent',   agent,                            0],
    ['abuse',    'new credentials', credentials,                      0],
    ['abuse',    'other settings',  settings,                         0],
  ] as const)('%s by %s: %#', async (word, _, desired, requests) => expect(await after(word, desired)).toBe(requests))

  it.each(['badauth', 'nohost', 'badagent', '!donator', 'abuse'])('%s by the user', async (word) =>
    expect(await after(word, {}, resumed)).toBe(1),
  )

  it.each(['badauth', 'nohost', 'abuse'])('never by force: %s', async (word) =>
    expect(await after(word, {}, [...STARTED, { kind: 'forced' }])).toBe(0),
  )
})

it('a wait is not lifted by the user, by force or by new credentials', async () => {
  const kept = disk()
  await oneShot({ script: ['911'], kept })
  const desired = { fingerprints: { credentials: 'c2', agent: 'a2', settings: 's2' } }

  const opening: readonly Observation[] = [
    ...STARTED,
    { kind: 'networkChanged' },
    { kind: 'resumed' },
    { kind: 'forced' },
  ]

  expect(await oneShot({ script: [], kept, desiredStates: [desired], opening })).toEqual([])
})

it.each<[string, Line]>([
  ['HTTP 429', { status: 429, body: '' }],
  ['HTTP 500', { status: 500, body: 'oops' }],
  ['HTTP 502', { status: 502, body: '' }],
  ['HTTP 520', { status: 520, body: '<html>' }],
  ['a web page', '<html>'],
])('a wait that no reply word asked for is ended by the user: %s', async (_, answer) => {
  const kept = disk()
  await oneShot({ script: [answer], kept })

  expect(await oneShot({ script: [], kept })).toEqual([])
  expect(await oneShot({ script: ['good'], kept, opening: [...STARTED, { kind: 'resumed' }] })).toHaveLength(
    1,
  )
})

describe('offline', () => {
  const offline = [{ isOffline: true }]

  it('is asked for once, without an address to find', async () =>
    expect(await daemon({ script: ['good'], desiredStates: offline, sky: () => [] })).toEqual([
      '0 send a.test?hostname=home.example.test&offline=YES',
    ]))

  it('ends with the first ordinary update, although the address is the same', async () => {
    const kept = disk()
    await oneShot({ script: ['good'], kept })
    await oneShot({ script: ['good'], kept, desiredStates: offline })

    expect(await oneShot({ script: ['good'], kept })).toEqual([`0 send a.test${ONE}`])
  })

  it('refused is off for the account, and ordinary updates go on', async () => {
    const kept = disk()

    expect(await daemon({ script: ['!donator', 'good'], desiredStates: offline, kept })).toEqual([
      '0 send a.test?hostname=home.example.test&offline=YES',
      `0 send a.test${ONE}`,
    ])
    expect(await oneShot({ script: [], desiredStates: offline, kept })).toEqual([])
  })
})

it('tries the next endpoint when one is not reached, and the first again after a success', async () => {
  const sky: Sky = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']
  const diary = await daemon({
    script: ['unreached', 'unreached', 'good', 'good'],
    sky,
    desiredStates: [{ endpointCount: 3 }],
  })

  expect(diary.map((entry) => entry.split('?')[0])).toEqual([
    '0 send a.test',
    '0 send b.test',
    '0 send c.test:8245',
    '1h send a.test',
  ])
})

it('tries all endpoints at each attempt, while none is reached', async () => {
  const diary = await daemon({
    script: [...Array<Line>(7).fill('unreached'), 'good'],
    desiredStates: [{ endpointCount: 3 }],
    span: 0.2,
  })

  expect(diary.map((entry) => entry.split('?')[0])).toEqual([
    '0 send a.test',
    '0 send b.test',
    '0 send c.test:8245',
    '5s send a.test',
    '5s send b.test',
    '5s send c.test:8245',
    '20s send a.test',
    '20s send b.test',
  ])
})

it('does not try plain http after a certificate error', async () => {
  const diary = await daemon({
    script: ['bad certificate', 'bad certificate', 'unreached', 'good'],
    desiredStates: [{ endpointCount: 3 }],
    span: 0.2,
  })

  expect(diary.map((entry) => entry.split('?')[0])).toEqual([
    '0 send a.test',
    '5s send a.test',
    '20s send a.test',
    '20s send b.test',
  ])
})

describe('the pace', () => {
  const changing: Sky = (minute) => [`192.0.2.${1 + Math.floor(minute * 4)}`]
  /** The schedule looks every 15 s: each look sees another address. */
  const flapping = async (over: Partial<DesiredState>) => {
    const scene = world(disk(), Array<Line>(400).fill('good'), changing, [over])
    scene.stopAfter(minutes(20))
    const schedule = { nextAfter: (from: Instant) => after(from, seconds(15)) }
    await run({ ...scene, schedule }, STARTED, forever)
    told = scene.events
    return scene.diary
  }
  let told: readonly AgentEvent[] = []
  const most = (diary: readonly string[], span: number): number => {
    const at = diary.map((entry) => parseDuration(entry.split(' ')[0] ?? ''))
    const moments = at.map((one) => (one.ok ? Number(one.value) : 0))
    return Math.max(...moments.map((from) => moments.filter((to) => to >= from && to < from + span).length))
  }

  it('lets no more than ten changes of address in five minutes out, and then the newest', async () => {
    const diary = await flapping({})

    expect(most(diary, minutes(5))).toBe(10)
    expect(diary[10]).toBe('5m send a.test?hostname=home.example.test&myip=192.0.2.21')
  })

  it('counts the changes of all names of an account together', async () => {
    const scene = world(disk(), Array<Line>(400).fill('good'), () => [], [
      { hostnames: ['a.test', 'b.test', 'c.test'] },
    ])
    scene.stopAfter(minutes(4))
    for (let n = 1; n <= 25; n++)
      scene.inbox.put({
        observations: [],
        givenAddresses: [
          {
            account: 'key@service.test',
            hostnames: [`${'abc'[n % 3]}.test`],
            addresses: byFamily([parseAddress(`192.0.2.${n}`)].flatMap((address) => address ?? [])),
          },
        ],
      })
    await run(scene, STARTED, forever)

    expect(scene.diary).toHaveLength(10)
  })

  it('says once what it holds back, why and until when', async () => {
    await flapping({})
    const held = told.flatMap((event) => (event.kind === 'paced' ? [event] : []))

    expect(held[0]).toEqual({
      kind: 'paced',
      account: 'key@service.test',
      until: after(START, minutes(5)),
      limit: 'changes of address',
      max: 10,
    })
    expect(new Set(held.map(({ until }) => until)).size).toBe(held.length)
    await flapping({ hostnames: Array.from({ length: 30 }, (_, n) => `h${n}.test`), batch: 1 })
    expect(told.find(({ kind }) => kind === 'paced')).toMatchObject({ limit: 'requests', max: 25 })
  })

  it('takes one new IPv6 prefix for one change, although each name has a host part of its own', async () => {
    const names = Array.from({ length: 15 }, (_, n) => `h${n}.test`)
    const scene = world(disk(), Array<Line>(400).fill('good'), () => [], [
      { hostnames: names, families: ['v6'] },
    ])
    scene.stopAfter(minutes(4))
    names.forEach((name, n) => {
      const addresses = byFamily([parseAddress(`2001:db8::${n + 1}`)].flatMap((address) => address ?? []))
      scene.inbox.put({
        observations: [],
        givenAddresses: [{ account: 'key@service.test', hostnames: [name], addresses }],
      })
    })
    await run(scene, STARTED, forever)

    expect(scene.diary).toHaveLength(15)
  })

  it('lets no more than 25 requests in five minutes out, whatever they are about', async () => {
    const hostnames = Array.from({ length: 30 }, (_, n) => `h${n}.test`)

    const diary = await flapping({ hostnames, batch: 1 })

    expect(most(diary, minutes(5))).toBe(25)
  })

  it('sends names first that were never confirmed', async () => {
    const kept = disk()
    await oneShot({ script: ['good'], desiredStates: [{ hostnames: ['old.test'] }], kept })
    const desiredStates = [{ hostnames: ['old.test', 'new.test'], batch: 1 }]

    const diary = await oneShot({ script: ['good', 'good'], desiredStates, kept, sky: () => ['192.0.2.2'] })

    expect(diary.map((entry) => /hostname=([^&]*)/.exec(entry)?.[1])).toEqual(['new.test', 'old.test'])
  })

  it('is kept over restarts', async () => {
    const kept = disk()
    let sent = 0
    for (let turn = 0; turn < 40; turn++) {
      const scene = world(
        kept,
        ['good'],
        () => [`192.0.2.${turn + 1}`],
        [{}],
        after(START, seconds(2 * turn)),
      )
      await run(scene, STARTED, once)
      sent += scene.diary.filter((entry) => entry.includes(' send ')).length
    }

    expect(sent).toBe(10)
  })
})

it('a one-shot tries every endpoint before it gives up', async () => {
  expect(
    await oneShot({ script: ['unreached', 'unreached', 'unreached'], desiredStates: [{ endpointCount: 3 }] }),
  ).toHaveLength(3)
})

it('the first look after a start of minutes is at once', async () => {
  expect(
    (await oneShot({ script: ['good'], sky: (minute) => (minute < minutes(1) ? ['192.0.2.1'] : []) }))[0],
  ).toMatch(/^0 send/)
})
