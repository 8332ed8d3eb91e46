import { describe, expect, it } from 'vitest'
import { type Duration, days, minutes, seconds } from '../../src/shared/base/time.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import { outcomeOf } from '../../src/client/report/cause.ts'
import { type AbsentFamily, PLAIN_FORM, type RequestForm } from '../../src/shared/protocol/request.ts'
import { type AddressScript, disk, PLAN, world } from '../fakes/world.ts'
import { STARTED } from './runs.ts'

const [A, B] = ['192.0.2.1', '192.0.2.2']
const [A6, B6] = ['2001:db8::1', '2001:db8::2']
const AT = 'send a.test?hostname=home.example.test&'

interface Scene {
  readonly form?: Partial<RequestForm>
  readonly families?: DesiredState['families']
  readonly span?: Duration
}

/** The requests of half an hour, all of which succeed. */
async function requests(
  absentFamily: AbsentFamily,
  addressesAt: AddressScript,
  { form, families = ['v4', 'v6'], span = minutes(30) }: Scene = {},
): Promise<readonly string[]> {
  const desired = { form: { ...PLAIN_FORM, absentFamily, ...form }, families }
  const scene = world(disk(), Array<string>(9).fill('good'), addressesAt, [desired])
  scene.stopAfter(span)
  await run(scene, STARTED, forever)
  return scene.log.map((entry) => entry.replace(AT, ''))
}

/** Both families at first; then the sources of IPv6 are silent, and the IPv4 address changes meanwhile. */
const silentIpv6: AddressScript = (minute) => {
  if (minute < 5) return [A, A6]
  return minute < 10 ? [A, 'unknown v6'] : [B, 'unknown v6']
}
/** The same with IPv4. */
const silentIpv4: AddressScript = (minute) => (minute < 5 ? [A, A6] : ['unknown v4', B6])
/** IPv6 is unknown from the beginning until minute 10. */
const lateIpv6: AddressScript = (minute) => [A, minute < 10 ? 'unknown v6' : A6]
const SEPARATE = { ipv6Parameter: 'myipv6' } as const

describe('a family whose sources are silent while the other changes', () => {
  // biome-ignore format: a table
  it.each<[AbsentFamily, AddressScript, string, Partial<RequestForm>, readonly string[]]>([
    ['omit',     silentIpv6, 'is left out',                   {},       [`0 myip=${A},${A6}`, `10m myip=${B}`]],
    ['repeat',   silentIpv6, 'is repeated',                   {},       [`0 myip=${A},${A6}`, `10m myip=${B},${A6}`]],
    ['repeat',   silentIpv4, 'is repeated',                   {},       [`0 myip=${A},${A6}`, `5m myip=${A},${B6}`]],
    ['hold',     silentIpv6, 'is repeated',                   {},       [`0 myip=${A},${A6}`, `10m myip=${B},${A6}`]],
    ['preserve', silentIpv6, 'is preserved',                  SEPARATE, [`0 myip=${A}&myipv6=${A6}`, `10m myip=${B}&myipv6=preserve`]],
    ['preserve', silentIpv4, 'is preserved',                  SEPARATE, [`0 myip=${A}&myipv6=${A6}`, `5m myip=preserve&myipv6=${B6}`]],
    ['no',       silentIpv4, 'is refused',                    SEPARATE, [`0 myip=${A}&myipv6=${A6}`, `5m myip=no&myipv6=${B6}`]],
    ['keep',     silentIpv4, 'is kept',                       SEPARATE, [`0 myip=${A}&myipv6=${A6}`, `5m myip=${B6}&myipv6=${B6}&keepipv4=1`]],
  ])('with %s: %o %s', async (absentFamily, script, _, form, expected) => {
    expect(await requests(absentFamily, script, { form })).toEqual(expected)
  })
})

describe('a family that was never known', () => {
  it.each<[AbsentFamily, readonly string[]]>([
    ['omit', [`0 myip=${A}`, `10m myip=${A},${A6}`]],
    ['repeat', [`0 myip=${A}`, `10m myip=${A},${A6}`]],
    ['hold', [`10m myip=${A},${A6}`]],
    ['hold-ipv4', [`10m myip=${A},${A6}`]],
  ])('with %s: %j', async (absentFamily, expected) => {
    expect(await requests(absentFamily, lateIpv6)).toEqual(expected)
  })

  it('with hold-ipv4: no request has IPv6 alone, not even where this host has no IPv4 address', async () => {
    expect(await requests('hold-ipv4', () => [A6])).toEqual([])
    expect(await requests('hold', () => [A6])).toEqual([`0 myip=${A6}`])
    const lateIpv4: AddressScript = (minute) => (minute < 5 ? [A6] : [A, A6])
    expect(await requests('hold-ipv4', lateIpv4)).toEqual([`5m myip=${A},${A6}`])
    const lostIpv4: AddressScript = (minute) => (minute < 5 ? [A, A6] : [B6])
    expect(await requests('hold-ipv4', lostIpv4)).toEqual([`0 myip=${A},${A6}`, `5m myip=${A},${B6}`])
    expect(await requests('hold-ipv4', () => [A])).toEqual([`0 myip=${A}`])
  })

  it('is repeated where the answer did not name it: the service may have stored it', async () => {
    for (const way of ['repeat', 'hold'] as const) {
      const desired = { form: { ...PLAIN_FORM, absentFamily: way }, families: ['v4', 'v6'] as const }
      const scene = world(
        disk(),
        [`good ${A}`, `good ${B}`],
        (minute) => (minute < 5 ? [A, A6] : [B, 'unknown v6']),
        [desired],
      )
      scene.stopAfter(minutes(30))
      await run(scene, STARTED, forever)
      expect(scene.log.map((entry) => entry.replace(AT, ''))).toEqual([
        `0 myip=${A},${A6}`,
        `5m myip=${B},${A6}`,
      ])
    }
  })

  it('does not hold where this host has none, or the user wants none', async () => {
    expect(await requests('hold', () => [A])).toEqual([`0 myip=${A}`])
    expect(await requests('hold', () => [A, 'unknown v6'], { families: ['v4'] })).toEqual([`0 myip=${A}`])
  })
})

it('a request that is held is reported: in the log and as the outcome', async () => {
  const desired = { ...PLAN, form: { ...PLAIN_FORM, absentFamily: 'hold' } as const }
  const scene = world(disk(), [], () => [A, 'unknown v6'], [desired])
  scene.stopAfter(minutes(30))
  const { state, world: seen } = await run(scene, STARTED, forever)
  expect(outcomeOf(desired, { state, world: seen, now: scene.clock.now() })).toBe('addressUnknown')
  expect(scene.events.filter(({ kind }) => kind === 'addressUnknown')).toMatchObject([
    { family: 'v6', because: 'silent' },
  ])
})

describe('a forced update', () => {
  /** All of these succeed; the sources of IPv6 are silent in the second run, which is forced. */
  const forced = async (absentFamily: AbsentFamily) => {
    const file = disk()
    const desired = { ...PLAN, form: { ...PLAIN_FORM, absentFamily } }
    await run(
      world(file, ['good'], () => [A, A6], [desired]),
      STARTED,
      once,
    )
    const scene = world(file, ['good'], () => [A, 'unknown v6'], [desired])
    await run(scene, [...STARTED, { kind: 'forced' }], once)
    return scene.log.map((entry) => entry.replace(AT, ''))
  }

  it.each<AbsentFamily>(['repeat', 'hold'])(
    'with %s names the address that was confirmed before',
    async (way) => {
      expect(await forced(way)).toEqual([`0 myip=${A},${A6}`])
    },
  )

  it('remembers that address on disk until the reply', async () => {
    const file = disk()
    const desired = { ...PLAN, form: { ...PLAIN_FORM, absentFamily: 'repeat' } as const }
    await run(
      world(file, ['good'], () => [A, A6], [desired]),
      STARTED,
      once,
    )
    await run(
      world(file, ['unreached'], () => [A, 'unknown v6'], [desired]),
      [...STARTED, { kind: 'forced' }],
      once,
    )
    const again = world(file, ['good'], () => [A, 'unknown v6'], [desired])
    await run(again, [...STARTED, { kind: 'networkChanged' }], once)
    expect(again.log.map((entry) => entry.replace(AT, ''))).toEqual([`0 myip=${A},${A6}`])
  })

  it('with omit does not', async () => expect(await forced('omit')).toEqual([`0 myip=${A}`]))
})

it('no delay is reported for a request that is on its way', async () => {
  const desired = { ...PLAN, form: { ...PLAIN_FORM, minGap: minutes(10) } }
  const scene = world(disk(), ['good'], () => [A], [desired])
  scene.stopAfter(minutes(30))
  await run(scene, STARTED, forever)
  expect(scene.events.filter(({ kind }) => kind === 'paced')).toEqual([])
})

it('a family that this host lost is repeated: only the user deletes a record', async () => {
  const lost: AddressScript = (minute) => (minute < 5 ? [A, A6] : [B])
  expect(await requests('repeat', lost)).toEqual([`0 myip=${A},${A6}`, `5m myip=${B},${A6}`])
})

describe('each family in a request of its own', () => {
  const both: AddressScript = (minute) => (minute < 10 ? [A, A6] : [A, B6])

  it('only the one that changed is sent', async () => {
    expect(await requests('omit', both, { form: { isApart: true } })).toEqual([
      `0 myip=${A}`,
      `0 myip=${A6}`,
      `10m myip=${B6}`,
    ])
  })

  it('the other family may be kept by a word', async () => {
    expect(await requests('keep', both, { form: { isApart: true } })).toEqual([
      `0 myip=${A}&keepipv6=1`,
      `0 myip=${A6}&keepipv4=1`,
      `10m myip=${B6}&keepipv4=1`,
    ])
  })

  it('a refresh is one request for each family', async () => {
    const entries = await requests('omit', () => [A, A6], { form: { isApart: true }, span: days(30) })
    expect(entries.map((entry) => entry.replace(/^\S+ /, ''))).toEqual([
      `myip=${A}`,
      `myip=${A6}`,
      `myip=${A}`,
      `myip=${A6}`,
    ])
  })

  it('an address that changes before the refresh is one request', async () => {
    const changed: AddressScript = (minute) => [minute < 60 ? A : B, A6]
    for (const refreshAfter of [days(0), days(28)]) {
      const desired = {
        form: { ...PLAIN_FORM, isApart: true },
        families: ['v4', 'v6'] as const,
        refreshAfter,
      }
      const scene = world(disk(), Array<string>(9).fill('good'), changed, [desired])
      scene.stopAfter(days(1))
      await run(scene, STARTED, forever)
      expect(scene.log.map((entry) => entry.replace(AT, '').replace(/^\S+ /, ''))).toEqual([
        `myip=${A}`,
        `myip=${A6}`,
        `myip=${B}`,
      ])
    }
  })

  it('one that changes every day does not postpone the refresh of the other', async () => {
    const form = { isApart: true }
    const daily: AddressScript = (minute) => [minute % 2880 < 1440 ? A : B, A6]
    const desired = { form: { ...PLAIN_FORM, ...form }, families: ['v4', 'v6'] as const }
    const scene = world(disk(), Array<string>(99).fill('good'), daily, [desired])
    scene.stopAfter(days(70))
    await run(scene, STARTED, forever)
    const ofIpv6 = scene.log.filter((entry) => entry.includes(A6))
    expect(ofIpv6.map((entry) => entry.split(' ')[0])).toEqual(['0', '26d14h24m', '53d4h48m'])
  })

  it.each(['good', 'unreached'])(
    'after offline with the answer %s, each family is sent again',
    async (answer) => {
      const file = disk()
      const apart = { form: { ...PLAIN_FORM, isApart: true }, families: ['v4', 'v6'] as const }
      const requestsOf = async (isOffline: boolean): Promise<readonly string[]> => {
        const script = Array<string>(9).fill(isOffline ? answer : 'good')
        const scene = world(file, script, () => [A, A6], [{ ...apart, isOffline }])
        scene.stopAfter(isOffline ? seconds(1) : minutes(2))
        await run(scene, STARTED, forever)
        return scene.log.map((entry) => entry.replace(AT, '').replace(/^\S+ /, ''))
      }
      expect(await requestsOf(false)).toEqual([`myip=${A}`, `myip=${A6}`])
      expect(await requestsOf(true)).toEqual([`myip=${A},${A6}&offline=YES`])
      expect(await requestsOf(false)).toEqual([`myip=${A}`, `myip=${A6}`])
    },
  )

  it('a refresh leaves out a family that is not seen', async () => {
    const entries = await requests('omit', (minute) => [A, minute < 60 ? A6 : 'unknown v6'], {
      form: { isApart: true },
      span: days(30),
    })
    expect(entries.map((entry) => entry.replace(/^\S+ /, ''))).toEqual([
      `myip=${A}`,
      `myip=${A6}`,
      `myip=${A}`,
    ])
  })
})

it('each family apart, from the connection: one request without an address', async () => {
  const desired = { ...PLAN, reliesOnConnection: true, form: { ...PLAIN_FORM, isApart: true } }
  const scene = world(disk(), ['good 192.0.2.1'], () => [A, A6], [desired])
  scene.stopAfter(minutes(30))
  await run(scene, STARTED, forever)
  expect(scene.log).toEqual(['0 send a.test?hostname=home.example.test'])
})

it('two requests have the least time between them', async () => {
  const form = { isApart: true, minGap: minutes(10) }
  expect(await requests('omit', () => [A, A6], { form })).toEqual([`0 myip=${A}`, `10m myip=${A6}`])
})
