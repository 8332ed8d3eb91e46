import { type Instant, isBefore } from '../../shared/base/time.ts'
import type { Secret } from '../../shared/base/secret.ts'
import type { TrailEntry } from '../model/trail.ts'
import type { Account } from '../model/tree.ts'
import type { LinkPurpose } from '../store/account/one-time-codes.ts'
import type { Store, StoreWrites } from '../store/store.ts'
import { type ClientNetworks, CROWD_SECONDS, type NotChecked } from './caller.ts'
import type { PasswordChecker } from './login.ts'
import { accountNameFault, grantOf, isNameTaken, takenCode } from './one-time-codes.ts'

interface LinkDependencies {
  readonly store: Store
  readonly passwords: Pick<PasswordChecker, 'hashSlow'>
  readonly now: () => Instant
}

/** What a person enters after following a link. */
export interface LinkForm {
  readonly purpose: LinkPurpose
  readonly code: Secret
  /** Of an invitation: the name of the new account. */
  readonly account: string
  /** The new password; not for `open` and `confirm`. */
  readonly password: Secret
}

/** The account that a link led to; or what to correct, and then the link can be used again. */
export type FollowedLink =
  | { readonly account: Account }
  | { readonly field: 'code' }
  | { readonly field: 'account'; readonly fault: string | undefined }
  | NotChecked

const USELESS = { field: 'code' } as const
const TAKEN = { field: 'account', fault: undefined } as const

/** Does what a link is for, once: makes an account, gives it another password, confirms its address, or opens a session. */
export async function followLink(
  { store, passwords, now }: LinkDependencies,
  form: LinkForm,
  networks: ClientNetworks,
): Promise<FollowedLink> {
  const { purpose, code } = form
  const given = { purpose, code, now: now() }
  // The slow hash, which is made before the transaction, is not for those who have no code.
  if ((await store.read(async (r) => grantOf(r, given))) === undefined) return USELESS
  const fault = purpose === 'invitation' ? accountNameFault(form.account) : undefined
  if (fault !== undefined) return { field: 'account', fault }
  const takesPassword = purpose === 'invitation' || purpose === 'reset'
  const hash = takesPassword ? await passwords.hashSlow(form.password, networks.share) : undefined
  if (hash === undefined && takesPassword) return { retryAfter: CROWD_SECONDS }
  return store.write(async (w) => {
    if (purpose === 'invitation' && (await isNameTaken(w, form.account))) return TAKEN
    const taken = await takenCode(w, given)
    if (taken === undefined) return USELESS
    const invited = { name: form.account, ...taken, now: given.now }
    const id =
      hash !== undefined && purpose === 'invitation'
        ? await invitedAccount(w, { ...invited, hash })
        : taken.accountId
    if (id !== undefined && hash !== undefined && purpose === 'reset')
      await w.setAccountPassword(id, hash, given.now)
    if (
      id !== undefined &&
      purpose === 'confirm' &&
      !(await w.confirmEmail(id, String(taken.grant['email'])))
    )
      return USELESS
    const account = id === undefined ? undefined : await w.account(id)
    if (account !== undefined && purpose !== 'open')
      await w.addTrail([{ ...linkEntry(purpose, account, networks.peer), at: given.now }])
    return account === undefined ? USELESS : { account }
  })
}

/** What a link did, for the person of the account. */
export const LINK_OPERATIONS = {
  invitation: 'acceptInvitation',
  reset: 'resetPassword',
  confirm: 'confirmEmail',
} as const

const linkEntry = (
  purpose: keyof typeof LINK_OPERATIONS,
  { id, name }: Account,
  peer: string,
): Omit<TrailEntry, 'at'> => ({
  accountId: id,
  isUpdate: false,
  actor: `link of ${name}`,
  peer,
  operation: LINK_OPERATIONS[purpose],
  subject: name,
})

interface Invited {
  readonly name: string
  readonly hash: Uint8Array
  readonly grant: Readonly<Record<string, unknown>>
  readonly createdAt: Instant
  readonly now: Instant
}

/** Undefined if the plan of the invitation is gone. */
async function invitedAccount(
  w: StoreWrites,
  { name, hash, grant, createdAt, now }: Invited,
): Promise<number | undefined> {
  const planId = await w.planNamed(String(grant['plan']))
  if (planId === undefined) return undefined
  const id = await w.addAccount({ name, hash, planId }, now)
  const zone = typeof grant['zone'] === 'string' ? await w.zoneNamed(grant['zone']) : undefined
  // Not of one that its owner shares no longer, or of another one that has the name since.
  if (zone?.isShared === true && !isBefore(createdAt, zone.createdAt)) await w.setMember(zone.id, id, true)
  return id
}
