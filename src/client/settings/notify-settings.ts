import { err, ok, type Result } from '../../shared/base/result.ts'
import { days, hours, minutes } from '../../shared/base/time.ts'
import { Secret } from '../../shared/base/secret.ts'
import { isOwnNetwork } from '../../shared/base/network.ts'
import {
  ARGUMENT_END,
  choice,
  duration,
  listReader,
  mailbox,
  mailServer,
  path,
  programArguments,
  type SettingReader,
  text,
} from '../../shared/settings/reader.ts'
import type { SettingTable } from '../../shared/settings/setting.ts'

/** What a notification can be about. */
export const NOTIFICATION_EVENTS = [
  'first',
  'changed',
  'different',
  'stopped',
  'waiting',
  'unreached',
  'unknown',
  'unsaved',
  'recovered',
  'started',
  'ended',
  'behind-nat',
  'flipping',
  'held',
  'outlier',
  'quarantined',
  'state-lost',
] as const
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number]

export const WEBHOOK_FORMATS = [
  'json',
  'text',
  'ntfy',
  'slack',
  'discord',
  'telegram',
  'gotify',
  'template',
] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** The address of a service for notifications. Most contain a token, so it prints as a secret. */
const secretUrl: SettingReader<Secret> = {
  ...text,
  read: (value): Result<Secret, string> => {
    if (!URL.canParse(value)) return err('must be an https address')
    const { protocol, hostname, username } = new URL(value)
    if (protocol !== 'https:' && protocol !== 'http:') return err('must be an https address')
    if (username !== '')
      return err('contains credentials, which are not sent; write a token as the service documents it')
    return protocol === 'http:' && !isOwnNetwork(hostname)
      ? err('must be an https address; http is for your own network only')
      : ok(new Secret(value))
  },
}

const FORMAT_PREFIX = new RegExp(`^(${WEBHOOK_FORMATS.join('|')}):(?=https?:)`)

/** One receiver: its format, if that is not the one of `webhook_format`, a colon, and its address (decision 0048). */
const webhook = (value: string): Result<Secret, string> => {
  const [, unknown] = /^([a-z]+):https?:/.exec(value.replace(FORMAT_PREFIX, '')) ?? []
  if (unknown !== undefined)
    return err(`begins with ${unknown}:, which is none of ${WEBHOOK_FORMATS.join(', ')}`)
  const url = secretUrl.read(value.replace(FORMAT_PREFIX, ''))
  return url.ok ? ok(new Secret(value)) : url
}

/** A receiver and what it gets. */
export interface Webhook {
  readonly format: WebhookFormat
  readonly url: Secret
}

/** What an entry of `webhook` says, where `webhook_format` is `usual`. */
export function webhookIn(entry: Secret, usual: WebhookFormat): Webhook {
  const named = FORMAT_PREFIX.exec(entry.reveal())?.[1]
  return {
    format: WEBHOOK_FORMATS.find((one) => one === named) ?? usual,
    url: entry.derive((text) => text.replace(FORMAT_PREFIX, '')),
  }
}

/** Telegram refuses a message without a chat. */
export const lacksChat = ({ format, url }: Webhook): boolean =>
  format === 'telegram' && (new URL(url.reveal()).searchParams.get('chat_id') ?? '') === ''

/** A URL may contain commas, so only one before another address divides. No address is shown in an error. */
const webhooks: SettingReader<readonly Secret[]> = {
  shape: 'arguments',
  read: (value) => {
    const isList = value.endsWith(ARGUMENT_END)
    const items = isList ? value.slice(0, -1).split(ARGUMENT_END) : value.split(/,\s*(?=(?:[a-z]+:)?https?:)/)
    const all = items.map((one) => webhook(one.trim()))
    const wrong = all.flatMap((one, at) =>
      one.ok ? [] : `${all.length > 1 ? `number ${at + 1} ` : ''}${one.error}`,
    )
    return wrong.length > 0 ? err(wrong.join('\n')) : ok(all.flatMap((one) => (one.ok ? [one.value] : [])))
  },
  schema: {
    oneOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }],
  },
}

const event = (value: string): Result<NotificationEvent, string> => {
  const known = NOTIFICATION_EVENTS.find((one) => one === value)
  return known === undefined ? err(`is not one of ${NOTIFICATION_EVENTS.join(', ')}`) : ok(known)
}

/** The settings that name a program to run. */
export const HOOKS = ['onFirst', 'onChange', 'onStop', 'onRecover', 'onProblem'] as const

/** Settings of an account about notifications. */
/** What `webhook_body`, and the address of a webhook with it, may name. */
// biome-ignore format: a list
export const PLACEHOLDERS = [
  'text', 'title', 'event', 'account', 'hostnames', 'ipv4', 'ipv6', 'ipv4_before', 'ipv6_before', 'because', 'remedy', 'since', 'times', 'at', 'id',
] as const
export const PLACEHOLDER = /\{([a-z0-9_]+)\}/g

/** What is wrong with a body; undefined where its placeholders are known and, as JSON, where they may stand. */
export function bodyProblem(body: string, type: string): string | undefined {
  const known: readonly string[] = [...PLACEHOLDERS, 'token']
  const [unknown] = [...body.matchAll(PLACEHOLDER)].flatMap(([, name = '']) =>
    known.includes(name) ? [] : [name],
  )
  if (unknown !== undefined)
    return `webhook_body has {${unknown}}, which is none of ${known.map((one) => `{${one}}`).join(', ')}`
  if (type !== 'json') return undefined
  try {
    JSON.parse(body.replaceAll(PLACEHOLDER, (_, name: string) => (name === 'times' ? '1' : 'x')))
    return undefined
  } catch {
    return 'webhook_body is not JSON when its placeholders are filled; write them in quotes: "{text}"'
  }
}

// biome-ignore format: a table
export const NOTIFY_SETTINGS = {
  onChange:      { reader: programArguments, help: 'program and arguments to run when the address of a hostname has changed; variables HOLDFAST_NEWS_… describe the event' },
  onFirst:       { reader: programArguments, help: 'program to run when a hostname gets its first confirmed address; default: on_change runs' },
  onStop:        { reader: programArguments, help: 'program to run when an account or hostname is stopped until you act' },
  onRecover:     { reader: programArguments, help: 'program to run when updates work again after a reported problem' },
  onProblem:     { reader: programArguments, help: 'program to run when updates wait or the service is not reached for an hour, no address is seen for 15 minutes, or the state cannot be saved' },
  webhook:       { reader: webhooks,         help: 'URLs that get a request for each event: https, or http in your own network; a prefix overrides webhook_format, such as ntfy:https://ntfy.example/topic' },
  webhookFormat: { reader: choice(...WEBHOOK_FORMATS), help: 'what the webhook gets: json (signed with webhook_secret_file), text, what ntfy, Slack, Discord, Telegram or Gotify expect, or webhook_body (template)', fallback: 'json' },
  webhookBody:   { reader: text,             help: 'the body for the format template, with placeholders such as {text}, {title}, {event}, {hostnames}, {ipv4}, {ipv6} and {token}' },
  webhookType:   { reader: choice('json', 'form', 'text'), help: 'content type of webhook_body; values are escaped for it', fallback: 'json' },
  webhookMethod: { reader: choice('POST', 'PUT'), help: 'the method of requests with webhook_body', fallback: 'POST' },
  webhookTokenFile: { reader: path,          help: 'file with a token for webhook_body: if that has no {token}, the token is sent as Authorization: Bearer' },
  webhookEvents: { reader: listReader(event, { enum: NOTIFICATION_EVENTS }), help: `the events for the webhook: ${NOTIFICATION_EVENTS.join(', ')}`,
                   fallback: ['changed', 'different', 'stopped', 'unknown', 'unsaved', 'recovered', 'held'] as readonly NotificationEvent[] },
  webhookSecretFile: { reader: path,         help: 'file with the key for the signature X-Holdfast-Signature of the webhook; default: no signature' },
  mailTo:        { reader: listReader(mailbox.read, { type: 'string' }), help: 'e-mail addresses that get a message for each event, through mail_server' },
  mailServer:    { reader: mailServer,       help: 'host and port of your mail server: TLS on 465 (the default), STARTTLS on other ports; without TLS only in your own network' },
  mailFrom:      { reader: mailbox,          help: 'sender of the messages; default: the first of mail_to' },
  mailUsername:  { reader: text,             help: 'username for the mail server, with mail_password_file; default: no login' },
  mailPasswordFile: { reader: path,          help: 'file with the password for mail_username' },
  mailEvents:    { reader: listReader(event, { enum: NOTIFICATION_EVENTS }), help: 'the events for the messages, as for webhook_events',
                   fallback: ['changed', 'different', 'stopped', 'unknown', 'unsaved', 'recovered', 'held'] as readonly NotificationEvent[] },
  healthUrl:     { reader: secretUrl,        help: 'URL to ping while everything works (healthchecks.io, Uptime Kuma, your own); a problem sends a ping too, so that the check alerts at once' },
  healthEvery:   { reader: duration(minutes(1), days(7)), help: 'time between two pings while everything works: 1m to 7d', fallback: hours(1) },
} as const satisfies SettingTable
