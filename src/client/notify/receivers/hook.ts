import { err, ok } from '../../../shared/base/result.ts'
import { seconds } from '../../../shared/base/time.ts'
import { ABOUT } from '../../../shared/program/about.ts'
import { HOOKS } from '../../settings/notify-settings.ts'
import { EVENT_ROWS, type Notification, notificationText } from '../notification.ts'
import { hashed, printable } from './attempt.ts'
import type { Delivery, DeliveryPorts, Receiver } from './receiver.ts'

const HOOK_TIMEOUT = seconds(30)
const HOOK_SETTINGS = {
  onFirst: 'on_first',
  onChange: 'on_change',
  onStop: 'on_stop',
  onRecover: 'on_recover',
  onProblem: 'on_problem',
} as const

const queueOf = (argv: readonly string[]): string => hashed(JSON.stringify(argv))

/** A program of the user. */
export const hookReceiver: Receiver = {
  hears(event, account) {
    const { hook } = EVENT_ROWS[event]
    return hook !== undefined && account[hook] !== undefined
  },
  queues: (account) => HOOKS.flatMap((hook) => (account[hook] === undefined ? [] : queueOf(account[hook]))),
  deliver({ notification }, account, ports) {
    const { hook } = EVENT_ROWS[notification.event]
    return hook === undefined
      ? undefined
      : hookDelivery(HOOK_SETTINGS[hook], account[hook] ?? [], { one: notification, ports })
  },
}

const hookDelivery = (
  setting: string,
  argv: readonly string[],
  { one, ports }: { readonly one: Notification; readonly ports: DeliveryPorts },
): Delivery => ({
  target: setting,
  queue: queueOf(argv),
  attempt: async (signal) => {
    const limits = { variables: hookVariables(one, ABOUT.version), timeout: HOOK_TIMEOUT }
    const outcome = await ports.hook(argv, limits, signal)
    if (outcome.kind === 'ended' && outcome.code === 0) return ok(undefined)
    const because =
      outcome.kind === 'failed'
        ? outcome.because
        : `it ended with code ${outcome.code}${outcome.stderr === '' ? '' : `: ${printable(outcome.stderr)}`}`
    // A program may have done half of its work: it is not run twice.
    return err({ because, isTemporary: false })
  },
})

/** The variables of a hook. Nothing else of the environment is passed on but PATH, LANG and HOME. */
export function hookVariables(one: Notification, version: string): Readonly<Record<string, string>> {
  const { addresses, before } = one
  const values: Readonly<Record<string, string | null | undefined>> = {
    EVENT: one.event,
    ACCOUNT: one.name ?? one.account,
    HOSTNAMES: one.hostnames.join(','),
    IPV4: addresses.v4,
    IPV6: addresses.v6,
    IPV4_BEFORE: before.v4,
    IPV6_BEFORE: before.v6,
    BECAUSE: one.because,
    REMEDY: one.remedy,
    SINCE: one.since,
    TIMES: String(one.times),
    TEXT: notificationText(one).text,
    TEST: one.isTest ? '1' : '',
    VERSION: version,
  }
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      `HOLDFAST_NEWS_${key}`,
      (value ?? '').replaceAll('\0', ''),
    ]),
  )
}
