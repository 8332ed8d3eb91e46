import {
  after,
  between,
  type Duration,
  earliest,
  type Instant,
  isBefore,
  longest,
  minutes,
  seconds,
  withJitter,
} from '../../shared/base/time.ts'
import { FAMILIES, type Family } from '../../shared/base/address.ts'
import type { Sighting, Sightings } from '../../shared/base/sighting.ts'
import type { Random, Schedule } from '../../shared/ports/clock.ts'
import { type SightingsByName, sightingsOf, type WorldView } from '../decide/next-action.ts'
import { givenSource } from '../detect/address-detection.ts'
import type { AddressProvider } from '../detect/sources/provider.ts'
import { type AccountJob, type Agent, type GivenAddresses, LOOK_REQUEST, type LoopRequest } from './agent.ts'

interface LookContext {
  readonly jobs: readonly AccountJob[]
  readonly schedule: Schedule
  readonly requests: readonly LoopRequest[]
  readonly before: WorldView
}

/** Hostnames of one account with the same source. */
interface SourceGroup {
  readonly job: AccountJob
  readonly source: AddressProvider
  readonly hostnames: readonly string[]
}

/** A longer look was interrupted (SIGSTOP, a paused virtual machine): its first answers may be wrong by now. */
export const MAX_LOOK: Duration = minutes(1)

/**
 * One family may have its answer long before the other. A request that arrives between the two says that the first may be
 * wrong by now, so the look begins again; the last one ends at such a request, without the other family.
 */
const MAX_LOOKS = 4

/** Queries every source in parallel, once for each family that is desired from it; again after an interruption. */
export async function look(agent: Agent, context: LookContext): Promise<WorldView> {
  let isRepeated = false
  for (let nth = 1; ; nth++) {
    const end = after(agent.clock.now(), MAX_LOOK)
    const view = await lookOnce(agent, context, nth < MAX_LOOKS)
    if (view === 'overtaken') continue
    if (isRepeated || isBefore(agent.clock.now(), end) || agent.end.aborted) return view
    isRepeated = true
    agent.onInterruption()
  }
}

async function lookOnce(
  agent: Agent,
  { jobs, schedule, requests, before }: LookContext,
  mayBeOvertaken: boolean,
): Promise<WorldView | 'overtaken'> {
  const given = requests.flatMap((request) => request.givenAddresses ?? [])
  const groups = jobs.flatMap((job) =>
    [...groupBySource(job, given)].map(([source, hostnames]): SourceGroup => ({ job, source, hostnames })),
  )
  const queries = startQueries(groups, before, agent.end)
  const isOvertaken = (await wholeOrOvertaken(agent, queries)) === 'overtaken'
  if (isOvertaken && mayBeOvertaken) return 'overtaken'
  for (const query of queries.filter(({ isDone }) => !isDone)) void lookAgain(query, agent.inbox)
  const sightings = sightingsIn(groups, queries, agent.emit)
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
  Object.values(byName).some((seen) =>
    FAMILIES.some((family) => {
      const one = seen[family]
      // While another line is held, the published address is still known.
      return one?.kind === 'seen' || (one?.kind === 'unknown' && one.lineHeld !== undefined)
    }),
  )

/** One source and one family. The last two fields change when the result arrives. */
interface Query {
  readonly source: AddressProvider
  readonly family: Family
  /** The sighting of the look before. */
  readonly previous: Sighting | undefined
  readonly result: Promise<void>
  sighting: Sighting
  isDone: boolean
}

/** In the first look of a process, one request has both families where both answer in this time. */
const FIRST_LOOK_TIMEOUT: Duration = seconds(1)

/** The result did not arrive in time for this look, and may still arrive. */
export const PENDING: Sighting = { kind: 'unknown', because: 'the source has not answered yet' }

function startQueries(
  groups: readonly SourceGroup[],
  before: WorldView,
  signal: AbortSignal,
): readonly Query[] {
  const queries: Query[] = []
  const wanted = groups.flatMap(({ job: { desired }, source, hostnames: [first = ''] }) =>
    desired.families.map((family) => ({
      source,
      family,
      previous: sightingsOf(before.sightings?.[desired.account] ?? {}, first)[family],
    })),
  )
  for (const one of wanted)
    if (find(queries, one.source, one.family) === undefined) queries.push(startQuery(one, signal))
  return queries
}

function startQuery(query: Pick<Query, 'source' | 'family' | 'previous'>, signal: AbortSignal): Query {
  const started: Query = { ...query, sighting: PENDING, isDone: false, result: arrives() }
  return started

  async function arrives(): Promise<void> {
    const sighting = await query.source.look(query.family, signal)
    Object.assign(started, { sighting, isDone: true })
  }
}

const find = (queries: readonly Query[], source: AddressProvider, family: Family): Query | undefined =>
  queries.find((query) => query.source === source && query.family === family)

/**
 * Resolves when all queries are done; with a `familyTimeout`, that long after the first new address at the latest. An
 * address that arrives later causes another look: a known one may be due too, where its request had no answer.
 */
async function queriesDone(agent: Agent, queries: readonly Query[]): Promise<void> {
  const all = Promise.all(queries.map(async ({ result }) => result))
  if (agent.familyTimeout === undefined) return void (await all)
  const isFirst = queries.every(({ previous }) => previous === undefined)
  const timeout = isFirst ? longest(agent.familyTimeout, FIRST_LOOK_TIMEOUT) : agent.familyTimeout
  await Promise.race([all, firstNewAddress(agent, timeout, queries)])
}

/** Queries that wait for one that is slow are overtaken by a request: what they saw may have changed. */
async function wholeOrOvertaken(agent: Agent, queries: readonly Query[]): Promise<void | 'overtaken'> {
  const ended = new AbortController()
  try {
    return await Promise.race([queriesDone(agent, queries), overtaken(agent.inbox, queries, ended.signal)])
  } finally {
    ended.abort()
  }
}

async function overtaken(
  inbox: Agent['inbox'],
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<'overtaken'> {
  for (;;) {
    const next = inbox.next()
    await new Promise<void>((done) => next.addEventListener('abort', () => done(), { once: true, signal }))
    if (queries.some(({ isDone }) => isDone)) return 'overtaken'
  }
}

/** Resolves a while after the first new address, or when there is none. */
async function firstNewAddress(
  { clock, end }: Agent,
  familyTimeout: Duration,
  queries: readonly Query[],
): Promise<void> {
  const changes = queries.map(async (query) => {
    await query.result
    if (!isNewAddress(query)) throw new Error('no new address')
  })
  const isFound = await Promise.any(changes).then(
    () => true,
    () => false,
  )
  if (isFound) await clock.sleep(after(clock.now(), familyTimeout), end)
}

async function lookAgain(query: Query, inbox: Agent['inbox']): Promise<void> {
  await query.result
  if (query.sighting.kind === 'seen') inbox.put(LOOK_REQUEST)
}

const isNewAddress = ({ sighting, previous }: Query): boolean =>
  sighting.kind === 'seen' && !(previous?.kind === 'seen' && previous.address === sighting.address)

function sightingsIn(
  groups: readonly SourceGroup[],
  queries: readonly Query[],
  emit: Agent['emit'],
): Readonly<Record<string, SightingsByName>> {
  const sightings: Record<string, SightingsByName> = {}
  for (const { job, source, hostnames } of groups) {
    const { account, families } = job.desired
    const seen: Sightings = Object.fromEntries(
      FAMILIES.filter((family) => families.includes(family)).map((family) => [
        family,
        find(queries, source, family)?.sighting ?? PENDING,
      ]),
    )
    emit({ kind: 'looked', account, hostnames, sightings: seen })
    const byName = Object.fromEntries(hostnames.map((hostname) => [hostname, seen]))
    sightings[account] = { ...sightings[account], ...byName }
  }
  return sightings
}

/** The hostnames of an account by the source of their addresses: given for this look, their own, or that of the account. */
function groupBySource(
  { desired, source, sources = {} }: AccountJob,
  given: readonly GivenAddresses[],
): Map<AddressProvider, string[]> {
  const givenSources = given
    .filter(({ account }) => account === desired.account)
    .map(({ hostnames, addresses }) => ({ names: new Set(hostnames), source: givenSource(addresses) }))
  const own = new Map(Object.entries(sources))
  const groups = new Map<AddressProvider, string[]>()
  for (const hostname of desired.hostnames) {
    const givenLast = givenSources.findLast(({ names }) => names.has(hostname))?.source
    const chosen = givenLast ?? own.get(hostname) ?? source
    const names = groups.get(chosen)
    if (names === undefined) groups.set(chosen, [hostname])
    else names.push(hostname)
  }
  return groups
}

/** Up to a tenth later, and less than half a minute, so that many hosts do not look at the same moment. */
const jittered = (now: Instant, at: Instant, random: Random): Instant =>
  earliest(after(now, withJitter(between(now, at), 0.1, random())), after(at, seconds(30)))
