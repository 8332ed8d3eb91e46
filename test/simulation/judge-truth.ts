import { explainAccount } from '../../src/client/report/explain-account.ts'
import type { StatusReport } from '../../src/client/report/status.ts'
import { FAMILIES, listed } from '../../src/shared/base/address.ts'
import { DOES_REPORT, type Finding, IS_CONFIRMED, isForgotten, STOPS, type Witness } from './judge.ts'
import type { NameServers } from './name-servers.ts'
import type { Nat, NatKind } from '../../src/shared/base/nat.ts'
import type { HomePlan, RouterKind } from './draw.ts'
import type { Receiver } from './receiver.ts'
import { addressesIn, type UpdateService } from './update-service.ts'

/** One line of the log of the daemon. */
export interface Told {
  readonly now: number
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What is between the home and the internet over IPv4. */
export const natOfHome = ({ isTranslated, router }: HomePlan): NatKind | undefined =>
  isTranslated ? '464XLAT' : NAT_OF_ROUTER[router]
const NAT_OF_ROUTER: Readonly<Partial<Record<RouterKind, NatKind>>> = {
  noAddress: 'CGNAT or double NAT',
  private: 'double NAT',
  shared: 'CGNAT',
  other: 'double NAT or a wrong word',
}
export const NAT_TOLD = 'the router does not have the public address of this network'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Truth, at each line of the log. */
// biome-ignore format: a table
/** What it tells, and when that is untrue. */
const TELLS: { readonly [msg: string]: (told: Told, witness: Witness) => Finding | undefined } = {
  'an outside source disagrees with the quorum and is ignored': ({ fields }, { home }) =>
    fields['reported'] === home.address && home.heldFor() > 15 * SECOND
      ? ['T1', `the address of the line is told to be wrong: ${String(fields['source'])}`] : undefined,
  'outside services see another line; its address is not published': ({ now }, { home }) =>
    home.hadVpnSince(now - 10 * MINUTE) ? undefined : ['T2', 'a VPN is told of, and there is none'],
  'traffic leaves by another line; its address is not published': ({ now }, { home }) =>
    home.wasElsewhereSince(now - MINUTE) ? undefined : ['T11', 'another line is told of, and there is none'],
  // After a sleep, long ago is a moment ago.
  'traffic leaves by another line; its address is published from now on': ({ fields }, { home }) =>
    home.isCarried(interfaceIn(fields['to'])) ? ['T11', `${String(fields['to'])} is told to be published, and another line carries it`]
      : home.wasElsewhereSince(0) || home.hadWaySince(0) ? undefined : ['T11', 'a line is told to be left, and there is only one'],
  'the router reports its public address': (_, { world }) =>
    DOES_REPORT.has(world.home.router) ? undefined : ['T3', `the router is told to report its public address: ${world.home.router}`],
  [NAT_TOLD]: ({ fields, now }, { world, home }) =>
    (fields['nat'] as Nat).kind === natOfHome(world.home) || home.hadWaySince(now - MINUTE)
      ? undefined : ['T10', `${(fields['nat'] as Nat).kind} is told, and the home has ${natOfHome(world.home)}`],
  'the router changed its address without an announcement': (_, { world }) =>
    world.home.router === 'upnp' ? ['T3', 'a router that knows only UPnP is told to announce nothing'] : undefined,
  'a source is paused': ({ now, fields }, { home, world }) =>
    world.home.liars.some((host) => String(fields['source']).includes(host)) || world.home.port53 !== undefined || home.hadVpnSince(now - 10 * MINUTE) || now - home.touched < MINUTE
      ? undefined : ['T4', `an honest source is paused: ${String(fields['source'])}`],
}

/** Of a line as it is told: `eth0 via 192.168.1.1`. */
const interfaceIn = (line: unknown): string => String(line).split(' ')[0] ?? ''

export const toldAlarm = (told: Told, witness: Witness): Finding | undefined =>
  TELLS[told.msg]?.(told, witness)

/** T7: what is told to be wrong is wrong. */
export const causeAlarms = (
  { accounts }: StatusReport,
  { received }: UpdateService,
  { now, witness }: Asked,
): readonly Finding[] =>
  accounts.flatMap(({ outcome, because, since, isDue }): readonly Finding[] => {
    const { home, attempts } = witness
    const last = received.at(-1)
    const isUnanswered = attempts.at(-1)?.isConfirmed === false
    const hasCause = {
      settled: true,
      // The user may mend the account before the client is told.
      stopped: received.some(({ answer }) => STOPS.test(answer)),
      // Two hosts, or the pace.
      waiting:
        last === undefined ||
        !IS_CONFIRMED.test(last.answer) ||
        because?.startsWith('pace') === true ||
        isPaced(attempts, now),
      unreached: isUnanswered || isDue === true || since === null,
      addressUnknown:
        home.address === undefined ||
        now - Math.max(home.touched, witness.frozen, witness.booted) < MINUTE ||
        (because?.includes('returned too soon') === true && now - home.touched < 20 * MINUTE) ||
        home.hadVpnSince(now - MINUTE) ||
        home.plan.loss > 0 ||
        home.plan.liars.length > 0 ||
        home.plan.port53 !== undefined,
    }[outcome]
    return hasCause ? [] : [['T7', `${outcome} because of ${because}`]]
  })

/** Whether requests may be delayed by the pace. */
const isPaced = (attempts: Witness['attempts'], now: number): boolean =>
  attempts.filter(({ at }) => at > now - 10 * MINUTE).length >= 4

/** T9: an explanation has all its words. */
export const explainAlarms = ({ accounts }: StatusReport): readonly Finding[] =>
  accounts
    .flatMap(explainAccount)
    .filter((line) => /\b(?:undefined|null|NaN)\b|\[object/.test(line))
    .map((line) => ['T9', line])

/** T8: what is told to be published is what the name servers have. */
export function publishedAlarms(
  { accounts }: StatusReport,
  { names }: NameServers,
  { received }: UpdateService,
  { now, witness }: Asked,
): readonly Finding[] {
  const lag = witness.world.home.nameServers.lag
  // What is under way to the name servers may bring back an earlier address; a lost answer brings an unknown one.
  if (received.some(({ at }) => at > now - lag - MINUTE) || received.at(-1)?.inHand === undefined) return []
  return accounts.flatMap(({ hostnames }) =>
    hostnames.flatMap(({ hostname, confirmed, published }): readonly Finding[] => {
      const stored = names.get(hostname) ?? {}
      const isTrue = FAMILIES.every(
        (family) => confirmed[family] === undefined || stored[family] === confirmed[family],
      )
      return published?.state !== 'published' || isTrue
        ? []
        : [
            [
              'T8',
              `${hostname} is told to be published with ${listed(confirmed).join()}, and the name servers have ${listed(stored).join()}`,
            ],
          ]
    }),
  )
}

/** L3: the last message about a problem is its end. */
export function heardAlarms({ messages }: Receiver): readonly Finding[] {
  const last = messages.findLast(({ event }) => PROBLEMS.has(event) || event === 'recovered')
  return last !== undefined && last.event !== 'recovered'
    ? [['L3', `the last message of a problem is ${last.event}`]]
    : []
}

const PROBLEMS: ReadonlySet<string> = new Set(['stopped', 'waiting', 'unreached', 'unknown'])

interface Asked {
  readonly now: number
  readonly witness: Witness
}

/** T5: what is told to be confirmed is what the service has. An answer that was lost excuses it. */
export const statusAlarms = (
  { accounts }: StatusReport,
  { names, received }: UpdateService,
  { now, witness }: Asked,
): readonly Finding[] =>
  accounts.flatMap(({ hostnames }) =>
    hostnames.flatMap(({ hostname, confirmed }) =>
      FAMILIES.flatMap((family): readonly Finding[] => {
        const stored = names.get(hostname)?.[family]
        const told = confirmed[family]
        const last = received.findLast(
          ({ hostnames: sent, answer, myip }) =>
            sent.includes(hostname) && IS_CONFIRMED.test(answer) && addressesIn(myip)[family] === stored,
        )
        const inHand = last?.inHand ?? Infinity
        const isKnown = inHand < now - SECOND && !isForgotten(witness, inHand)
        if (told === undefined || told === stored || !isKnown) return []
        return [['T5', `${hostname} is told to be ${told}, and the service has ${stored ?? 'nothing'}`]]
      }),
    ),
  )
