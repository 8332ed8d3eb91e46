import { err, ok, type Result } from '../base/result.ts'
import { days, hours, minutes } from '../base/time.ts'
import { parseAddress } from '../net/address.ts'
import { Secret } from '../net/secret.ts'
import { isGlobal } from '../net/special.ts'
import { choice, duration, listReader, path, programArguments, type SettingReader, text } from './reader.ts'
import type { SettingTable } from './setting.ts'

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
  'outlier',
  'quarantined',
  'state-lost',
] as const
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number]

export const WEBHOOK_FORMATS = ['json', 'text', 'ntfy', 'slack', 'discord'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** Loopback, private and link-local hosts, and names without a dot, are in the user's own network. */
function isOwnNetwork(hostname: string): boolean {
  const address = parseAddress(hostname.replace(/^\[|\]$/g, ''))
  if (address !== undefined) return !isGlobal(address)
  return !hostname.includes('.') || /\.(?:local|lan|home|internal|localhost|home\.arpa)$/.test(hostname)
}

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

const event = (value: string): Result<NotificationEvent, string> => {
  const known = NOTIFICATION_EVENTS.find((one) => one === value)
  return known === undefined ? err(`is not one of ${NOTIFICATION_EVENTS.join(', ')}`) : ok(known)
}

/** The settings that name a program to run. */
export const HOOKS = ['onFirst', 'onChange', 'onStop', 'onRecover', 'onProblem'] as const

/** Settings of an account about notifications. */
// biome-ignore format: a table
export const NOTIFY_SETTINGS = {
  onChange:      { reader: programArguments, help: 'program and arguments to run when the address of a hostname has changed; it gets what happened in variables HOLDFAST_NEWS_…' },
  onFirst:       { reader: programArguments, help: 'the same, when an address is confirmed that no address was before; default: on_change runs' },
  onStop:        { reader: programArguments, help: 'the same, when an account or hostname is stopped until you act' },
  onRecover:     { reader: programArguments, help: 'the same, when updates work again after a problem that was told' },
  onProblem:     { reader: programArguments, help: 'the same, when updates wait or the service is not reached for an hour, no address is seen for 15 minutes, or the state cannot be saved' },
  webhook:       { reader: secretUrl,        help: 'address that gets a POST request for each event; https, or http in your own network' },
  webhookFormat: { reader: choice(...WEBHOOK_FORMATS), help: 'what the webhook gets: json (signed with webhook_secret_file), text, or what ntfy, Slack or Discord expect', fallback: 'json' },
  webhookEvents: { reader: listReader(event, { enum: NOTIFICATION_EVENTS }), help: `the events for the webhook: ${NOTIFICATION_EVENTS.join(', ')}`,
                   fallback: ['changed', 'different', 'stopped', 'unknown', 'unsaved', 'recovered'] as readonly NotificationEvent[] },
  webhookSecretFile: { reader: path,         help: 'file with the key for the signature X-Holdfast-Signature of the webhook; default: no signature' },
  healthUrl:     { reader: secretUrl,        help: 'address of a check to ping while all is well, of healthchecks.io or Uptime Kuma or your own; a problem is a ping too, so that the check alarms at once' },
  healthEvery:   { reader: duration(minutes(1), days(7)), help: 'time between two pings while all is well: 1m to 7d', fallback: hours(1) },
} as const satisfies SettingTable
