import { PLAIN_FORM } from '../../src/shared/protocol/request.ts'
import { describe, expect, it } from 'vitest'
import { after, type Instant, minutes, parseDuration, seconds } from '../../src/shared/base/time.ts'
import type { AgentEvent } from '../../src/client/agent/events.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import type { Observation } from '../../src/client/decide/observation.ts'
import { accountOf, hostOf } from '../../src/client/decide/state.ts'
import { parseState } from '../../src/client/agent/memory/codec.ts'
import { byFamily, parseAddress } from '../../src/shared/base/address.ts'
import { disk, type ScriptedOutcome, type AddressScript, START, world } from '../fakes/world.ts'
import { daemon, oneShot, STARTED } from './runs.ts'

const ONE = '?hostname=home.example.test&myip=192.0.2.1'

describe('with the same outcome all day, the daemon sends', () => {
  it('once after good', async () =>
    expect(await daemon({ script: ['good 192.0.2.1'] })).toEqual([`0 send a.test${ONE}`]))
  it('once after nochg', async () =>
    expect(await daemon({ script: ['nochg 192.0.2.1'] })).toEqual([`0 send a.test${ONE}`]))

  it.each(['nohost', 'badauth', 'badagent', '!donator', 'abuse'])(
    'once after %s, and nothing after a restart',
    async (word) => {
      const file = disk()

      expect(await daemon({ script: [word], file })).toEqual([`0 send a.test${ONE}`, `0 stopped by ${word}`])
      expect(await daemon({ script: [], file, span: 24 * 365 })).toEqual([])
      expect(await oneShot({ script: [], file })).toEqual([])
    },
  )

  it.each<[string, ScriptedOutcome]>([
    ['911', '911'],
    ['HTTP 500', { status: 500, body: 'oops' }],
    ['HTTP 599', { status: 599, body: '' }],
    ['HTTP 429', { status: 429, body: '' }],
    ['a web page', '<html><body>Sign in</body></html>'],
    ['a redirect', { status: 302, body: '' }],
    ['a word of another service', 'dnserr'],
    ['an unknown word', 'magic'],
  ])('after half an hour, one, two and then every four hours: %s', async (_, line) => {
    const times = (await daemon({ script: Array<ScriptedOutcome>(9).fill(line) })).map(
      (entry) => entry.split(' ')[0],
    )

    expect(times).toEqual(['0', '30m', '1h30m', '3h30m', '7h30m', '11h30m', '15h30m', '19h30m', '23h30m'])
  })

  const timesOf = async (
    script: readonly ScriptedOutcome[],
    span: number,
  ): Promise<readonly (string | undefined)[]> =>
    (await daemon({ script, span })).map((entry) => entry.split(' ')[0])

  it('after one and five minutes, and then as after 911: HTTP 503', async () => {
    const busy: ScriptedOutcome = { status: 503, body: '<html>busy</html>' }
    const times = await timesOf(
      Array.from({ length: 7 }, () => busy),
      8,
    )

    expect(times).toEqual(['0', '1m', '6m', '36m', '1h36m', '3h36m', '7h36m'])
  })

  it('no sooner than after half an hour when 911 follows HTTP 503', async () =>
    expect(await timesOf([{ status: 503, body: '' }, '911', { status: 503, body: '' }, 'good'], 3)).toEqual([
      '0',
      '1m',
      '31m',
      '1h31m',
    ]))

  it.each(['unreached', 'bad certificate'] as const)(
    'after seconds at first, and then every five minutes: %s',
    async (line) => {
      const times = await timesOf(Array<ScriptedOutcome>(9).fill(line), 0.4)

      expect(times).toEqual(['0', '5s', '20s', '1m5s', '3m5s', '8m5s', '13m5s', '18m5s', '23m5s'])
    },
  )

  it('after half an hour when the answer is not HTTP', async () =>
    expect(await timesOf(['no HTTP', 'good'], 1)).toEqual(['0', '30m']))

  it('immediately after a change of the network', async () => {
    const file = disk()
    await daemon({ script: Array<ScriptedOutcome>(3).fill('unreached'), file, span: 0.01 })

    const opening = [...STARTED, { kind: 'networkChanged' } as const]
    expect(await oneShot({ script: ['unreached'], file, opening })).toHaveLength(1)
    expect((await daemon({ script: ['good'], file })).map((entry) => entry.split(' ')[0])).toEqual(['5s'])
  })
})

it('waits for the Retry-After span where that is longer', async () => {
  const retryAfter = { status: 503, body: '', headers: { 'retry-after': '7200' } }

  expect(await daemon({ script: [retryAfter, 'good 192.0.2.1'] })).toEqual([
    `0 send a.test${ONE}`,
    `2h send a.test${ONE}`,
  ])
})

it('does not shorten a wait because of Retry-After', async () => {
  const retryAfter = { status: 500, body: '', headers: { 'retry-after': '1' } }

  expect(await daemon({ script: [retryAfter, 'good 192.0.2.1'] })).toEqual([
    `0 send a.test${ONE}`,
    `30m send a.test${ONE}`,
  ])
})

it('starts with the shortest wait again after a success', async () => {
  const addressesAt: AddressScript = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']

  const times = (await daemon({ script: ['911', 'good', '911', '911', 'good'], addressesAt })).map(
    (entry) => entry.split(' ')[0],
  )

  expect(times).toEqual(['0', '30m', '1h', '1h30m', '2h30m'])
})

it('a wait survives a restart of the daemon and of a one-shot', async () => {
  const file = disk()
  await oneShot({ script: ['911'], file })

  expect(await oneShot({ script: [], file })).toEqual([])
  expect(await daemon({ script: ['good'], file })).toEqual([`30m send a.test${ONE}`])
})

it('a one-shot in a terminal tries immediately after the service was not reached', async () => {
  const file = disk()
  await oneShot({ script: ['unreached'], file })

  const again = await oneShot({ script: ['good'], file, opening: [...STARTED, { kind: 'networkChanged' }] })

  expect(again).toHaveLength(1)
})

describe('addresses', () => {
  it('are sent when they change, both in one request', async () => {
    const addressesAt: AddressScript = (minute) =>
      minute < 60 ? ['192.0.2.1', '2001:db8::1'] : ['192.0.2.1', '2001:db8::2']

    expect(await daemon({ script: ['good', 'good'], addressesAt })).toEqual([
      '0 send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::1',
      '1h send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::2',
    ])
  })

  it('of a lost family are neither removed nor sent again when it returns', async () => {
    const addressesAt: AddressScript = (minute) =>
      minute > 60 && minute < 120 ? ['192.0.2.1'] : ['192.0.2.1', '2001:db8::1']

    expect(await daemon({ script: ['good'], addressesAt })).toHaveLength(1)
  })

  it('of a disabled family are never sent', async () => {
    const addressesAt: AddressScript = () => ['192.0.2.1', '2001:db8::1']

    expect(await daemon({ script: ['good'], addressesAt, desiredStates: [{ families: ['v6'] }] })).toEqual([
      '0 send a.test?hostname=home.example.test&myip=2001:db8::1',
    ])
  })

  it('of IPv6 are sent in myipv6 where that is configured', async () => {
    const addressesAt: AddressScript = () => ['192.0.2.1', '2001:db8::1']

    expect(
      await daemon({
        script: ['good'],
        addressesAt,
        desiredStates: [{ form: { ...PLAIN_FORM, ipv6Parameter: 'myipv6' } }],
      }),
    ).toEqual(['0 send a.test?hostname=home.example.test&myip=192.0.2.1&myipv6=2001:db8::1'])
  })

  it('are not sent if no address is found', async () =>
    expect(await daemon({ script: [], addressesAt: () => [] })).toEqual([]))

  it('that the service confirms differently are not sent again', async () =>
    expect(await daemon({ script: ['good 198.51.100.9'] })).toHaveLength(1))

  it('are left to the service where that is configured, once', async () =>
    expect(
      await daemon({ script: ['good 198.51.100.9'], desiredStates: [{ reliesOnConnection: true }] }),
    ).toEqual(['0 send a.test?hostname=home.example.test']))

  it('answered with good 127.0.0.1 are not confirmed, and stop like badagent', async () =>
    expect(await daemon({ script: ['good 127.0.0.1'], span: 24 })).toEqual([
      `0 send a.test${ONE}`,
      '0 stopped by badagent',
    ]))

  it('of a family that is missing in the reply are not confirmed, and not sent again until they change', async () => {
    const file = disk()
    const addressesAt: AddressScript = (minute) => ['192.0.2.1', minute < 60 ? '2001:db8::1' : '2001:db8::2']

    const log = await daemon({ script: ['good 192.0.2.1', 'good'], addressesAt, file, span: 24 })

    expect(log).toEqual([
      '0 send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::1',
      '1h send a.test?hostname=home.example.test&myip=192.0.2.1,2001:db8::2',
    ])
    const state = parseState(file.text)
    const host = state.ok && hostOf(accountOf(state.value.state, 'key@service.test'), 'home.example.test')
    expect(host).toMatchObject({ confirmed: { v4: '192.0.2.1', v6: '2001:db8::2' } })
    expect(host).not.toHaveProperty('unechoed')
  })

  it('are refreshed after 28 days, and not before', async () => {
    const times = (await daemon({ script: ['good', 'nochg', 'nochg'], span: 24 * 60 })).map(
      (entry) => entry.split(' ')[0],
    )

    // The random number is 0, so the spread is 5 % early.
    expect(times).toEqual(['0', '26d14h24m', '53d4h48m'])
  })
})

describe('several hostnames', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `h${n}.example.test`)

  it('share a request of twenty, and the next follows immediately', async () => {
    const script = [20, 20, 5].map((count) => Array(count).fill('good 192.0.2.1').join('\n'))

    const log = await daemon({ script, desiredStates: [{ hostnames: names(45) }] })

    expect(log.map((entry) => entry.split(',').length)).toEqual([20, 20, 5])
    expect(log.every((entry) => entry.startsWith('0 '))).toBe(true)
  })

  it('of an account with a thousand are sent in eight requests of the same size', async () => {
    const script = Array<string>(8).fill(Array(125).fill('good').join('\n'))

    const log = await daemon({ script, desiredStates: [{ hostnames: names(1000) }] })

    expect(log.map((entry) => entry.split(',').length)).toEqual(Array(8).fill(125))
    expect(new Set(log.flatMap((entry) => entry.match(/h\d+/g) ?? [])).size).toBe(1000)
  })

  it('are sent in requests of the configured size', async () => {
    const script = [3, 3, 1].map((count) => Array(count).fill('good').join('\n'))

    const log = await daemon({ script, desiredStates: [{ hostnames: names(7), batch: 3 }] })

    expect(log.map((entry) => entry.split(',').length)).toEqual([3, 3, 1])
  })

  it('that are many and long share requests of at most 7,000 characters', async () => {
    const long = Array.from(
      { length: 400 },
      (_, n) => `${'a'.repeat(60)}.${'b'.repeat(60)}.h${100 + n}.example.test`,
    )
    const script = [...Array<number>(8).fill(49), 8].map((count) => Array(count).fill('good').join('\n'))

    const log = await daemon({ script, desiredStates: [{ hostnames: long }] })

    const lengths = log.map((entry) => entry.split('?')[1]?.length ?? 0)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(7000)
    expect(lengths[0]).toBeGreaterThan(6000)
  })

  it('share requests of at most 2,000 characters', async () => {
    const long = Array.from(
      { length: 20 },
      (_, n) => `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.h${n}.example.test`,
    )
    const script = [...Array<string>(2).fill(Array(9).fill('good').join('\n')), 'good\ngood']

    const log = await daemon({ script, desiredStates: [{ hostnames: long }] })

    expect(log.map((entry) => entry.split(',').length)).toEqual([9, 9, 2])
    expect(Math.max(...log.map((entry) => entry.split('?')[1]?.length ?? 0))).toBeLessThanOrEqual(2000)
  })

  it('are confirmed line by line, and one nohost stops the account by default', async () => {
    const file = disk()
    const desiredStates = [{ hostnames: names(3) }]
    const log = await daemon({ script: ['good\nnohost\ngood'], desiredStates, file })

    expect(log.at(-1)).toBe('0 stopped by nohost')
    expect(await daemon({ script: [], desiredStates, file, addressesAt: () => ['192.0.2.9'] })).toEqual([])
  })

  it('continue after a nohost of another one with nohost_stops = "hostname"', async () => {
    const addressesAt: AddressScript = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']
    const log = await daemon({
      script: ['good\nnohost\ngood', 'good\ngood'],
      addressesAt,
      desiredStates: [{ hostnames: names(3), nohostStops: 'hostname' }],
    })

    expect(log.at(-1)).toBe('1h send a.test?hostname=h0.example.test,h2.example.test&myip=192.0.2.2')
  })

  it('are not confirmed when the reply has too few or too many lines', async () => {
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

  it('continue when one is stopped', async () => {
    const addressesAt: AddressScript = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']
    const log = await daemon({ script: ['badauth', 'good', 'good'], desiredStates, addressesAt })

    expect(log.slice(1)).toEqual([
      '0 stopped by badauth',
      '0 send a.test?hostname=b.example.test&myip=192.0.2.1',
      '1h send a.test?hostname=b.example.test&myip=192.0.2.2',
    ])
  })

  it('wait independently', async () => {
    const log = await daemon({ script: ['911', 'good', 'good'], desiredStates, span: 1 })

    expect(log.map((entry) => entry.split('&')[0])).toEqual([
      '0 send a.test?hostname=home.example.test',
      '0 send a.test?hostname=b.example.test',
      '30m send a.test?hostname=home.example.test',
    ])
  })
})

it('a stop remains, whatever the other lines are', async () => {
  const desiredStates = [{ hostnames: ['a.test', 'b.test', 'c.test'] }]
  for (const body of ['good\nabuse\n911', '911\nabuse\n911', 'abuse\ngood\n!donator']) {
    const file = disk()
    expect(await daemon({ script: [body], desiredStates, file })).toHaveLength(2)
    expect(await daemon({ script: [], desiredStates, file })).toEqual([])
  }
})

it('a confirmation without an address does not cause a loop', async () => {
  expect(await daemon({ script: ['good'], desiredStates: [{ reliesOnConnection: true }] })).toHaveLength(1)
  const file = disk()
  await oneShot({ script: ['good'], desiredStates: [{ reliesOnConnection: true }], file })
  expect(
    await oneShot({
      script: ['nochg'],
      desiredStates: [{ reliesOnConnection: true }],
      file,
      opening: [...STARTED, { kind: 'forced' }],
    }),
  ).toHaveLength(1)
})

it('a hostname may be "constructor"', async () =>
  expect(await daemon({ script: ['good'], desiredStates: [{ hostnames: ['constructor'] }] })).toHaveLength(1))

it('an incomplete response can stop but not confirm', async () => {
  const cut = (body: string, status = 200): ScriptedOutcome => ({ status, body, isCut: true })
  const times = async (lines: readonly ScriptedOutcome[]) =>
    (await daemon({ script: lines, span: 1 })).map((entry) => entry.split(' ')[0])

  expect(await times([cut('good 192.0.2.1'), 'good'])).toEqual(['0', '5s'])
  expect(await times([cut('', 500), 'good'])).toEqual(['0', '30m'])
  expect(await times([cut('911', 500), 'good'])).toEqual(['0', '30m'])
  expect(await times([cut('abuse')])).toEqual(['0', '0'])
})

it.each<[ScriptedOutcome, boolean]>([
  ['<html>', true],
  [{ status: 302, body: '' }, true],
  [{ status: 404, body: '<html>' }, false],
])('reports a captive portal where two services answer with a page: %j', async (line, isReported) => {
  const desiredStates = [{ account: 'a' }, { account: 'b' }]
  const scene = world(disk(), [line, line], undefined, desiredStates)
  await run(scene, STARTED, once)
  expect(scene.events.some(({ kind }) => kind === 'captivePortal')).toBe(isReported)
})

it('reports the stopped hostname, and reports it again at the next start', async () => {
  const desiredStates = [{ hostnames: ['a.test', 'b.test'], nohostStops: 'hostname' as const }]
  const file = disk()
  for (const script of [['good\nnohost'], []]) {
    const scene = world(file, script, undefined, desiredStates)
    await run(scene, STARTED, once)
    expect(scene.events.filter(({ kind }) => kind === 'stopped')).toMatchObject([
      { because: 'nohost', hostname: 'b.test' },
    ])
  }
})

describe('a stop ends', () => {
  const after = async (word: string, desired: Partial<DesiredState>, opening = STARTED): Promise<number> => {
    const file = disk()
    await daemon({ script: [word], file })
    return (await oneShot({ script: ['good'], file, desiredStates: [desired], opening })).length
  }
  const credentials = { fingerprints: { credentials: 'c2', agent: 'a1', settings: 's2' } }
  const agent = { fingerprints: { credentials: 'c1', agent: 'a2', settings: 's1' } }
  const settings = { fingerprints: { credentials: 'c1', agent: 'a1', settings: 's2' } }
  const resumed: readonly Observation[] = [...STARTED, { kind: 'resumed' }]

  // biome-ignore format: a table
  it.each([
    ['badauth',  'credentials',     credentials,                      1],
    ['badauth',  'another agent',   agent,                            0],
    ['nohost',   'credentials',     credentials,                      1],
    ['nohost',   'other hostnames', { hostnames: ['x.example.test'] }, 1],
    ['nohost',   'another agent',   agent,                            0],
    ['badagent', 'another agent',   agent,                            1],
    ['badagent', 'credentials',     credentials,                      0],
    ['!donator', 'other settings',  settings,                         1],
    ['!donator', 'another agent',   agent,                            0],
    ['abuse',    'credentials',     credentials,                      0],
    ['abuse',    'other settings',  settings,                         0],
  ] as const)('%s by %s: %#', async (word, _, desired, requests) => expect(await after(word, desired)).toBe(requests))

  it.each(['badauth', 'nohost', 'badagent', '!donator', 'abuse'])('%s: by resume', async (word) =>
    expect(await after(word, {}, resumed)).toBe(1),
  )

  it.each(['badauth', 'nohost', 'abuse'])('%s: not by --force', async (word) =>
    expect(await after(word, {}, [...STARTED, { kind: 'forced' }])).toBe(0),
  )
})

it('a wait after 911 is not ended by resume, by --force or by new credentials', async () => {
  const file = disk()
  await oneShot({ script: ['911'], file })
  const desired = { fingerprints: { credentials: 'c2', agent: 'a2', settings: 's2' } }

  const opening: readonly Observation[] = [
    ...STARTED,
    { kind: 'networkChanged' },
    { kind: 'resumed' },
    { kind: 'forced' },
  ]

  expect(await oneShot({ script: [], file, desiredStates: [desired], opening })).toEqual([])
})

it.each<[string, ScriptedOutcome]>([
  ['HTTP 429', { status: 429, body: '' }],
  ['HTTP 500', { status: 500, body: 'oops' }],
  ['HTTP 502', { status: 502, body: '' }],
  ['HTTP 520', { status: 520, body: '<html>' }],
  ['a web page', '<html>'],
])('a wait without a reply word is ended by resume: %s', async (_, answer) => {
  const file = disk()
  await oneShot({ script: [answer], file })

  expect(await oneShot({ script: [], file })).toEqual([])
  expect(await oneShot({ script: ['good'], file, opening: [...STARTED, { kind: 'resumed' }] })).toHaveLength(
    1,
  )
})

describe('offline', () => {
  const offline = [{ isOffline: true }]

  it('is requested once, without an address', async () =>
    expect(await daemon({ script: ['good'], desiredStates: offline, addressesAt: () => [] })).toEqual([
      '0 send a.test?hostname=home.example.test&offline=YES',
    ]))

  it('ends with the next ordinary update, although the address is the same', async () => {
    const file = disk()
    await oneShot({ script: ['good'], file })
    await oneShot({ script: ['good'], file, desiredStates: offline })

    expect(await oneShot({ script: ['good'], file })).toEqual([`0 send a.test${ONE}`])
  })

  it('is disabled for the account after a refusal, and ordinary updates continue', async () => {
    const file = disk()

    expect(await daemon({ script: ['!donator', 'good'], desiredStates: offline, file })).toEqual([
      '0 send a.test?hostname=home.example.test&offline=YES',
      `0 send a.test${ONE}`,
    ])
    expect(await oneShot({ script: [], desiredStates: offline, file })).toEqual([])
  })
})

it('the next endpoint is tried when one is not reached, and the first again after a success', async () => {
  const addressesAt: AddressScript = (minute) => [minute < 60 ? '192.0.2.1' : '192.0.2.2']
  const log = await daemon({
    script: ['unreached', 'unreached', 'good', 'good'],
    addressesAt,
    desiredStates: [{ endpointCount: 3 }],
  })

  expect(log.map((entry) => entry.split('?')[0])).toEqual([
    '0 send a.test',
    '0 send b.test',
    '0 send c.test:8245',
    '1h send a.test',
  ])
})

it('all endpoints are tried in each round while none is reached', async () => {
  const log = await daemon({
    script: [...Array<ScriptedOutcome>(7).fill('unreached'), 'good'],
    desiredStates: [{ endpointCount: 3 }],
    span: 0.2,
  })

  expect(log.map((entry) => entry.split('?')[0])).toEqual([
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

it('plain HTTP is not tried after a certificate error', async () => {
  const log = await daemon({
    script: ['bad certificate', 'bad certificate', 'unreached', 'good'],
    desiredStates: [{ endpointCount: 3 }],
    span: 0.2,
  })

  expect(log.map((entry) => entry.split('?')[0])).toEqual([
    '0 send a.test',
    '5s send a.test',
    '20s send a.test',
    '20s send b.test',
  ])
})

describe('the pace', () => {
  const changing: AddressScript = (minute) => [`192.0.2.${1 + Math.floor(minute * 4)}`]
  /** A look every 15 s, each with another address. */
  const flapping = async (over: Partial<DesiredState>) => {
    const scene = world(disk(), Array<ScriptedOutcome>(400).fill('good'), changing, [over])
    scene.stopAfter(minutes(20))
    const schedule = { nextAfter: (from: Instant) => after(from, seconds(15)) }
    await run({ ...scene, schedule }, STARTED, forever)
    events = scene.events
    return scene.log
  }
  let events: readonly AgentEvent[] = []
  const maxIn = (log: readonly string[], span: number): number => {
    const at = log.map((entry) => parseDuration(entry.split(' ')[0] ?? ''))
    const moments = at.map((one) => (one.ok ? Number(one.value) : 0))
    return Math.max(...moments.map((from) => moments.filter((to) => to >= from && to < from + span).length))
  }

  it('allows ten changes of address in five minutes, and then sends the newest', async () => {
    const log = await flapping({})

    expect(maxIn(log, minutes(5))).toBe(10)
    expect(log[10]).toBe('5m send a.test?hostname=home.example.test&myip=192.0.2.21')
  })

  it('counts the changes of all hostnames of an account', async () => {
    const scene = world(disk(), Array<ScriptedOutcome>(400).fill('good'), () => [], [
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

    expect(scene.log).toHaveLength(10)
  })

  it('reports a delay once, with its limit and its end', async () => {
    await flapping({})
    const held = events.flatMap((event) => (event.kind === 'paced' ? [event] : []))

    expect(held[0]).toEqual({
      kind: 'paced',
      account: 'key@service.test',
      until: after(START, minutes(5)),
      limit: 'changes of address',
      max: 10,
    })
    expect(new Set(held.map(({ until }) => until)).size).toBe(held.length)
    await flapping({ hostnames: Array.from({ length: 30 }, (_, n) => `h${n}.test`), batch: 1 })
    expect(events.find(({ kind }) => kind === 'paced')).toMatchObject({ limit: 'requests', max: 25 })
  })

  it('counts a new IPv6 prefix as one change for all hostnames', async () => {
    const names = Array.from({ length: 15 }, (_, n) => `h${n}.test`)
    const scene = world(disk(), Array<ScriptedOutcome>(400).fill('good'), () => [], [
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

    expect(scene.log).toHaveLength(15)
  })

  it('allows 25 requests in five minutes', async () => {
    const hostnames = Array.from({ length: 30 }, (_, n) => `h${n}.test`)

    const log = await flapping({ hostnames, batch: 1 })

    expect(maxIn(log, minutes(5))).toBe(25)
  })

  it('sends hostnames first that were never confirmed', async () => {
    const file = disk()
    await oneShot({ script: ['good'], desiredStates: [{ hostnames: ['old.test'] }], file })
    const desiredStates = [{ hostnames: ['old.test', 'new.test'], batch: 1 }]

    const log = await oneShot({
      script: ['good', 'good'],
      desiredStates,
      file,
      addressesAt: () => ['192.0.2.2'],
    })

    expect(log.map((entry) => /hostname=([^&]*)/.exec(entry)?.[1])).toEqual(['new.test', 'old.test'])
  })

  it('survives restarts', async () => {
    const file = disk()
    let sent = 0
    for (let turn = 0; turn < 40; turn++) {
      const scene = world(
        file,
        ['good'],
        () => [`192.0.2.${turn + 1}`],
        [{}],
        after(START, seconds(2 * turn)),
      )
      await run(scene, STARTED, once)
      sent += scene.log.filter((entry) => entry.includes(' send ')).length
    }

    expect(sent).toBe(10)
  })
})

it('a one-shot tries every endpoint', async () => {
  expect(
    await oneShot({ script: ['unreached', 'unreached', 'unreached'], desiredStates: [{ endpointCount: 3 }] }),
  ).toHaveLength(3)
})

it('the first look is immediate', async () => {
  expect(
    (
      await oneShot({ script: ['good'], addressesAt: (minute) => (minute < minutes(1) ? ['192.0.2.1'] : []) })
    )[0],
  ).toMatch(/^0 send/)
})
