import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { formatInstant, type Instant } from '../../../shared/base/time.ts'
import { type Secret, SecretText } from '../../../shared/base/secret.ts'
import { PLACEHOLDER, PLACEHOLDERS, type WebhookFormat } from '../../settings/notify-settings.ts'
import { EVENT_ROWS, type Notification, notificationText } from '../notification.ts'

/** The request for a webhook. */
interface Payload {
  readonly method?: 'POST' | 'PUT'
  /** Where it goes to, if not to the address of the webhook as it is. */
  readonly url?: Secret
  readonly body: string | SecretText
  readonly headers: Readonly<Record<string, string | SecretText>>
}

/** The body that a user has written. */
export interface BodyTemplate {
  readonly body: string
  readonly type: 'json' | 'form' | 'text'
  readonly method: 'POST' | 'PUT'
  readonly token: Secret | undefined
}

interface PayloadContext {
  /** When it happened. */
  readonly at: Instant
  /** When this attempt is made. */
  readonly signedAt: Instant
  /** The same for each attempt, so that a receiver can drop repetitions. */
  readonly id: string
  readonly secret: Secret | undefined
  /** The address of the webhook. */
  readonly url: Secret
  readonly template: BodyTemplate | undefined
}

const JSON_TYPE = { 'content-type': 'application/json' }
const TEXT_TYPE = { 'content-type': 'text/plain; charset=utf-8' }

/** RFC 2047 §4.1, where there is more than ASCII. */
const headerText = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

/** The body that each kind of receiver documents. */
const FORMATS: Readonly<Record<WebhookFormat, (one: Notification, context: PayloadContext) => Payload>> = {
  json: (one, context) => {
    const body = JSON.stringify(documentOf(one, context))
    return { body, headers: { ...JSON_TYPE, ...signature(body, context) } }
  },
  text: (one, context) => {
    const body = `${notificationText(one).text}\n`
    return { body, headers: { ...TEXT_TYPE, ...signature(body, context) } }
  },
  // https://docs.ntfy.sh/publish: the body is the message; headers are ASCII, or encoded (RFC 2047 §2).
  ntfy: (one) => {
    const { title, text } = notificationText(one)
    const isProblem = EVENT_ROWS[one.event].ping === 'fail'
    return {
      body: text,
      headers: {
        ...TEXT_TYPE,
        title: headerText(title),
        priority: one.event === 'stopped' ? '4' : '3',
        tags: isProblem ? 'warning' : 'white_check_mark',
      },
    }
  },
  // Incoming webhooks: <, > and & are escaped, because they mark links and commands.
  slack: (one) => ({
    body: JSON.stringify({ text: escapedForSlack(notificationText(one).text) }),
    headers: JSON_TYPE,
  }),
  // Execute Webhook: no mention may be made from a text that others can influence.
  discord: (one) => ({
    body: JSON.stringify({ content: notificationText(one).text, allowed_mentions: { parse: [] } }),
    headers: JSON_TYPE,
  }),
  // https://core.telegram.org/bots/api#sendmessage: the chat stands in the address, and is sent with the text.
  telegram: (one, { url }) => {
    const { text } = notificationText(one)
    const chat = new URL(url.reveal()).searchParams
    const thread = chat.get('message_thread_id')
    return {
      url: url.derive((address) => address.replace(/\?.*$/, '')),
      body: JSON.stringify({
        chat_id: chat.get('chat_id'),
        ...(thread !== null && { message_thread_id: Number(thread) }),
        text,
        link_preview_options: { is_disabled: true },
      }),
      headers: JSON_TYPE,
    }
  },
  // https://gotify.net/docs/pushmsg: from priority 4 on it makes a sound, from 8 on it insists.
  gotify: (one) => {
    const { title, text } = notificationText(one)
    const priority = one.event === 'stopped' ? 8 : EVENT_ROWS[one.event].ping === 'fail' ? 5 : 2
    return { body: JSON.stringify({ title, message: text, priority }), headers: JSON_TYPE }
  },
  template: (one, context) => templatePayload(one, context),
}

const TYPES: Readonly<
  Record<BodyTemplate['type'], { readonly header: object; readonly escape: (text: string) => string }>
> = {
  json: { header: JSON_TYPE, escape: (text) => JSON.stringify(text).slice(1, -1) },
  form: { header: { 'content-type': 'application/x-www-form-urlencoded' }, escape: encodeURIComponent },
  text: { header: TEXT_TYPE, escape: (text) => text },
}

/** Values are escaped for the body, and for the path of the address. A name that is none stays as it is written. */
function templatePayload(one: Notification, context: PayloadContext): Payload {
  const { template, url } = context
  if (template === undefined) return { body: '', headers: TEXT_TYPE }
  const { header, escape } = TYPES[template.type]
  const values = placeholdersOf(one, context)
  const filled = (text: string, escaped: (value: string) => string): string =>
    text.replaceAll(PLACEHOLDER, (whole, name: string) => {
      const known = PLACEHOLDERS.find((one) => one === name)
      return known === undefined ? whole : escaped(values[known])
    })
  const { token } = template
  const parts = template.body.split('{token}').map((part) => filled(part, escape))
  const hasToken = parts.length > 1 && token !== undefined
  return {
    method: template.method,
    url: url.derive((text) => filled(text, encodeURIComponent)),
    body: hasToken
      ? new SecretText(...parts.flatMap((part, at) => (at === 0 ? [part] : [token.derive(escape), part])))
      : parts.join('{token}'),
    headers: {
      ...header,
      ...(token !== undefined && !hasToken && { authorization: new SecretText('Bearer ', token) }),
    },
  }
}

const placeholdersOf = (
  one: Notification,
  { at, id }: PayloadContext,
): Readonly<Record<(typeof PLACEHOLDERS)[number], string>> => ({
  ...notificationText(one),
  event: one.event,
  account: one.name ?? one.account,
  hostnames: one.hostnames.join(', '),
  ipv4: one.addresses.v4 ?? '',
  ipv6: one.addresses.v6 ?? '',
  ipv4_before: one.before.v4 ?? '',
  ipv6_before: one.before.v6 ?? '',
  because: one.because ?? '',
  remedy: one.remedy ?? '',
  since: one.since ?? '',
  times: String(one.times),
  at: formatInstant(at),
  id,
})

export const payloadOf = (format: WebhookFormat, one: Notification, context: PayloadContext): Payload =>
  FORMATS[format](one, context)

const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const documentOf = (one: Notification, { at, id }: PayloadContext) => ({
  v: 1,
  event: one.event,
  account: one.account,
  name: one.name,
  hostnames: one.hostnames,
  addresses: { v4: one.addresses.v4 ?? null, v6: one.addresses.v6 ?? null },
  before: { v4: one.before.v4 ?? null, v6: one.before.v6 ?? null },
  because: one.because,
  remedy: one.remedy,
  since: one.since,
  times: one.times,
  ...(one.isTest && { test: true }),
  text: notificationText(one).text,
  at: formatInstant(at),
  id,
})

/** HMAC-SHA256 (RFC 2104) over the time and the body, so that an old request cannot be sent again. */
function signature(body: string, { signedAt, secret }: PayloadContext): Readonly<Record<string, string>> {
  if (secret === undefined) return {}
  const time = Math.floor(signedAt / 1000)
  const code = createHmac('sha256', secret.reveal()).update(`${time}.${body}`).digest('hex')
  return { 'x-holdfast-signature': `t=${time},v1=${code}` }
}
