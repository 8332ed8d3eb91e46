import { type Refusal, refuse } from '../../model/errors.ts'
import { APEX, asciiName, canonicalName, fqdnOf, parentOf } from '../../model/dns-name.ts'
import { copySanctions } from '../../store/sanctions.ts'
import { keyNamesOf, type Name, type Zone } from '../../model/tree.ts'
import { IN_PATH } from '../../rules/permission.ts'
import { type CreationFault, type ParentFault, parentFault } from '../../rules/creation.ts'
import { type MovedFault, movedRecordFaults } from '../../rules/renaming.ts'
import { removalFault, type StateFault, stateFaults } from '../../rules/state.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, readBody } from '../request/body.ts'
import { ACCEPTED, DONE, refusedWith, type RequestContext, type Warning } from '../request/context.ts'
import { faulty } from '../request/faults.ts'
import { wholeNameToChange } from '../request/locate.ts'
import { changeWarnings, delegationFaults, firstFault, readsOf } from '../writing/writing.ts'
import { creationFaultAt, existingNameFault } from './creation.ts'
import { resultingZone } from '../../rules/resulting-zone.ts'

type NameChangeFault =
  | 'nameChangeForbidden'
  | CreationFault
  | ParentFault
  | 'nameOwned'
  | 'nameExists'
  | MovedFault
  | StateFault
  | 'notAllowed'
  | 'offlineSettingsExpected'
type Faults = readonly Refusal<NameChangeFault>[]

/**
 * Takes a name offline or online, and renames it in its zone: its records, keys, metadata and offline settings stay with it.
 * What the body leaves out stays.
 */
export async function changeName(context: RequestContext<Named<'NamePatch'>>) {
  const place = await wholeNameToChange(context)
  if ('refusals' in place) return place
  const { zone, name } = place
  const { store, now } = context
  const body = readBody(context)
  if ('malformed' in body) return body
  const { offline: isOffline = name.isOffline, name: given = name.name } = body
  const to = typeof given === 'string' ? asciiName(given) : given
  const isRenamed = typeof to !== 'string' || canonicalName(to) !== name.name
  const after = { ...name, name: isRenamed ? String(to).toLowerCase() : name.name, isOffline }
  const faults = await firstFault<Refusal<NameChangeFault>>(
    async () => (isRenamed ? newNameFaults(context, { zone, name, to }) : []),
    () => offlineFaults(context, name, isOffline),
    async () => (isRenamed ? renamedStateFaults(context, { zone, before: name, after }) : []),
  )
  if (faults.length > 0) return refusedWith(faults)
  if (isRenamed && (await isOfLockedKey(context, name)))
    return faulty('keyLocked', { location: 'body', pointer: '/name' })
  if (isOffline !== name.isOffline) await store.saveName({ ...name, isOffline }, now, name)
  if (isRenamed) {
    const [from, renamed] = [fqdnOf(name.name, zone.name), fqdnOf(after.name, zone.name)]
    await store.renameName({ ...name, isOffline }, after.name, now)
    await copySanctions(store, { accountId: name.accountId, from, to: renamed })
  }
  const warnings: readonly Warning[] = [
    ...ignoredFields(context),
    ...(isRenamed ? await changeWarnings(context, { zone, name: after, isNew: true, written: [] }) : []),
  ]
  return { ...(isRenamed || isOffline !== name.isOffline ? ACCEPTED : DONE), warnings }
}

/** A new hostname would be a new target of the key. */
async function isOfLockedKey({ store }: Pick<RequestContext, 'store'>, name: Name): Promise<boolean> {
  for (const group of keyNamesOf(name)) if ((await store.groupNamed(group))?.isLocked === true) return true
  return false
}

interface NewPlace {
  readonly zone: Zone
  readonly name: Name
  readonly to: unknown
}

/** As for a name that is created while the old one is gone. */
async function newNameFaults(context: RequestContext, { zone, name, to }: NewPlace): Promise<Faults> {
  const { caller, store } = context
  if (name.name === APEX) return [refuse('nameChangeForbidden', 'the apex cannot be renamed', IN_PATH)]
  // It would be above the limits that its owner has in the zone.
  if (name.accountId !== caller.account.id)
    return [refuse('nameChangeForbidden', 'a name of another account cannot be renamed', IN_PATH)]
  const fault = await creationFaultAt(context, zone, { name: to, gone: name.name })
  if (fault !== undefined) return [fault]
  const next = String(to).toLowerCase()
  const taken = await existingNameFault(context, zone, next)
  if (taken !== undefined) return [taken]
  const parent = parentOf(next) === name.name ? undefined : await store.nameAt(zone.id, parentOf(next))
  const empty = parentFault(next, parent)
  return empty === undefined ? movedRecordFaults(caller, zone, { ...name, name: next }) : [empty]
}

interface RenamedName {
  readonly zone: Zone
  readonly before: Name
  readonly after: Name
}

/** The rules of DNS, for the zone with the new name and without the old one. */
async function renamedStateFaults(
  { store }: RequestContext,
  { zone, before, after }: RenamedName,
): Promise<Faults> {
  const goes = { zone, before, after: undefined }
  const comes = { zone, before: undefined, after }
  const resulting = resultingZone(readsOf(store, zone), [goes, comes])
  return firstFault<Refusal<NameChangeFault>>(
    async () => stateFaults(comes, resulting),
    async () => delegationFaults(store, zone, comes),
    async () => [(await removalFault(goes, resulting)) ?? []].flat(),
  )
}

function offlineFaults(
  { caller }: RequestContext,
  { isOffline: wasOffline, offlineSettings }: Name,
  isOffline: boolean,
): Faults {
  if (!isOffline || wasOffline) return []
  if (!caller.account.plan.hasOffline)
    return [refuse('notAllowed', 'the plan does not include offline settings')]
  return offlineSettings === undefined
    ? [
        refuse('offlineSettingsExpected', 'the name has no offline settings', {
          location: 'body',
          pointer: '/offline',
        }),
      ]
    : []
}
