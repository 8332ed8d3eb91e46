import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { type Duration, type Instant, instant, seconds } from '../../shared/base/time.ts'
import { DELIVERY_TARGETS, type DeliveryTarget, type PendingDelivery } from './memory.ts'
import { EVENT_ROWS, type Notification, notificationText, type PingKind } from './notification.ts'
import { type BodyTemplate, hookVariables, payloadOf, pingUrl } from './payload.ts'
import { parseRetryAfter } from '../agent/send/retry-after.ts'
import { HOOKS, type NotificationEvent, type Webhook, webhookIn } from '../settings/notify-settings.ts'
import { type Secret, secretUrl } from '../../shared/base/secret.ts'
import { accountKey } from '../settings/client-checks.ts'
import type { Entropy } from '../../shared/ports/clock.ts'
import type { RunHook } from '../../shared/ports/hook.ts'
import type { SendMail } from '../../shared/ports/mail.ts'
import type { HttpOutcome, OutgoingRequest, ServiceHttp } from '../../shared/ports/http.ts'
import type { SystemPorts } from '../../shared/ports/system.ts'
import { ABOUT } from '../../shared/program/about.ts'
import { mailDelivery, mailQueues } from './mail-delivery.ts'
import type { ClientAccount } from '../settings/settings.ts'

/** One way to tell something: a program, or a request. */
export interface Delivery {
  /** For the log: names the setting, and of an address only the host, because the rest may be a secret. */
  readonly target: string
  /** Identifies the receiver, without its secrets: deliveries with the same value wait for each other. */
  readonly queue: string
  readonly attempt: (signal: AbortSignal) => Promise<DeliveryResult>
}

/** The error says why; `isTemporary` where another attempt can help. */
type DeliveryResult = Result<undefined, DeliveryFailure>
interface DeliveryFailure {
  readonly because: string
  readonly isTemporary: boolean
  /** The receiver asks for this pause (RFC 9110 §10.2.3). */
  readonly retryAfter?: Duration
}

export interface DeliveryPorts {
  readonly http: ServiceHttp
  readonly hook: RunHook
  readonly mail: SendMail
  /** By the wall clock. */
  readonly now: () => Instant
}

export const deliveryPorts = ({
  http,
  hook,
  mail,
  clocks,
}: Pick<SystemPorts, 'http' | 'hook' | 'mail' | 'clocks'>): DeliveryPorts => ({
  http,
  hook,
  mail,
  now: () => clocks().wall,
})

/** Unique, so that the receiver of a webhook can tell an attempt from another notification. */
export const newDeliveryId = (entropy: Entropy): string => Buffer.from(entropy(16)).toString('hex')

/** The accounts by their keys. */
export const accountsByKey = (accounts: readonly ClientAccount[]): ReadonlyMap<string, ClientAccount> =>
  new Map(accounts.map((account) => [accountKey(account), account]))

const HOOK_TIMEOUT = seconds(30)
const HTTP_TIMEOUT = seconds(10)
const HOOK_SETTINGS = {
  onFirst: 'on_first',
  onChange: 'on_change',
  onStop: 'on_stop',
  onRecover: 'on_recover',
  onProblem: 'on_problem',
} as const

/** The ways by which an account is told of an event. */
export const deliveryTargets = (
  { event }: Pick<Notification, 'event'>,
  account: ClientAccount,
): readonly DeliveryTarget[] =>
  DELIVERY_TARGETS.filter((target) => eventFor(target, event, account) !== undefined)

/** The event as this target asks for it: itself, or what it is otherwise. Undefined where it asks for neither. */
function eventFor(
  target: DeliveryTarget,
  event: NotificationEvent,
  account: ClientAccount,
): NotificationEvent | undefined {
  if (isHeardBy(target, event, account)) return event
  const { otherwise } = EVENT_ROWS[event]
  return otherwise !== undefined && isHeardBy(target, otherwise, account) ? otherwise : undefined
}

function isHeardBy(target: DeliveryTarget, event: NotificationEvent, account: ClientAccount): boolean {
  const { hook, ping } = EVENT_ROWS[event]
  if (target === 'hook') return hook !== undefined && account[hook] !== undefined
  if (target === 'webhook') return account.webhook !== undefined && account.webhookEvents.includes(event)
  if (target === 'mail') return account.mailTo !== undefined && account.mailEvents.includes(event)
  return (
    ping !== undefined &&
    account.healthUrl !== undefined &&
    pingUrl(account.healthUrl, ping, '') !== undefined
  )
}

/** One delivery; undefined where the settings no longer have its target. */
export function deliveryOf(
  pending: Omit<PendingDelivery, 'attempts'>,
  account: ClientAccount,
  ports: DeliveryPorts,
): Delivery | undefined {
  const { target } = pending
  const event = eventFor(target, pending.notification.event, account)
  if (event === undefined) return undefined
  const notification = { ...pending.notification, event }
  const { hook, ping } = EVENT_ROWS[event]
  if (target === 'hook')
    return hook === undefined
      ? undefined
      : hookDelivery(HOOK_SETTINGS[hook], account[hook] ?? [], { one: notification, ports })
  if (target === 'webhook') return webhookDelivery({ ...pending, notification }, account, ports)
  if (target === 'mail') return mailDelivery({ ...pending, notification }, account, ports.mail)
  return ping === undefined
    ? undefined
    : pingDelivery(account, ping, { text: notificationText(notification).text, ports })
}

const hookDelivery = (
  setting: string,
  argv: readonly string[],
  { one, ports }: { readonly one: Notification; readonly ports: DeliveryPorts },
): Delivery => ({
  target: setting,
  queue: hashed(JSON.stringify(argv)),
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

const printable = (text: string): string => text.replaceAll(/[\0-\x1f\x7f]+/g, ' ')

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64')
const queueOf = (url: Secret): string => hashed(url.reveal())

/** The host of an address whose rest may be a secret. */
export const webhookHost = (url: Secret): string => new URL(url.reveal()).host

/** With its place in the list where there are several: two of them may have the same host. */
export function webhookTargets(account: ClientAccount): readonly string[] {
  const all = webhooksOf(account)
  return all.map(({ url, format }, at) =>
    all.length === 1
      ? `webhook at ${webhookHost(url)}`
      : `webhook ${at + 1} at ${webhookHost(url)} (${format})`,
  )
}
const pingTarget = (url: Secret): string => `health_url at ${webhookHost(url)}`

/** The receivers of an account, as the queues of their deliveries are called. */
export const queuesOf = (account: ClientAccount): readonly string[] => [
  ...HOOKS.flatMap((hook) => (account[hook] === undefined ? [] : hashed(JSON.stringify(account[hook])))),
  ...webhooksOf(account).map(({ url }) => queueOf(url)),
  ...mailQueues(account),
  ...(account.healthUrl === undefined ? [] : [queueOf(account.healthUrl)]),
]

/** The receivers of an account for a target: one for each webhook and each mail address, so that none waits for another. */
export const receiversOf = (
  target: DeliveryTarget,
  account: ClientAccount,
): readonly (string | undefined)[] =>
  target === 'webhook'
    ? webhooksOf(account).map(({ url }) => queueOf(url))
    : target === 'mail'
      ? (account.mailTo ?? [])
      : [undefined]

/** The webhooks of an account, each with its format. */
export const webhooksOf = ({ webhook = [], webhookFormat }: ClientAccount): readonly Webhook[] =>
  webhook.map((entry) => webhookIn(entry, webhookFormat))

function webhookDelivery(
  { notification, id, at, to }: Omit<PendingDelivery, 'attempts'>,
  account: ClientAccount,
  { http, now }: DeliveryPorts,
): Delivery | undefined {
  const all = webhooksOf(account)
  const found = all.findIndex(({ url }) => to === undefined || queueOf(url) === to)
  // The address of the only one was corrected since.
  const nth = found < 0 && all.length === 1 ? 0 : found
  const webhook = all[nth]
  if (webhook === undefined) return undefined
  const { format, url } = webhook
  return {
    target: webhookTargets(account)[nth] ?? '',
    queue: queueOf(url),
    attempt: async (signal) => {
      const payload = payloadOf(format, notification, {
        at: instant(at),
        signedAt: now(),
        id,
        url,
        secret: account.webhookSecret,
        template: templateOf(account),
      })
      const { method = 'POST', body, headers } = payload
      return resultOf(
        await http({ method, url: secretUrl(payload.url ?? url), ...requestOf(headers), body }, signal),
        now(),
      )
    },
  }
}

const templateOf = ({
  webhookBody: body,
  webhookType: type,
  webhookMethod: method,
  webhookToken: token,
}: ClientAccount): BodyTemplate | undefined =>
  body === undefined ? undefined : { body, type, method, token }

/** A ping of an account that has a check. */
export function pingDelivery(
  { healthUrl }: ClientAccount,
  kind: PingKind,
  { text, ports }: { readonly text: string; readonly ports: DeliveryPorts },
): Delivery | undefined {
  const url = healthUrl && pingUrl(healthUrl, kind, text)
  if (healthUrl === undefined || url === undefined) return undefined
  return {
    target: pingTarget(healthUrl),
    queue: queueOf(healthUrl),
    attempt: async (signal) =>
      resultOf(await ports.http({ url: secretUrl(url), ...requestOf({}) }, signal), ports.now()),
  }
}

const requestOf = (headers: OutgoingRequest['headers']) => ({
  headers: { 'user-agent': `Holdfast/${ABOUT.version}`, connection: 'close', ...headers },
  maxBodyBytes: 4096,
  connectTimeout: HTTP_TIMEOUT,
  responseTimeout: HTTP_TIMEOUT,
})

/** A redirect is not followed: the token in the address would go to another host. */
function resultOf(outcome: HttpOutcome, now: Instant): DeliveryResult {
  if (outcome.kind === 'unreached') return err({ because: outcome.because, isTemporary: true })
  const { status } = outcome
  if (status >= 200 && status < 300) return ok(undefined)
  const isTemporary = status >= 500 || status === 429 || status === 408
  const more = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
  const retryAfter = parseRetryAfter(outcome.headers['retry-after'] ?? secondsIn(outcome.body), now)
  const because = `it answered HTTP ${status}${more}${reasonIn(outcome.body)}`
  return err({ because, isTemporary, ...(retryAfter !== undefined && { retryAfter }) })
}

/** What the receivers of `FORMATS` say in a refusal, as JSON. */
function reasonIn(body: string): string {
  const said = /"(?:description|errorDescription|message|error)"\s*:\s*"([^"\\]{1,100})"/.exec(body)?.[1]
  return said === undefined ? '' : `: ${printable(said)}`
}

/** Telegram says it in the body (ResponseParameters): {"parameters": {"retry_after": 30}}. */
const secondsIn = (body: string): string | undefined => /"retry_after"\s*:\s*(\d+)/.exec(body)?.[1]
