import { existing } from '../../store/select.ts'
import { asciiName, canonicalName, relativeTo } from '../../model/dns-name.ts'
import type { Name, Zone } from '../../model/tree.ts'
import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import {
  type Caller,
  canManageName,
  hasFullAccess,
  isScoped,
  nameLockFault,
  needsWebsite,
  zoneLockFault,
} from '../../rules/permission.ts'
import type { DdnsKey } from '../../store/records.ts'
import type { Named } from '../openapi/schemas.ts'
import { isText, readBody } from '../request/body.ts'
import { type Refused, refused, refusedWith, type RequestContext } from '../request/context.ts'
import { isRefusal, readListing, readSort } from '../query/query.ts'
import { showKey } from '../answer/show-key.ts'
import { fault, faulty, type Malformed, type RequestFault, SCOPE_REFUSED } from '../request/faults.ts'
import { firstFault, remembered } from '../writing/writing.ts'
import { listResult } from '../answer/list.ts'

export async function listKeys(context: RequestContext) {
  if (isScoped(context.caller)) return SCOPE_REFUSED
  const sort = readSort(context)
  if (isRefusal(sort)) return refused(sort)
  const listing = readListing(context, ['number', 'number'])
  if ('malformed' in listing) return listing
  const { page, filter } = listing
  const { description, search } = filter
  const { items, ...place } = await context.store.keysOf(context.caller.account.id, {
    page,
    ...(description !== undefined && { description }),
    ...(search !== undefined && { search }),
    ...(sort[0] !== undefined && { createdAt: sort[0].direction }),
  })
  const shown = await showing(context)
  return listResult(
    context,
    { page, ...place },
    items.map((key) => showKey(shown, key)),
  )
}

const showing = async (context: RequestContext) => ({
  ...context,
  sanctions: await context.store.sanctionsOf(context.caller.account.id),
})

const NO_KEY = faulty('keyNotFound', { location: 'path' })

async function keyAt({ store, caller, params }: RequestContext): Promise<DdnsKey | undefined> {
  const key = await store.keyNamed((params['ddns_key_username'] ?? '').toLowerCase())
  // A DDNS key may have targets in all zones: callers restricted to some zones must not change it.
  return key?.accountId === caller.account.id && !isScoped(caller) ? key : undefined
}

export async function getKey(context: RequestContext) {
  const key = await keyAt(context)
  return key === undefined ? NO_KEY : { status: 200 as const, data: showKey(await showing(context), key) }
}

export async function createKey(context: RequestContext<Named<'NewKey'>>) {
  const { store, caller, now, service } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const body = readBody(context)
  if ('malformed' in body) return body
  const draft = await readDdnsKey(context, body)
  if ('malformed' in draft || 'refusals' in draft) return draft
  const held = await store.keysOf(caller.account.id, { page: { offset: 0, limit: 0 } })
  const { maxKeys } = caller.account.plan
  if (held.total >= maxKeys)
    return faulty('keysOverLimit', { detail: `the plan allows ${maxKeys}; contact support for more` })
  const { username, password, hash } = service.newKey()
  const id = await store.addKey(
    { accountId: caller.account.id, username, hash, description: draft.description ?? '' },
    now,
  )
  await store.setTargets(id, draft.nameIds ?? [])
  const key = existing(await store.keyNamed(username))
  // The password is shown only in this response.
  const data = { ...showKey(await showing(context), key), password }
  return { status: 201 as const, data }
}

export async function changeKey(context: RequestContext<Named<'KeyChange'>>) {
  const { store, caller, service } = context
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const key = await keyAt(context)
  if (key === undefined) return NO_KEY
  const body = readBody(context)
  if ('malformed' in body) return body
  const draft = await readDdnsKey(context, body)
  if ('malformed' in draft || 'refusals' in draft) return draft
  const renewed = body.regenerate_password === true ? service.newPassword() : undefined
  await store.changeKey(key.id, {
    ...(draft.description !== undefined && { description: draft.description }),
    ...(renewed !== undefined && { hash: renewed.hash }),
  })
  if (draft.nameIds !== undefined) await store.setTargets(key.id, draft.nameIds)
  return {
    status: 202 as const,
    data: renewed === undefined ? {} : { password: renewed.password },
  }
}

export async function deleteKey(context: RequestContext) {
  if (!hasFullAccess(context.caller)) return SCOPE_REFUSED
  const key = await keyAt(context)
  if (key === undefined) return NO_KEY
  await context.store.removeKey(key.id, context.now)
  return { status: 200 as const, data: {} }
}

interface KeyDraft {
  readonly description?: string
  readonly nameIds?: readonly number[]
}

/** Host names are whole names; each must be the account's own, and of no other key. */
async function readDdnsKey(
  context: RequestContext,
  { description, hostnames }: Named<'NewKey'>,
): Promise<KeyDraft | Refused<TargetFault> | Malformed<'hostnameNotFound' | 'keyLocked'>> {
  const draft = description === undefined ? {} : { description }
  if (hostnames === undefined) return draft
  const found = remembered(async (fqdn) => nameOf(context, fqdn))
  const resolved = await Promise.all(
    hostnames.map(async (hostname, n) => targetAt(found, hostname, `/hostnames/${n}`)),
  )
  const unknown = resolved.flatMap((one) => ('code' in one ? [one] : []))
  if (unknown.length > 0) return { malformed: unknown }
  const targets = resolved.flatMap((one) => ('zone' in one ? [one] : []))
  const own = await keyAt(context)
  const added = targets.filter(({ name }) => own === undefined || name.updateGroup !== own.username)
  if (added.length > 0 && (await isLocked(context, own)))
    return faulty('keyLocked', { location: 'body', pointer: '/hostnames' })
  const faults = await firstFault<Refusal<TargetFault>>(
    () => targets.flatMap((target) => accessFault(context.caller, target) ?? []),
    () => targets.flatMap((target, n) => conflictOf(target, targets.slice(0, n), own) ?? []),
  )
  return faults.length > 0 ? refusedWith(faults) : { ...draft, nameIds: targets.map(({ id }) => id) }
}

type TargetFault = Extract<
  ErrorName,
  'websiteOnly' | 'zoneChangeProhibited' | 'nameChangeProhibited' | 'targetExists' | 'groupTargetConflicts'
>

interface Target {
  readonly zone: Zone
  readonly name: Name
  readonly id: number
  readonly pointer: string
}

/** The name of this spelling, if the caller may use it. */
async function nameOf(
  { store, caller }: RequestContext,
  fqdn: string,
): Promise<Omit<Target, 'pointer'> | undefined> {
  const zone = await store.zoneContaining(fqdn)
  const relative = zone === undefined ? undefined : relativeTo(fqdn, zone.name)
  if (zone === undefined || relative === undefined) return undefined
  const name = await store.nameAt(zone.id, relative)
  return name?.id === undefined || !canManageName(caller, zone, name)
    ? undefined
    : { zone, name, id: name.id }
}

async function targetAt(
  found: (fqdn: string) => ReturnType<typeof nameOf>,
  hostname: unknown,
  pointer: string,
): Promise<Target | RequestFault<'hostnameNotFound'>> {
  const fqdn = typeof hostname === 'string' && isText(hostname) ? canonicalName(asciiName(hostname)) : ''
  const target = fqdn === '' ? undefined : await found(fqdn)
  if (target === undefined)
    return fault('hostnameNotFound', {
      detail: `${fqdn.slice(0, 100)} is not a name of this account`,
      location: 'body',
      pointer,
    })
  return { ...target, pointer }
}

function accessFault(
  caller: Caller,
  { zone, name, pointer }: Target,
): Refusal<'websiteOnly' | 'zoneChangeProhibited' | 'nameChangeProhibited'> | undefined {
  const refusal =
    zoneLockFault(zone) ??
    nameLockFault(name) ??
    (needsWebsite(caller, zone) ? refuse('websiteOnly') : undefined)
  return refusal === undefined ? undefined : { ...refusal, location: 'body', pointer }
}

/** The lock of a deleted key is that of the keys after it. */
const isLocked = async (
  { store, caller }: Pick<RequestContext, 'store' | 'caller'>,
  own: DdnsKey | undefined,
): Promise<boolean> =>
  own?.isLocked ?? (await store.sanctionsOf(caller.account.id, [''])).some((one) => one.isLocked)

/** A name is the target of one key, and is listed once. */
function conflictOf(
  { name, id, pointer }: Target,
  earlier: readonly Target[],
  own: DdnsKey | undefined,
): Refusal<'targetExists' | 'groupTargetConflicts'> | undefined {
  const at = { location: 'body', pointer } as const
  if (earlier.some((other) => other.id === id)) return refuse('targetExists', undefined, at)
  return name.updateGroup === undefined || name.updateGroup === own?.username
    ? undefined
    : refuse('groupTargetConflicts', undefined, at)
}
