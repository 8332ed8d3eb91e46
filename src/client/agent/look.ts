import { type Instant, after, between, earliest, seconds, stretched } from '../../base/time.ts'
import { FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting, Sightings } from '../../net/sighting.ts'
import type { Dice, Schedule } from '../../ports/clock.ts'
import { type SightingsByName, type View, sightingsOf } from '../decide/next.ts'
import { givenSource } from '../sources/given.ts'
import type { AddressSource } from '../sources/source.ts'
import { type Given, LOOK, type Order } from './inbox.ts'
import type { Agent, Charge } from './run.ts'

/** Every distinct source is asked once, for every family that somebody wants from it, side by side. */
export async function look(
  agent: Agent,
  charges: readonly Charge[],
  schedule: Schedule,
  { orders, before }: { readonly orders: readonly Order[]; readonly before: View },
): Promise<View> {
  const given = orders.flatMap((order) => order.given ?? [])
  const groups = charges.flatMap((charge) =>
    [...sourcesOf(charge, given)].map(([source, hostnames]) => ({ plan: charge.plan, source, hostnames })),
  )
  const asked = ask(
    agent,
    groups.flatMap(({ plan, source, hostnames: [first = ''] }) =>
      plan.families.map((family) => ({
        source,
        family,
        last: sightingsOf(before.sightings?.[plan.account] ?? {}, first)[family],
      })),
    ),
  )
  await settled(agent, asked)
  const sightings: Record<string, Record<string, Sightings>> = {}
  for (const { plan, source, hostnames } of groups) {
    const wanted = FAMILIES.filter((family) => plan.families.includes(family))
    const seen = Object.fromEntries(wanted.map((family) => [family, heard(asked, source, family)]))
    agent.tell({ kind: 'looked', account: plan.account, hostnames, sightings: seen })
    const byName: SightingsByName = Object.fromEntries(hostnames.map((hostname) => [hostname, seen]))
    sightings[plan.account] = { ...sightings[plan.account], ...byName }
  }
  const now = agent.clock.now()
  const unknownSince = Object.fromEntries(
    Object.entries(sightings).flatMap(([account, byName]) =>
      isAnySeen(byName) ? [] : [[account, before.unknownSince?.[account] ?? now]],
    ),
  )
  const nextLook = jittered(now, schedule.nextAfter(now), agent.dice)
  return { ...before, sightings, lastLook: now, unknownSince, nextLook }
}

const isAnySeen = (byName: SightingsByName): boolean =>
  Object.values(byName).some((seen) => FAMILIES.some((family) => seen[family]?.kind === 'seen'))

interface Question {
  readonly source: AddressSource
  readonly family: Family
  /** What was seen the time before. */
  readonly last: Sighting | undefined
  readonly answer: Promise<Sighting>
  sighting: Sighting
  isAnswered: boolean
}

/** It came too late for this look, and may come yet. */
export const PENDING: Sighting = { kind: 'unknown', because: 'it is still being asked for' }

function ask(
  agent: Agent,
  wanted: readonly Pick<Question, 'source' | 'family' | 'last'>[],
): readonly Question[] {
  const questions: Question[] = []
  for (const { source, family, last } of wanted) {
    if (questions.some((one) => one.source === source && one.family === family)) continue
    const question: Question = {
      source,
      family,
      last,
      sighting: PENDING,
      isAnswered: false,
      answer: source.look(family, agent.end),
    }
    questions.push(question)
    void hear(question)
  }
  return questions
}

async function hear(question: Question): Promise<void> {
  question.sighting = await question.answer
  question.isAnswered = true
}

/**
 * Until all have answered. Where somebody is in a hurry: until a little after the first new address; who comes late with an
 * address then is a reason to look again.
 */
async function settled(
  { clock, settleWithin, inbox, end }: Agent,
  asked: readonly Question[],
): Promise<void> {
  const all = Promise.all(asked.map(async ({ answer }) => answer))
  if (settleWithin === undefined) return void (await all)
  const sees = asked.map(async (question) => {
    await question.answer
    if (!isNews(question)) throw new Error('nothing new')
  })
  const first = Promise.any(sees).then(
    async () => clock.sleep(after(clock.now(), settleWithin), end),
    async () => all,
  )
  await Promise.race([all, first])
  for (const question of asked.filter(({ isAnswered }) => !isAnswered)) void comesLate(question, inbox)
}

async function comesLate(question: Question, inbox: Agent['inbox']): Promise<void> {
  await question.answer
  if (isNews(question)) inbox.put(LOOK)
}

const isNews = ({ sighting, last }: Question): boolean =>
  sighting.kind === 'seen' && !(last?.kind === 'seen' && last.address === sighting.address)

const heard = (asked: readonly Question[], source: AddressSource, family: Family): Sighting =>
  asked.find((one) => one.source === source && one.family === family)?.sighting ?? PENDING

/** Which names of an account learn their address from whom. */
function sourcesOf(
  { plan, source, sources = {} }: Charge,
  given: readonly Given[],
): Map<AddressSource, string[]> {
  const said = given
    .filter(({ account }) => account === plan.account)
    .map(({ hostnames, addresses }) => ({ names: new Set(hostnames), source: givenSource(addresses) }))
  const own = new Map(Object.entries(sources))
  const asked = new Map<AddressSource, string[]>()
  for (const hostname of plan.hostnames) {
    const by = said.findLast(({ names }) => names.has(hostname))?.source ?? own.get(hostname) ?? source
    const names = asked.get(by) ?? []
    names.push(hostname)
    asked.set(by, names)
  }
  return asked
}

/** A tenth later at most, and never half a minute, so that many hosts do not look together. */
const jittered = (now: Instant, at: Instant, dice: Dice): Instant =>
  earliest(after(now, stretched(between(now, at), 0.1, dice())), after(at, seconds(30)))
