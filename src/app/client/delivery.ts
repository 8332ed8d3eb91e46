import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '../../base/result.ts'
import { instant, seconds } from '../../base/time.ts'
import {
  EVENT_ROWS,
  type Notification,
  notificationText,
  type PingKind,
} from '../../client/notify/notification.ts'
import { hookVariables, payloadOf, pingUrl } from '../../client/notify/payload.ts'
import type { Secret } from '../../net/secret.ts'
import type { RunHook } from '../../ports/hook.ts'
import type { Http, HttpOutcome } from '../../ports/http.ts'
import { ABOUT } from '../about.ts'
import type { ClientAccount } from './settings.ts'

/** One way to tell something to somebody: a program, or a request. */
export interface Delivery {
  /** For the log: names the setting, and of an address only the host, because the rest may be a secret. */
  readonly target: string
  readonly attempt: (signal: AbortSignal) => Promise<DeliveryResult>
}

/** The error says why; `isTemporary` where another attempt can help. */
export type DeliveryResult = Result<undefined, { readonly because: string; readonly isTemporary: boolean }>

export interface DeliveryPorts {
  readonly http: Http
  readonly hook: RunHook
  readonly now: () => number
}

export interface DeliverySettings {
  readonly account: ClientAccount
  readonly webhookSecret: Secret | undefined
}

const HOOK_TIMEOUT = seconds(30)
const HTTP_TIMEOUT = seconds(10)
const HOOK_SETTINGS = {
  onChange: 'on_change',
  onStop: 'on_stop',
  onRecover: 'on_recover',
  onProblem: 'on_problem',
} as const

/** All that the settings of an account want for one notification. */
export function deliveriesFor(
  one: Notification,
  settings: DeliverySettings,
  ports: DeliveryPorts,
): readonly Delivery[] {
  const { account } = settings
  const { hook, ping } = EVENT_ROWS[one.event]
  const argv = hook === undefined ? undefined : account[hook]
  return [
    ...(argv === undefined || hook === undefined
      ? []
      : [hookDelivery(HOOK_SETTINGS[hook], argv, { one, ports })]),
    ...(account.webhook !== undefined && account.webhookEvents.includes(one.event)
      ? [webhookDelivery(one, settings, ports)]
      : []),
    ...(ping === undefined ? [] : pingDelivery(account, ping, { text: notificationText(one).text, ports })),
  ]
}

const hookDelivery = (
  setting: string,
  argv: readonly string[],
  { one, ports }: { readonly one: Notification; readonly ports: DeliveryPorts },
): Delivery => ({
  target: setting,
  attempt: async (signal) => {
    const outcome = await ports.hook(
      argv,
      { variables: hookVariables(one, ABOUT.version), timeout: HOOK_TIMEOUT },
      signal,
    )
    if (outcome.kind === 'ended' && outcome.code === 0) return ok(undefined)
    const because =
      outcome.kind === 'failed'
        ? outcome.because
        : `it ended with code ${outcome.code}${outcome.stderr === '' ? '' : `: ${printable(outcome.stderr)}`}`
    // A program may have done half of its work: it is not run twice.
    return err({ because, isTemporary: false })
  },
})

const printable = (text: string): string => text.replaceAll(/[\0-\x1f\x7f]+/g, ' ')

/** The host of an address whose rest may be a secret. */
export const webhookHost = (url: Secret): string => new URL(url.reveal()).host

function webhookDelivery(
  one: Notification,
  { account, webhookSecret }: DeliverySettings,
  { http, now }: DeliveryPorts,
): Delivery {
  const url = account.webhook?.reveal() ?? ''
  const payload = payloadOf(account.webhookFormat, one, {
    at: instant(now()),
    id: randomUUID(),
    secret: webhookSecret,
  })
  return {
    target: `webhook at ${new URL(url).host}`,
    attempt: async (signal) =>
      resultOf(
        await http({ method: 'POST', url, ...requestOf(payload.headers), body: payload.body }, signal),
      ),
  }
}

/** A ping of an account that has a check. */
export function pingDelivery(
  { healthUrl }: ClientAccount,
  kind: PingKind,
  { text, ports }: { readonly text: string; readonly ports: DeliveryPorts },
): readonly Delivery[] {
  const url = healthUrl === undefined ? undefined : pingUrl(healthUrl.reveal(), kind, text)
  if (url === undefined) return []
  return [
    {
      target: `health_url at ${new URL(url).host}`,
      attempt: async (signal) => resultOf(await ports.http({ url, ...requestOf({}) }, signal)),
    },
  ]
}

const requestOf = (headers: Readonly<Record<string, string>>) => ({
  headers: { 'user-agent': `Holdfast/${ABOUT.version}`, connection: 'close', ...headers },
  maxBodyBytes: 4096,
  connectTimeout: HTTP_TIMEOUT,
  responseTimeout: HTTP_TIMEOUT,
})

/** A redirect is not followed: the token in the address would go to another host. */
function resultOf(outcome: HttpOutcome): DeliveryResult {
  if (outcome.kind === 'unreached') return err({ because: outcome.because, isTemporary: true })
  const { status } = outcome
  if (status >= 200 && status < 300) return ok(undefined)
  const isTemporary = status >= 500 || status === 429 || status === 408
  const more = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
  return err({ because: `it answered HTTP ${status}${more}`, isTemporary })
}
