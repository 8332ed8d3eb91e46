import { after, type Duration, type Instant, isBefore, seconds } from '../../shared/base/time.ts'
import type { DetectorOptions } from './detector-options.ts'
import type { Finding } from './finding.ts'
import { lineKey } from './line/line.ts'
import type { LineWatch } from './line/line-watch.ts'
import type { FindSourceAddress } from './sources/ports.ts'
import type { AccountDetection, DetectionSettings, HostDetection } from './detection-settings.ts'
import { type Address, type Family, familyOf } from '../../shared/base/address.ts'
import { specialRangeOf } from '../../shared/base/special.ts'
import type { InterfaceAddress, Interfaces } from '../../shared/ports/interfaces.ts'
import type { FindOutboundRoute } from '../../shared/ports/network.ts'

/** An uplink that hostnames are bound to; without either member, the route that the kernel selects. */
export interface Binding {
  readonly interface?: string
  /** The router that traffic from the interface must leave by. */
  readonly gateway?: Address
  readonly from?: Address
}

/** In their order. Hostnames without a line or an address of their own have that of the account. */
export function bindingsOf(
  account: Pick<AccountDetection, 'interface'>,
  host: HostDetection | undefined,
): readonly [Binding, ...Binding[]] {
  const from = host?.from === undefined ? {} : { from: host.from }
  const lines = host?.interface ?? (host?.from === undefined ? account.interface : undefined)
  const [first = from, ...others] = (lines ?? []).map((line): Binding => ({ ...line, ...from }))
  return [first, ...others]
}

/** Only the default sources depend on the service. */
export const detectorKey = (
  { config }: Pick<DetectionSettings, 'config'>,
  { server }: Pick<AccountDetection, 'server'>,
  binding: Binding,
): string => JSON.stringify([config.sources === undefined ? server : '', binding])

/** Each detector finds the same, at almost the same time. */
const ONCE: ReadonlySet<Finding['kind']> = new Set(['elsewhere', 'behindAnother', 'lineHeld', 'lineChanged'])
const SAME: Duration = seconds(3)

/**
 * Passes the findings of the detector of a binding. What all detectors find is reported once. A bound
 * hostname needs no report of a VPN; `outsideRouteOf` reports a missing rule.
 */
export function findingFilter(
  report: (finding: Finding) => void,
  now: () => Instant,
): (binding: Binding) => (finding: Finding) => void {
  const reported = new Map<string, Instant>()
  const reportOnce = (finding: Finding): void => {
    const text = JSON.stringify(finding)
    const last = reported.get(text)
    if (ONCE.has(finding.kind) && last !== undefined && isBefore(now(), after(last, SAME))) return
    reported.set(text, now())
    report(finding)
  }
  const reportBound = (finding: Finding): void => {
    if (finding.kind !== 'elsewhere') report(finding)
  }
  return ({ interface: only, from }) => (only === undefined && from === undefined ? reportOnce : reportBound)
}

/** The first address of an interface that questions to the internet can be sent from. */
export const usableOn = (
  all: readonly InterfaceAddress[],
  name: string,
  family: Family,
): Address | undefined =>
  all.find(
    (one) =>
      one.interface === name &&
      familyOf(one.address) === family &&
      !one.isUnusable &&
      !one.address.startsWith('fe80:'),
  )?.address

/** The local address to send from: the configured one, where it is of the family, or the first of the interface. */
export function localAddressOf(
  { interface: only, from }: Binding,
  interfaces: Interfaces,
): FindSourceAddress | undefined {
  // The kernel sends by another line what comes from an address of an interface that is down.
  if (from !== undefined)
    return async (family) => {
      if (familyOf(from) !== family) return undefined
      const isUp = (await interfaces()).some(({ address }) => address === from)
      return isUp || specialRangeOf(from) === 'loopback' ? from : 'none'
    }
  if (only === undefined) return undefined
  return async (family) => {
    const all = await interfaces()
    return usableOn(all, only, family) ?? 'none'
  }
}

interface RouteOptions {
  /** All those of the host. */
  readonly interfaces: Interfaces
  readonly outboundRoute: FindOutboundRoute
  readonly lines: Readonly<Record<Family, Pick<LineWatch, 'now'>>>
  readonly report: (finding: Finding) => void
}

/**
 * The route of outside queries. Node cannot bind a socket to a device: packets from the address of an interface follow the
 * routes, and only a routing rule of the host changes that.
 */
export function outsideRouteOf(
  binding: Binding,
  { interfaces, outboundRoute, lines, report }: RouteOptions,
): NonNullable<DetectorOptions['outboundRoute']> {
  const reported = new Set<string>()
  const from = localAddressOf(binding, interfaces)
  return async (family) => {
    if (from === undefined) {
      const { verdict, home } = await lines[family].now()
      const line = home === undefined ? {} : { line: lineKey(home) }
      return verdict.kind === 'held' ? { ...line, elsewhere: verdict.through } : line
    }
    const address = addressIn(await from(family))
    const bound = binding.interface ?? (await interfaceOf(address, interfaces))
    const route = address === undefined ? undefined : await outboundRoute(family, address)
    if (route === undefined || bound === undefined) return {}
    const isOther = binding.gateway !== undefined && route.gateway !== binding.gateway
    if (route.interface === bound && !isOther) return {}
    const through = isOther ? `${route.gateway ?? 'no gateway'} on ${route.interface}` : route.interface
    if (!reported.has(through)) report({ kind: 'leavesElsewhere', interface: bound, through })
    reported.add(through)
    return { elsewhere: through }
  }
}

/** Without one, nothing is sent. */
export const addressIn = (from: Address | 'none' | undefined): Address | undefined =>
  from === 'none' ? undefined : from

const interfaceOf = async (
  address: Address | undefined,
  interfaces: Interfaces,
): Promise<string | undefined> => (await interfaces()).find((one) => one.address === address)?.interface
