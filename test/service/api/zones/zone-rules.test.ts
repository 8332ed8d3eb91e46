import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_SEED, runs, SEED } from '../../../runs.ts'
import { type Inside, inside } from '../inside.ts'
import { randomZone, type ZoneState } from './random-zone.ts'
import { apiWorld, type World } from '../world.ts'
import { brokenByWildcards, brokenRules } from './zone-rules.ts'

const ZONES = runs(3)
const STEPS = 700
/** So many steps meet every rule several times, whatever they are. */
const IS_LARGE = ZONES > 20
/** The errors of the rules of DNS: 3624 for the parent of a wildcard. */
const RULE_CODES = ['3363', '3111', '4619', '4159', '4145', '3624']

let world: World
let api: Inside
beforeAll(async () => {
  world = await apiWorld()
  api = inside(world.store)
})
afterAll(async () => world.close())

const seen = new Map<string, number>()

/** The values without their labels, which the service may choose. */
/** The records; a name that a POST of records has made goes with the last of them. */
const contentOf = (state: ZoneState): string =>
  JSON.stringify(
    Object.entries(state)
      .filter(([, types]) => Object.keys(types).length > 0)
      .map(([name, types]) => [
        name,
        Object.entries(types)
          .map(([type, values]) => [type, Object.values(values).toSorted()] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )

it.each(Array.from({ length: ZONES }, (_, n) => SEED + n))(
  'a change is made if and only if the resulting zone is right: random zone %i',
  async (seed) => {
    const zone = `zone${seed}.test`
    for await (const { step, codes, state } of randomZone(world, api, { zone, seed, steps: STEPS })) {
      const said = (): string => JSON.stringify({ ...step, codes, state })
      const [code = 'accepted'] = codes
      seen.set(`${step.method} ${code}`, (seen.get(`${step.method} ${code}`) ?? 0) + 1)
      const broken = brokenRules(state, zone)
      if (broken.length > 0) throw new Error(`${broken.join(', ')}: ${said()}`)
      if (code === 'accepted' && contentOf(state) !== contentOf(step.wanted))
        throw new Error(`the zone is another one: ${said()}`)
      if (!RULE_CODES.includes(code)) continue
      const wanted = [...brokenRules(step.wanted, zone), ...brokenByWildcards(step.wanted, zone)]
      if (wanted.length === 0) throw new Error(`the zone would break no rule: ${said()}`)
    }
  },
)

// A few steps of another seed may miss a rule.
it.runIf(IS_LARGE || SEED === DEFAULT_SEED)('these changes meet every rule', () => {
  const cases = [...seen].filter(([, count]) => count >= (IS_LARGE ? 5 : 1)).map(([one]) => one)
  expect(cases).toEqual(
    expect.arrayContaining([
      ...['POST', 'PUT', 'DELETE'].map((method) => `${method} accepted`),
      ...['POST', 'PUT'].flatMap((method) =>
        ['3363', '3111', '4159', '4145'].map((code) => `${method} ${code}`),
      ),
      'POST 4619',
      'POST 3624',
      'DELETE 3363',
    ]),
  )
})
