import { ok } from '../../shared/base/result.ts'
import { type Duration, type Instant, minutes, seconds } from '../../shared/base/time.ts'
import { isGlobal } from '../../shared/base/special.ts'
import { steadyClock, systemClock, systemEntropy } from '../../shared/platform/clock/clock.ts'
import { timeoutSignal } from '../../shared/platform/clock/timer.ts'
import { findAddresses, findNameServers, findTexts } from '../../shared/platform/names/name-servers.ts'
import { askByDatagram } from '../../shared/platform/sockets/datagram.ts'
import { askByStream } from '../../shared/platform/sockets/stream.ts'
import type { QuestionPorts } from '../../shared/ports/system.ts'
import type { ApiService } from '../api/request/context.ts'
import type { Delegation } from '../model/delegation/delegation.ts'
import { type DelegatedZone, lookAtDelegation } from './delegation.ts'

const LOOK_TIMEOUT: Duration = seconds(5)
/** How long one look is the answer to all requests. */
const DELEGATION_INTERVAL: Duration = minutes(1)
/** Looks at a time: those of one account must leave some to others. */
const MAX_LOOKS = { all: 16, ofAccount: 4 } as const
const MAX_KEPT = 10_000

interface Kept {
  /** Monotonic. */
  readonly at: Instant
  readonly found: Promise<Delegation>
}

interface DelegationLookParts {
  readonly look: (zone: DelegatedZone) => Promise<Delegation>
  /** Monotonic. */
  readonly now: () => Instant
}

/**
 * Looks at a zone at most once a minute: until then all requests get the same answer, also while the look goes on. Undefined
 * if too many other zones are looked at.
 */
export function delegationLooks({ look, now }: DelegationLookParts): ApiService['delegation'] {
  /** By id and name, oldest first. SQLite can reuse the id of a deleted zone. */
  const kept = new Map<string, Kept>()
  const running = new Map<number, number>()
  const runningAll = (): number => [...running.values()].reduce((sum, one) => sum + one, 0)
  const begun = (accountId: number, change: number): void => {
    const count = (running.get(accountId) ?? 0) + change
    if (count > 0) running.set(accountId, count)
    else running.delete(accountId)
  }
  return async ({ id, accountId, ...zone }, nameservers) => {
    const key = `${id} ${zone.name}`
    const last = kept.get(key)
    if (last !== undefined && now() - last.at < DELEGATION_INTERVAL) return last.found
    if (runningAll() >= MAX_LOOKS.all || (running.get(accountId) ?? 0) >= MAX_LOOKS.ofAccount)
      return undefined
    begun(accountId, 1)
    const found = look({ ...zone, nameservers }).finally(() => begun(accountId, -1))
    kept.delete(key)
    kept.set(key, { at: now(), found })
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return found
  }
}

/** Domains that no public name server has: resolvers answer for them, or pass the question on (RFC 6761 §6). */
const RESERVED_DOMAINS: ReadonlySet<string> = new Set(['test', 'invalid', 'example', 'localhost'])
const isReservedName = (name: string): boolean => RESERVED_DOMAINS.has(name.split('.').at(-1) ?? '')

const PORTS: QuestionPorts = {
  datagram: askByDatagram,
  stream: askByStream,
  addresses: async (host, ...more) => (isReservedName(host) ? [] : findAddresses(host, ...more)),
  nameServers: async (zone, ...more) => (isReservedName(zone) ? ok([]) : findNameServers(zone, ...more)),
}

/** By the resolver of this host, and name servers at public addresses. */
export const hostDelegationLooks = (): ApiService['delegation'] =>
  delegationLooks({
    now: () => steadyClock.now(),
    look: async (zone) =>
      lookAtDelegation(zone, {
        ports: PORTS,
        entropy: systemEntropy,
        texts: async (name, signal) => (isReservedName(name) ? [] : findTexts(name, signal)),
        now: () => systemClock.now(),
        signal: timeoutSignal(LOOK_TIMEOUT),
        port: 53,
        mayAsk: (address) => isGlobal(address),
      }),
  })
