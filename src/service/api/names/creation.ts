import { canonicalName, parentOf } from '../../model/dns-name.ts'
import { type Refusal, refuse } from '../../model/errors.ts'
import type { Zone } from '../../model/tree.ts'
import { type CreationFault, creationFault, type ParentFault, parentFault } from '../../rules/creation.ts'
import { innerZoneFault, nestingFault } from '../../rules/nesting.ts'
import { ownsName } from '../../rules/permission.ts'
import type { RequestContext } from '../request/context.ts'

interface NewNamePlace {
  readonly name: unknown
  /** The other names that the request creates. */
  readonly others?: readonly string[]
  /** The name that it takes the place of. */
  readonly gone?: string
}

/** The first fault of a new name in the zone. */
export async function creationFaultAt(
  context: RequestContext,
  zone: Zone,
  { name, others = [], gone }: NewNamePlace,
): Promise<Refusal<CreationFault> | undefined> {
  const { caller, store, service } = context
  const isMember = await store.isMember(zone.id, caller.account.id)
  const fault = creationFault(caller, zone, { name, isMember, reservedNames: service.reservedNames })
  if (fault !== undefined || typeof name !== 'string') return fault
  const relative = canonicalName(name)
  const inner = await store.zoneInside(zone, relative)
  const inOther = innerZoneFault(caller, inner)
  if (inOther !== undefined || !zone.isShared) return inOther
  const accountId = caller.account.id
  const stored = await store.neighboursOf(zone, { name: relative, accountId })
  const added = others.map((other) => ({ name: other, accountId }))
  const neighbours = [...stored.filter((one) => one.name !== gone), ...added]
  return nestingFault(caller, zone, { name: relative, neighbours })
}

export async function existingNameFault(
  { caller, store }: RequestContext,
  zone: Zone,
  name: string,
): Promise<Refusal<'nameOwned' | 'nameExists'> | undefined> {
  const existing = await store.nameAt(zone.id, name)
  const at = { location: 'body', pointer: '/name' } as const
  if (existing === undefined) return undefined
  return ownsName(caller, zone, existing)
    ? refuse('nameExists', undefined, at)
    : refuse('nameOwned', undefined, at)
}

export const parentFaultAt = async (
  { store }: RequestContext,
  zone: Zone,
  name: string,
): Promise<Refusal<ParentFault> | undefined> => parentFault(name, await store.nameAt(zone.id, parentOf(name)))
