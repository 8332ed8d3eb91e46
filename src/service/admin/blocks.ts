import { err, type Result } from '../../shared/base/result.ts'
import type { Instant } from '../../shared/base/time.ts'
import { parseAddress } from '../../shared/base/address.ts'
import { clearFailedLogins } from '../auth/failed-logins.ts'
import { networkOf } from '../../shared/base/network.ts'
import {
  accountIdOf,
  type AdminContext,
  finished,
  keyOf,
  nameOf,
  type OperationResult,
  type Operations,
} from './operation.ts'

/** Whether something may be changed: by the key, at the name, or by anybody. */
export const BLOCK_OPERATIONS: Operations = {
  'name lock': {
    parameters: 'HOSTNAME',
    summary: 'forbid changes of a name',
    run: async ({ w }, [hostname = '']) =>
      onName(w, hostname, { is: 'locked', change: async (id) => w.lockName(id, true) }),
  },
  'name unlock': {
    parameters: 'HOSTNAME',
    summary: 'allow changes of a name',
    run: async ({ w }, [hostname = '']) =>
      onName(w, hostname, { is: 'unlocked', change: async (id) => w.lockName(id, false) }),
  },
  'name block': {
    parameters: 'HOSTNAME',
    summary: 'forbid changes of a name, and do not publish it',
    run: async ({ w }, [hostname = '']) =>
      onName(w, hostname, { is: 'blocked', change: async (id) => w.blockName(id, true) }),
  },
  'name unblock': {
    parameters: 'HOSTNAME',
    summary: 'end the block of a name',
    run: async ({ w }, [hostname = '']) =>
      onName(w, hostname, {
        is: 'no longer blocked',
        change: async (id, fqdn) => unblockName(w, { id, fqdn }),
      }),
  },
  'key lock': {
    parameters: 'USERNAME',
    summary: 'forbid new targets of a DDNS key',
    run: async ({ w }, [username = '']) =>
      onKey(w, username, { is: 'locked', change: async (id) => w.lockKey(id, true) }),
  },
  'key unlock': {
    parameters: 'USERNAME',
    summary: 'allow new targets of a DDNS key',
    run: async ({ w }, [username = '']) =>
      onKey(w, username, {
        is: 'unlocked',
        change: async (id) => w.lockKey(id, false),
        ofGone: async (gone) => w.unlockSanctions(gone),
      }),
  },
  'key block': {
    parameters: 'USERNAME',
    summary: 'answer abuse to a DDNS key until key unblock',
    run: async ({ w, now }, [username = '']) =>
      onKey(w, username, { is: 'blocked', change: async (id) => w.blockKey(id, true, now) }),
  },
  'key unblock': {
    parameters: 'USERNAME',
    summary: 'end every block of a DDNS key, also one after abuse',
    run: async ({ w, now }, [username = '']) =>
      onKey(w, username, {
        is: 'no longer blocked',
        change: async (id) => unblockKey(w, id, now),
        ofGone: async (gone) => w.liftSanctions(gone),
      }),
  },
  'key remove': {
    parameters: 'USERNAME',
    summary: 'remove a DDNS key; its names stay',
    run: async ({ w, now }, [username = '']) =>
      onKey(w, username, { is: 'removed', change: async (id) => w.removeKey(id, now) }),
  },
  block: {
    parameters: 'USERNAME|ACCOUNT|HOSTNAME',
    summary: 'block the DDNS key, account or hostname with this name',
    run: async (context, [subject = '']) => setBlocked(context, subject, true),
  },
  unblock: {
    parameters: 'USERNAME|ACCOUNT|HOSTNAME|ADDRESS',
    summary:
      'end every block of this name, also one after abuse, or the lockout of an address after failed logins',
    run: async (context, [subject = '']) => setBlocked(context, subject, false),
  },
  'lockout end': {
    parameters: 'ADDRESS|ACCOUNT',
    summary:
      'end the lockout of a network after failed logins, or of an account after wrong codes; its blocks stay',
    run: async ({ w }, [subject = '']) => endLockout(w, subject),
  },
}

interface Change {
  readonly is: string
  readonly change: (id: number, name: string) => Promise<void>
  /** Lifts the block or lock that a deleted key has left, by its username. */
  readonly ofGone?: (gone: { readonly accountId: number; readonly source: string }) => Promise<void>
}

async function onName(
  w: AdminContext['w'],
  hostname: string,
  { is, change }: Change,
): Promise<Result<OperationResult, string>> {
  const name = await nameOf(w, hostname)
  if (!name.ok) return name
  await change(name.value.id, name.value.fqdn)
  return finished(`${name.value.fqdn} is ${is}`, { hostname: name.value.fqdn })
}

async function onKey(
  w: AdminContext['w'],
  username: string,
  { is, change, ofGone }: Change,
): Promise<Result<OperationResult, string>> {
  const key = await keyOf(w, username)
  const accountId = key.ok || ofGone === undefined ? undefined : await w.accountOfSanction(username)
  if (key.ok) await change(key.value.id, username)
  else if (accountId === undefined) return key
  else await ofGone?.({ accountId, source: username })
  return finished(`${username} is ${is}`, { username })
}

async function setBlocked(
  { w, now }: AdminContext,
  subject: string,
  isBlocked: boolean,
): Promise<Result<OperationResult, string>> {
  const is = isBlocked ? 'blocked' : 'unblocked'
  const address = parseAddress(subject)
  if (address !== undefined) return isBlocked ? err(NO_ADDRESS) : unblockNetwork(w, networkOf(address))
  const [key, account, name] = [
    await keyOf(w, subject),
    await accountIdOf(w, subject),
    await nameOf(w, subject),
  ]
  const found = [key, account, name].flatMap((one, at) => (one.ok ? [EXACT[at]?.(subject, isBlocked)] : []))
  if (found.length > 1)
    return err(`${subject} is the name of ${found.length} things; say which one: ${found.join(', or ')}`)
  if (key.ok) {
    await (isBlocked ? w.blockKey(key.value.id, true, now) : unblockKey(w, key.value.id, now))
  } else if (account.ok) {
    await w.changeAccount(account.value, { isSuspended: isBlocked }, now)
    if (!isBlocked) {
      await w.unblock({ kind: 'account', id: account.value })
      await w.liftSanctions({ accountId: account.value })
      await clearFailedLogins(w, subject)
    }
  } else if (name.ok) await (isBlocked ? w.blockName(name.value.id, true) : unblockName(w, name.value))
  else return err(`there is no DDNS key, no account and no name ${subject}`)
  return finished(`${subject} is ${is}`, key.ok || account.ok ? { username: subject } : { hostname: subject })
}

async function unblockName(
  w: AdminContext['w'],
  { id, fqdn }: { readonly id: number; readonly fqdn: string },
): Promise<void> {
  await w.blockName(id, false)
  await w.liftSanctions({ hostname: fqdn })
}

async function unblockKey(w: AdminContext['w'], id: number, now: Instant): Promise<void> {
  await w.blockKey(id, false, now)
  await w.unblock({ kind: 'key', id })
}

/** The operations on one kind of thing, in the order in which they are looked for. */
const EXACT: readonly ((subject: string, isBlocked: boolean) => string)[] = [
  (username, isBlocked) => `key ${isBlocked ? 'block' : 'unblock'} ${username}`,
  (account, isBlocked) => `account ${isBlocked ? 'suspend' : 'resume'} ${account}`,
  (hostname, isBlocked) => `name ${isBlocked ? 'block' : 'unblock'} ${hostname}`,
]

const NO_ADDRESS = 'an address is not blocked here; block it in your firewall'

async function endLockout(w: AdminContext['w'], subject: string): Promise<Result<OperationResult, string>> {
  const address = parseAddress(subject.replace(/\/64$/, ''))
  if (address !== undefined) return unblockNetwork(w, networkOf(address))
  const account = await accountIdOf(w, subject)
  if (!account.ok) return account
  await clearFailedLogins(w, subject)
  return finished(`codes of ${subject} are checked again`, { account: subject })
}

async function unblockNetwork(
  w: AdminContext['w'],
  network: string,
): Promise<Result<OperationResult, string>> {
  await clearFailedLogins(w, network)
  return finished(`logins from ${network} are checked again`, { network })
}
