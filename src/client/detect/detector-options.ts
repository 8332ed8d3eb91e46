import type { Duration } from '../../shared/base/time.ts'
import type { Address, Family } from '../../shared/base/address.ts'
import type { Clock, Random } from '../../shared/ports/clock.ts'
import type { AddressSource } from './sources/source.ts'
import type { Finding } from './finding.ts'
import type { LineEvidence } from './line/line-watch.ts'
import type { OutsideRoute } from './uplink.ts'

export interface DetectorOptions {
  readonly sources: readonly AddressSource[]
  /** A monotonic clock; its epoch does not matter. */
  readonly clock: Clock
  /** Time since the boot, including suspend, which the clock leaves out. */
  readonly uptime: () => Duration
  readonly random: Random
  readonly report: (finding: Finding) => void
  /** `one`: the first answer is accepted. */
  readonly agreement: 'two' | 'one'
  /** Called when a look is due that no watcher causes: after a pause between rounds, or at the end of a hold. */
  readonly requestLook: () => void
  /** The remembered addresses that the service publishes for this host. */
  readonly published: (family: Family) => readonly Address[]
  /** The route of outside queries; undefined where any uplink may be published. */
  readonly outboundRoute: ((family: Family) => Promise<OutsideRoute>) | undefined
  /** What each round showed of the lines of this host. */
  readonly onRound?: (family: Family, evidence: LineEvidence) => void
  /** After an agreement, before it counts: a line that was left may answer again. */
  readonly beforeRecord?: (family: Family) => Promise<void>
  /** Whether this host has a route to the internet of this family. */
  readonly hasRoute: (family: Family) => Promise<boolean>
  /** Whether a router near this host has the address. */
  readonly isAtRouter: (address: Address, signal: AbortSignal) => Promise<boolean>
  readonly signal: AbortSignal
}
