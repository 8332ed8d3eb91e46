import { type Refusal, refuse } from '../model/errors.ts'
import { APEX } from '../model/dns-name.ts'
import type { Name, ZoneRules } from '../model/tree.ts'
import { type Caller, isOwner } from './permission.ts'

/** A name in the same zone, above or beneath a new one. */
type Near = Pick<Name, 'name' | 'accountId'>

/** The labels of a name that do not begin with an underscore at its left end (RFC 8552 §1.1). */
export function baseOf(name: string): string {
  const labels = name.split('.')
  const at = labels.findIndex((label) => !label.startsWith('_'))
  return at < 0 ? '' : labels.slice(at).join('.')
}

/**
 * In a shared zone an account makes names of its own only: nothing above or beneath a name of another account, and
 * names that begin with an underscore only beneath its own. Otherwise it could get a certificate for another name
 * (`_acme-challenge`), or take one over by a delegation.
 */
export function nestingFault(
  caller: Caller,
  zone: ZoneRules,
  { name, neighbours }: { readonly name: string; readonly neighbours: readonly Near[] },
): Refusal<'nameCreateForbidden'> | undefined {
  if (!zone.isShared || zone.hasOpenNesting || isOwner(caller, zone) || name === APEX) return undefined
  const foreign = neighbours.find((one) => one.name !== APEX && one.accountId !== caller.account.id)
  if (foreign !== undefined) return forbidden(`${foreign.name} belongs to another account`)
  const base = baseOf(name)
  const isBaseOwn = base === name || neighbours.some((one) => one.name === base)
  return isBaseOwn
    ? undefined
    : forbidden(
        base === ''
          ? 'in a shared zone, names that begin with an underscore are for the owner of the zone'
          : `make ${base} first; names that begin with an underscore are for its owner`,
      )
}

/** A name that belongs into `inner`, a zone inside its own: one of another account is refused. */
export const innerZoneFault = (
  caller: Caller,
  inner: ZoneRules | undefined,
): Refusal<'nameCreateForbidden'> | undefined =>
  inner === undefined || isOwner(caller, inner)
    ? undefined
    : forbidden(`${inner.name} is a zone of another account`)

const forbidden = (detail: string): Refusal<'nameCreateForbidden'> =>
  refuse('nameCreateForbidden', detail, { location: 'body', pointer: '/name' })
