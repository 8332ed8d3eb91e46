import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Inside, inside } from '../service/api/inside.ts'
import { randomZone, type ZoneState } from '../service/api/zones/random-zone.ts'
import { oneIn } from '../large.ts'
import { apiWorld, type World } from '../service/api/world.ts'
import { addressesBehind, recordsOf } from '../service/api/zones/zone-rules.ts'
import { checkByBind, checkByKnot, lacks, removeZoneFiles } from './name-servers.ts'

/** Zones as random changes through the API leave them, as name servers of other projects read them. */
const SEEDS = oneIn(2, [11, 12, 13, 14])
const STEPS = 400
/** A zone is rendered after so many changes. */
const INTERVAL = 10

interface ZoneFile {
  readonly origin: string
  readonly text: string
  readonly state: ZoneState
}
const files: ZoneFile[] = []
let world: World
let api: Inside
beforeAll(async () => {
  world = await apiWorld()
  api = inside(world.store)
  for (const seed of SEEDS) {
    const zone = `zone${seed}.test`
    let accepted = 0
    for await (const { codes, state } of randomZone(world, api, { zone, seed, steps: STEPS }))
      if (codes.length === 0 && ++accepted % INTERVAL === 0) files.push(zoneFile(state, zone))
  }
})
afterAll(async () => {
  removeZoneFiles()
  await world.close()
})

const valuesOf = (state: ZoneState, wanted: string): readonly string[] =>
  Object.values(state).flatMap((types) => Object.values(types[wanted] ?? {}))

/** As a name server serves it: an ALIAS becomes the addresses of its target, a redirect those of the web server. */
function zoneFile(state: ZoneState, origin: string): ZoneFile {
  const stored = recordsOf(state, origin)
  const served = stored.flatMap((one) => {
    if (one.type === 'ALIAS')
      return (addressesBehind(stored, one.owner, origin) ?? []).map(({ type, value }) => ({
        owner: one.owner,
        type,
        value,
      }))
    return one.type === '_URL' ? [{ ...one, type: 'A', value: '192.0.2.80' }] : [one]
  })
  const lines = new Set(served.map(({ owner, type, value }) => `${owner} 300 IN ${type} ${value}`))
  const soa = `${origin}. 300 IN SOA ns.operator.example. hostmaster.operator.example. 1 3600 600 86400 300`
  return { origin, text: [soa, ...lines, ''].join('\n'), state }
}

/** MX and SRV may point to aliases and to names without addresses: the API only warns. */
const complaints = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => /error|warning|glue|CNAME|no address|not loaded/i.test(line))
    .filter((line) => !/\/(MX|SRV) '|^\S+\s+300\s+IN\s/.test(line))

it.each([
  [
    'delegations',
    (state: ZoneState) =>
      Object.keys(state).some((name) => name !== '@' && state[name]?.['NS'] !== undefined),
  ],
  [
    'name servers in the zone',
    (state: ZoneState, origin: string) => valuesOf(state, 'NS').some((value) => value.endsWith(`${origin}.`)),
  ],
  ['wildcards', (state: ZoneState) => Object.keys(state).some((name) => name.startsWith('*'))],
  ...['ALIAS', 'CNAME', 'PTR'].map(
    (type) => [type, (state: ZoneState) => valuesOf(state, type).length > 0] as const,
  ),
] as const)('many zones have %s', (_, isSuch) =>
  expect(files.filter(({ state, origin }) => isSuch(state, origin)).length).toBeGreaterThan(files.length / 8),
)

describe.each([
  ['named-checkzone', checkByBind, lacks('named-checkzone')],
  ['Knot', checkByKnot, lacks('knotc')],
] as const)('%s', (_, check, isMissing) => {
  it.skipIf(isMissing)(
    'loads every zone, and misses no address',
    () => {
      for (const { origin, text } of files) {
        const { status, stdout, stderr } = check(text, origin)
        expect([status, ...complaints(`${stdout}\n${stderr}`)], `${text}\n${stderr}${stdout}`).toEqual([0])
      }
    },
    120_000,
  )

  it.skipIf(isMissing)('would tell', () => {
    const soa = 'z.test. 300 IN SOA ns.operator.example. h.operator.example. 1 3600 600 86400 300'
    const broken = [
      soa,
      'z.test. 300 IN NS ns.operator.example.',
      'd.z.test. 300 IN NS n.d.z.test.',
      '',
    ].join('\n')
    const { status, stdout, stderr } = check(broken, 'z.test')
    expect([status, ...complaints(`${stdout}\n${stderr}`)]).not.toEqual([0])
  })
})
