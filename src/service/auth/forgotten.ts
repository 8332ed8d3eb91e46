import { after, isBefore, minutes } from '../../shared/base/time.ts'
import type { OutgoingMail } from '../../shared/base/mail.ts'
import type { CallerDependencies } from './caller.ts'
import { resetMail } from './mails.ts'
import { linkOf, makeCode } from './one-time-codes.ts'

/** Between two messages to one account: no one can fill its mailbox from here. */
const MAIL_INTERVAL = minutes(10)

interface Forgotten {
  readonly account: string
  /** Of the website. */
  readonly origin: string
}

/** The message with a link for another password; undefined if the account has no address, or got one just now. */
export async function forgottenMail(
  { store, now }: Pick<CallerDependencies, 'store' | 'now'>,
  { account: name, origin }: Forgotten,
): Promise<OutgoingMail | undefined> {
  const login = await store.read((r) => r.login(name))
  const account = login?.kind === 'account' ? await store.read((r) => r.account(login.accountId)) : undefined
  const email = account?.email
  // Only to a confirmed address.
  if (email === undefined || account?.isEmailConfirmed !== true || account.isSuspended) return undefined
  const at = now()
  return store.write(async (w) => {
    const sent = await w.codesFor('reset', at)
    const isRecent = sent.some(
      ({ accountId, createdAt }) => accountId === account.id && isBefore(at, after(createdAt, MAIL_INTERVAL)),
    )
    if (isRecent) return undefined
    const code = await makeCode(w, { purpose: 'reset', accountId: account.id, now: at })
    return resetMail(email, name, linkOf(origin, 'reset', code))
  })
}
