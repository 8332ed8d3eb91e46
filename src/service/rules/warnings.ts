import { APEX, fqdnOf, relativeTo } from '../model/dns-name.ts'
import { isPointerType, targetField, targetsOf } from '../model/targets.ts'
import type { Name, Zone } from '../model/tree.ts'
import { chainFrom } from './targets.ts'
import { absolute, has, type ZoneReads } from './resulting-zone.ts'

/** What the warnings read of a zone after the change. */
export interface WarningReads extends ZoneReads {
  readonly delegationAbove: (name: string) => Promise<string | undefined>
  readonly hiddenBeneath: (name: string) => Promise<string | undefined>
  /** The zone inside this one that contains the name. */
  readonly innerZone: (name: string) => Promise<string | undefined>
}

type ZoneName = Pick<Zone, 'name' | 'accountId'>

/** What name servers load although it does not work as expected, at a name that was stored. One sentence each. */
export const zoneWarnings = async (
  name: Name,
  zone: ZoneName,
  reads: WarningReads,
): Promise<readonly string[]> => [
  ...(await aliasWarnings(name, zone, reads)),
  ...(await loopWarnings(name, zone, reads)),
  ...(await hiddenWarnings(name, zone, reads)),
]

/** MX and SRV point to names with addresses. */
const HOST_TYPES = { MX: 'RFC 2181 §10.3', SRV: 'RFC 2782' } as const
type HostType = keyof typeof HOST_TYPES
const isHostType = (type: string): type is HostType => Object.hasOwn(HOST_TYPES, type)

async function aliasWarnings(name: Name, zone: ZoneName, reads: WarningReads): Promise<readonly string[]> {
  const said = (type: HostType, owner: string, target: string): string =>
    `the ${type} of ${absolute(owner, zone)} points to the alias ${absolute(target, zone)} (${HOST_TYPES[type]})`
  const own = (['MX', 'SRV'] as const).flatMap((type) =>
    targetsOf(name, type).map((target) => ({ type, target: relativeTo(target, zone.name) })),
  )
  const warnings: string[] = []
  for (const { type, target } of own)
    if (target !== undefined && has(await reads.nameAt(target), 'CNAME'))
      warnings.push(said(type, name.name, target))
  if (!has(name, 'CNAME')) return warnings
  const pointers = await reads.pointersTo(name.name)
  return pointers.flatMap(({ dnsType, name: owner }) =>
    isHostType(dnsType) ? [said(dnsType, owner, name.name)] : [],
  )
}

async function loopWarnings(name: Name, zone: ZoneName, reads: WarningReads): Promise<readonly string[]> {
  if (!has(name, 'CNAME')) return []
  const { end, target } = await chainFrom(name, zone, reads)
  return end === 'loop' ? [`the CNAME of ${absolute(name.name, zone)} leads to a loop at ${target}.`] : []
}

/** RFC 2136 §7.18: names beneath a delegation stay in the zone, but a query for them gets the delegation and its glue. */
async function hiddenWarnings(name: Name, zone: ZoneName, reads: WarningReads): Promise<readonly string[]> {
  const inner = name.rrsets.length === 0 ? undefined : await reads.innerZone(name.name)
  if (inner !== undefined)
    return [`the zone ${inner}. hides the records of ${absolute(name.name, zone)}, which is in ${zone.name}.`]
  const above = name.rrsets.length === 0 ? undefined : await reads.delegationAbove(name.name)
  if (above !== undefined && !(await isGlue(name, reads))) return [hiddenBy(above, name.name, zone)]
  if (!has(name, 'NS') || name.name === APEX) return []
  const hidden = await reads.hiddenBeneath(name.name)
  return hidden === undefined ? [] : [hiddenBy(name.name, hidden, zone)]
}

const hiddenBy = (cut: string, name: string, zone: ZoneName): string =>
  `the delegation ${absolute(cut, zone)} hides the records of ${absolute(name, zone)}, ` +
  'except addresses that an NS needs (RFC 2136 §7.18)'

const isGlue = async ({ name, rrsets }: Name, { pointersTo }: WarningReads): Promise<boolean> =>
  rrsets.every(({ dnsType }) => dnsType === 'A' || dnsType === 'AAAA') &&
  (await pointersTo(name)).some(({ dnsType }) => dnsType === 'NS')

/** A value as it is in the request. */
export interface WrittenValue {
  readonly dnsType: string
  readonly value: string
}

const hasTarget = (type: string): boolean => isPointerType(type) || ['SVCB', 'HTTPS', 'NAPTR'].includes(type)

/** The target in a value as it is written: the second field of SVCB, the last one of all others. */
const writtenTarget = (type: string, value: string): string =>
  type === 'SVCB' || type === 'HTTPS' ? (value.split(/[ \t]+/)[1] ?? '') : targetField(value)

/**
 * Targets look relative to the zone without a dot inside, or without one at the
 * end of a name under the same top-level domain.
 */
export function targetWarnings(
  written: readonly WrittenValue[],
  zone: Pick<Zone, 'name'>,
): readonly string[] {
  const top = zone.name.split('.').at(-1)
  return written.flatMap(({ dnsType, value }) => {
    const target = writtenTarget(dnsType, value.trim()).toLowerCase()
    const labels = target.split('.')
    const isRelative = labels.length === 1 || labels.at(-1) === top
    return hasTarget(dnsType) && target !== '' && isRelative
      ? [`the target of ${dnsType} is absolute: ${target} is stored as ${target}., with a dot at its end`]
      : []
  })
}

/** A new name that contains the name of its zone. */
export const nameWarnings = (name: string, zone: Pick<Zone, 'name'>): readonly string[] =>
  relativeTo(name, zone.name) === undefined
    ? []
    : [`names are relative to the zone: this name is ${fqdnOf(name, zone.name)}.`]
