import { after, days, type Instant, minutes, seconds } from '../../shared/base/time.ts'
import type { ServiceSettings } from '../settings/service-settings.ts'
import { systemClock } from '../../shared/platform/clock/clock.ts'
import { confirmMail, eventMail } from '../auth/event-mails.ts'
import { linkOf, makeCode } from '../auth/one-time-codes.ts'
import type { EventMail } from '../store/account/events.ts'
import type { Store } from '../store/store.ts'
import { canMail, sent } from './mail.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

const MAIL_INTERVAL = seconds(2)
/** Between attempts to send one message. */
const RETRY_INTERVAL = minutes(1)
/** Older messages are not sent. */
const MAX_AGE = days(1)
/** Unsent messages that one check reads. */
const MAX_MAILS = 1000
/** Temporary failures after which a check ends: the server is probably down. */
const MAX_FAILURES = 3

interface EventMailParts {
  readonly store: Store
  readonly current: () => ServiceSettings
  readonly reportFailure: (what: string, error: unknown) => void
  readonly ending: AbortSignal
}

/**
 * Sends the messages about account events. The store keeps the events, so a change by another process, such as a command,
 * causes its message too.
 */
export function keepMailing({ store, current, reportFailure, ending }: EventMailParts): void {
  /** The next attempt for each message that the server refused. */
  const later = new Map<number, Instant>()
  /** Resolves with false after a temporary failure. */
  const send = async (mail: EventMail): Promise<boolean> => {
    const { console: origin } = current()
    const now = systemClock.now()
    // Another node may have claimed it.
    if (!(await store.write(async (w) => w.setMailed(mail.id, now)))) return true
    later.delete(mail.id)
    if (mail.kind === 'emailGiven' && origin === undefined) return true
    const message =
      mail.kind === 'emailGiven' ? await confirmation(store, mail, origin ?? '') : eventMail(mail, current())
    const fault = message && (await sent(current(), ending, message))
    if (fault === undefined) return true
    reportFailure('a message about an account', new Error(`a message was not sent: ${fault.because}`))
    if (!fault.isTemporary) return true
    later.set(mail.id, after(now, RETRY_INTERVAL))
    await store.write(async (w) => w.setMailed(mail.id, undefined))
    return false
  }
  void repeat(MAIL_INTERVAL, ending, async () => {
    if (!canMail(current())) return
    const now = systemClock.now()
    const waiting = await store.read(async (r) => r.unsentMails((now - MAX_AGE) as Instant, MAX_MAILS))
    for (const id of later.keys()) if (!waiting.some((mail) => mail.id === id)) later.delete(id)
    // One after the other, in the order of the events.
    let failures = 0
    for (const mail of waiting) {
      if (failures === MAX_FAILURES || ending.aborted) break
      if ((later.get(mail.id) ?? 0) <= now && !(await send(mail))) failures++
    }
  })
}

/** Undefined if the account has a different address now. */
const confirmation = async (store: Store, mail: EventMail, origin: string) =>
  store.write(async (w) => {
    const { accountId, to } = mail
    if ((await w.account(accountId))?.email !== to) return undefined
    await w.removeCodesOf(accountId, 'confirm')
    const code = await makeCode(w, {
      purpose: 'confirm',
      accountId,
      grant: { email: to },
      now: systemClock.now(),
    })
    return confirmMail(mail, linkOf(origin, 'confirm', code), origin)
  })
