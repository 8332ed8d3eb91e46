import { after, between, earliest, type Instant, seconds, withJitter } from '../../base/time.ts'
import { FAMILIES, type Family } from '../../net/address.ts'
import type { Sighting, Sightings } from '../../net/sighting.ts'
import type { Random, Schedule } from '../../ports/clock.ts'
import { type SightingsByName, sightingsOf, type WorldView } from '../decide/next-action.ts'
import { givenSource } from '../sources/given.ts'
import type { AddressProvider } from '../sources/provider.ts'
import type { Agent } from './agent.ts'
import { type GivenAddresses, LOOK, type LoopRequest } from './inbox.ts'
import type { AccountJob } from './loop-state.ts'

/** Every distinct source is asked once, for every family that somebody wants from it, side by side. */
export async function look(
  agent: Agent,
  jobs: readonly AccountJob[],
  schedule: Schedule,
  { orders, before }: { readonly orders: readonly LoopRequest[]; readonly before: WorldView },
): Promise<WorldView> {
  const given = orders.flatMap((order) => order.given ?? [])
  const groups = jobs.flatMap((job) =>
    [...sourcesOf(job, given)].map(([source, hostnames]) => ({ desired: job.desired, source, hostnames })),
  )
  const asked = ask(
    agent,
    groups.flatMap(({ desired, source, hostnames: [first = ''] }) =>
      desired.families.map((family) => ({
        source,
        family,
        last: sightingsOf(before.sightings?.[desired.account] ?? {}, first)[family],
      })),
    ),
  )
  await settled(agent, asked)
  const sightings: Record<string, Record<string, Sightings>> = {}
  for (const { desired, source, hostnames } of groups) {
    const wanted = FAMILIES.filter((family) => desired.families.includes(family))
    const seen = Object.fromEntries(wanted.map((family) => [family, heard(asked, source, family)]))
    agent.tell({ kind: 'looked', account: desired.account, hostnames, sightings: seen })
    const byName: SightingsByName = Object.fromEntries(hostnames.map((hostname) => [hostname, seen]))
    sightings[desired.account] = { ...sightings[desired.account], ...byName }
  }
  const now = agent.clock.now()
  const unknownSince = Object.fromEntries(
    Object.entries(sightings).flatMap(([account, byName]) =>
      isAnySeen(byName) ? [] : [[account, before.unknownSince?.[account] ?? now]],
    ),
  )
  const nextLook = jittered(now, schedule.nextAfter(now), agent.random)
  return { ...before, sightings, lastLook: now, unknownSince, nextLook }
}

const isAnySeen = (byName: SightingsByName): boolean =>
  Object.values(byName).some((seen) => FAMILIES.some((family) => seen[family]?.kind === 'seen'))

interface Question {
  readonly source: AddressProvider
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
  { clock, familyTimeout, inbox, end }: Agent,
  asked: readonly Question[],
): Promise<void> {
  const all = Promise.all(asked.map(async ({ answer }) => answer))
  if (familyTimeout === undefined) return void (await all)
  const sees = asked.map(async (question) => {
    await question.answer
    if (!isNews(question)) throw new Error('nothing new')
  })
  const first = Promise.any(sees).then(
    async () => clock.sleep(after(clock.now(), familyTimeout), end),
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

const heard = (asked: readonly Question[], source: AddressProvider, family: Family): Sighting =>
  asked.find((one) => one.source === source && one.family === family)?.sighting ?? PENDING

/** Which names of an account learn their address from whom. */
function sourcesOf(
  { desired, source, sources = {} }: AccountJob,
  given: readonly GivenAddresses[],
): Map<AddressProvider, string[]> {
  const said = given
    .filter(({ account }) => account === desired.account)
    .map(({ hostnames, addresses }) => ({ names: new Set(hostnames), source: givenSource(addresses) }))
  const own = new Map(Object.entries(sources))
  const asked = new Map<AddressProvider, string[]>()
  for (const hostname of desired.hostnames) {
    const by = said.findLast(({ names }) => names.has(hostname))?.source ?? own.get(hostname) ?? source
    const names = asked.get(by) ?? []
    names.push(hostname)
    asked.set(by, names)
  }
  return asked
}

/** A tenth later at most, and never half a minute, so that many hosts do not look together. */
const jittered = (now: Instant, at: Instant, random: Random): Instant =>
  earliest(after(now, withJitter(between(now, at), 0.1, random())), after(at, seconds(30)))
