import type { Result } from '../../base/result.ts'
import { after, between, type Duration, milliseconds, minutes, seconds } from '../../base/time.ts'
import { FAMILIES } from '../../net/address.ts'
import { askServer } from './ask-server.ts'
import type { VerifyContext } from './ports.ts'
import {
  type Confirmed,
  checkOf,
  MAX_PROPAGATION,
  type Publication,
  type ServerCheck,
  stateOf,
} from './publication.ts'
import { findZoneServers, type ZoneServer } from './zone-servers.ts'

/** When name servers are asked after a confirmation: within the first seconds often, then until `MAX_PROPAGATION`. */
export const ROUNDS: readonly Duration[] = [
  milliseconds(100),
  milliseconds(500),
  seconds(1),
  seconds(2),
  seconds(5),
  seconds(15),
  seconds(30),
  minutes(1),
  minutes(2),
  MAX_PROPAGATION,
]

/** For a question at any other time. */
export const ONE_ROUND: readonly Duration[] = [milliseconds(0)]

/** Rounds without an answer for the zone, after which it is not asked again. */
const MAX_UNVERIFIED = 3
/** Silent and lame servers are asked in this many rounds once all others give the confirmed addresses. */
const MAX_UNANSWERED = 2

export interface Verification extends Confirmed {
  readonly hostname: string
  /** In the place of the servers that the zone names. */
  readonly servers?: readonly ZoneServer[]
  readonly rounds: readonly Duration[]
  /** How long before the first round the addresses were confirmed; undefined: just now, and results say how long it took. */
  readonly age?: Duration
}

/**
 * Asks the name servers of a zone whether they give the confirmed addresses, in rounds, until all do or the rounds are over.
 * `report` gets the result of each round, and the last one is returned; undefined where the signal ends the first round.
 * Never rejects, and sends no update: the result is information.
 */
export async function verify(
  verification: Verification,
  context: VerifyContext,
  report: (publication: Publication) => void = () => undefined,
): Promise<Publication | undefined> {
  const { rounds } = verification
  const { signal } = context
  const { clock } = context.ports
  const start = clock.now()
  let last: Publication | undefined
  let checks: readonly ServerCheck[] = []
  let servers: Result<readonly ZoneServer[], string> | undefined
  for (const [round, at] of rounds.entries()) {
    await clock.sleep(after(start, at), signal)
    if (signal.aborted) return last
    if (servers?.ok !== true) servers = await serversOf(verification, context)
    if (servers.ok) checks = await askServers(servers.value, checks, { ...context, verification })
    if (signal.aborted) return last
    const took = between(start, clock.now())
    last = publicationOf(verification, took, servers.ok ? checks : servers.error)
    report(last)
    if (isDone(last, round + 1)) return last
  }
  return last
}

async function serversOf(
  { hostname, servers }: Verification,
  context: VerifyContext,
): Promise<Result<readonly ZoneServer[], string>> {
  return servers === undefined ? findZoneServers(hostname, context) : { ok: true, value: servers }
}

interface RoundContext extends VerifyContext {
  readonly verification: Verification
}

/** A server that gave the confirmed addresses is not asked again. */
async function askServers(
  servers: readonly ZoneServer[],
  before: readonly ServerCheck[],
  { verification, ports, signal }: RoundContext,
): Promise<readonly ServerCheck[]> {
  const { hostname, addresses } = verification
  const families = FAMILIES.filter((family) => addresses[family] !== undefined)
  return Promise.all(
    servers.map(async (server) => {
      const earlier = before.find((check) => check.server === server.name)
      if (earlier?.finding === 'seen') return earlier
      const answers = await Promise.all(
        families.map(
          async (family) =>
            [family, await askServer(server, { hostname, family }, { ports, signal })] as const,
        ),
      )
      return checkOf(server.name, Object.fromEntries(answers), verification)
    }),
  )
}

function publicationOf(
  { age }: Verification,
  took: Duration,
  checks: readonly ServerCheck[] | string,
): Publication {
  const times = { took: age === undefined ? took : null }
  if (typeof checks === 'string') return { state: 'unverified', servers: [], because: checks, ...times }
  const sinceConfirmation = milliseconds((age ?? 0) + took)
  return { state: stateOf(checks, sinceConfirmation), servers: checks, because: null, ...times }
}

function isDone({ state, servers }: Publication, rounds: number): boolean {
  if (state === 'unverified') return rounds >= MAX_UNVERIFIED
  const isAnySilent = servers.some(({ finding }) => finding === 'silent')
  return state === 'published' && (!isAnySilent || rounds >= MAX_UNANSWERED)
}
