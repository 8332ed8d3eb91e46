import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { formatInstant, type Instant, milliseconds, parseInstant } from '../../../shared/base/time.ts'
import {
  type Address,
  type Addresses,
  FAMILIES,
  familyOf,
  parseAddress,
} from '../../../shared/base/address.ts'
import { isReplyWord } from '../../../shared/protocol/reply.ts'
import type {
  AccountState,
  AccountStatus,
  HostState,
  Line,
  Moments,
  SavedLines,
  Sent,
  State,
  Stop,
  Unanswered,
  WaitCause,
} from '../../decide/state.ts'
import type { Anchor } from './client-time.ts'

const VERSION = 2
/** Files of 0.2.0 and earlier: the same content under other keys. A stop in them is obeyed, too. */
const EARLIER = 1

/** The content of the file: the state, and the clocks at the time of writing. */
export interface StateFile {
  readonly state: State
  readonly anchor?: Anchor
}

/**
 * The text of the state file: JSON with a version, a checksum of the rest, and moments as RFC 3339 text. While there is a
 * stop or a wait, a line follows with another record of these alone: `salvage` reads it where the first is damaged.
 */
export function formatState(state: State, anchor?: Anchor): string {
  const restrictions = restrictionsIn(state)
  return `${recordText(state, anchor, 1)}${restrictions === undefined ? '' : recordText(restrictions, anchor)}`
}

function recordText(state: State, anchor: Anchor | undefined, indent?: number): string {
  const { accounts, lines } = state
  const body = withMoments({ accounts, ...(lines && { lines }), ...(anchor && { clock: anchor }) })
  return `${JSON.stringify({ version: VERSION, sha256: checksum(JSON.stringify(body)), ...body }, null, indent)}\n`
}

/** The accounts that must not send, and the hostnames that must not be sent, with nothing of the others. */
function restrictionsIn({ accounts }: State): State | undefined {
  const restricted = Object.entries(accounts).flatMap(([key, account]) => {
    const hosts = Object.entries(account.hosts).filter(([, { stopped }]) => stopped !== undefined)
    const isFree =
      account.status.kind === 'ready' && account.offlineRefused === undefined && hosts.length === 0
    return isFree ? [] : [[key, { ...account, hosts: Object.fromEntries(hosts) }] as const]
  })
  return restricted.length === 0 ? undefined : { accounts: Object.fromEntries(restricted) }
}

/** A copy with the moments as text. JSON.stringify takes several times as long with a function that does the same. */
const withMoments = (record: object): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, momentText(key, value)]))

function momentText(key: string, value: unknown): unknown {
  if (typeof value === 'number') return MOMENTS.has(key) ? formatInstant(value as Instant) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => momentText('', item))
  return key === 'hosts' ? mapValues(value as AccountState['hosts'], hostText) : withMoments(value)
}

/** A request changes few hostnames of a large account: the others are the same objects as in the save before. */
function hostText(host: HostState): object {
  const text = hostTexts.get(host) ?? withMoments(host)
  hostTexts.set(host, text)
  return text
}

const hostTexts = new WeakMap<HostState, object>()

const MOMENTS = new Set(['since', 'until', 'touched', 'resumed', ...FAMILIES, 'at', 'wall'])

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The inverse. Any other text is an error, because a state that is read in part may lose a stop. */
export function parseState(text: string): Result<StateFile, string> {
  const end = text.indexOf(END)
  return parseRecord(end === -1 ? text : text.slice(0, end + END.length))
}

/** The stops and waits of a text that `parseState` refuses; undefined where it has none. */
export function salvage(text: string): StateFile | undefined {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  const file = parseRecord(line.slice(Math.max(line.indexOf('{'), 0)))
  return file.ok ? file.value : undefined
}

/** The end of the first record, which is the only one with line breaks. */
const END = '\n}\n'

function parseRecord(text: string): Result<StateFile, string> {
  try {
    const { version, sha256, ...body } = record(JSON.parse(text))
    if (version !== VERSION && version !== EARLIER)
      return err(`its format version is ${String(version)}, not ${VERSION}`)
    if (sha256 !== checksum(JSON.stringify(body))) return err('the checksum does not match')
    const read = version === EARLIER ? readEarlierAccount : readAccount
    const { accounts, lines } = body
    const state: State = {
      accounts: mapValues(record(accounts), read),
      ...(lines !== undefined && { lines: readLines(record(lines)) }),
    }
    return ok(body['clock'] === undefined ? { state } : { state, anchor: readAnchor(body['clock']) })
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error))
  }
}

function readAnchor(value: unknown): Anchor {
  const { at, wall, boot, uptime } = record(value)
  return {
    at: moment(at),
    wall: moment(wall),
    boot: boot === undefined ? undefined : string(boot),
    uptime: milliseconds(number(uptime)),
  }
}

function readAccount(value: unknown): AccountState {
  const { status, hosts, offlineRefused, resumed, recent } = record(value)
  return {
    status: readStatus(status),
    hosts: mapValues(record(hosts), readHost),
    ...(offlineRefused !== undefined && { offlineRefused: readStop(offlineRefused) }),
    ...(resumed !== undefined && { resumed: moment(resumed) }),
    ...(recent !== undefined && { recent: listIn(recent).map(readSent) }),
  }
}

const readLines = (lines: Record<string, unknown>): NonNullable<State['lines']> =>
  Object.fromEntries(
    FAMILIES.flatMap((family) => (lines[family] === undefined ? [] : [[family, readFamily(lines[family])]])),
  )

function readFamily(value: unknown): SavedLines {
  const { home, known, heard } = record(value)
  return { home: readLine(home), known: listIn(known).map(readLine), heard: listIn(heard).map(readHeard) }
}

function readLine(value: unknown): Line {
  const { interface: name, gateway, mac, source } = record(value)
  return {
    interface: string(name),
    ...(gateway !== undefined && { gateway: address(gateway) }),
    ...(mac !== undefined && { mac: string(mac) }),
    ...(source !== undefined && { source: address(source) }),
  }
}

function readHeard(value: unknown): SavedLines['heard'][number] {
  const heard = string(value)
  if (heard === 'gateway' || heard === 'beyond' || heard === 'word') return heard
  throw new Error(`${heard} says nothing of a line`)
}

function readEarlierAccount(value: unknown): AccountState {
  const { standing, ...rest } = record(value)
  const { rung, because, ...status } = record(standing)
  const cause = because === 'not understood' ? 'unrecognized-reply' : because
  return readAccount({ ...rest, status: { ...status, attempt: rung, because: cause } })
}

function readSent(value: unknown): Sent {
  const { at, hostname, addresses } = record(value)
  return { at: moment(at), hostname: string(hostname), addresses: string(addresses) }
}

function readHost(value: unknown): HostState {
  const {
    confirmed,
    earlier,
    unanswered,
    touched,
    touchedBy,
    since,
    unechoed,
    answered,
    isProxied,
    spread,
    isOffline,
    stopped,
  } = record(value)
  return {
    confirmed: readAddresses(confirmed),
    ...(earlier !== undefined && { earlier: readAddresses(earlier) }),
    ...(unanswered !== undefined && { unanswered: readUnanswered(unanswered) }),
    ...(touched !== undefined && { touched: moment(touched) }),
    ...(touchedBy !== undefined && { touchedBy: readMoments(record(touchedBy)) }),
    ...(since !== undefined && { since: moment(since) }),
    ...(unechoed !== undefined && { unechoed: readAddresses(unechoed) }),
    ...(answered !== undefined && { answered: readAddresses(answered) }),
    ...(isProxied === true && { isProxied }),
    spread: number(spread),
    isOffline: isOffline === true,
    ...(stopped !== undefined && { stopped: readStop(stopped) }),
  }
}

function readUnanswered(value: unknown): Unanswered {
  const { addresses, isOffline, isOnline } = record(value)
  return { addresses: readAddresses(addresses), isOffline: boolean(isOffline), isOnline: boolean(isOnline) }
}

const readMoments = (moments: Record<string, unknown>): Moments =>
  Object.fromEntries(
    FAMILIES.flatMap((family) => (moments[family] === undefined ? [] : [[family, moment(moments[family])]])),
  )

function readStatus(value: unknown): AccountStatus {
  const { kind, since, until, because, detail, attempt } = record(value)
  if (kind === 'ready') return { kind }
  if (kind === 'stopped') return { kind, ...readStop(value) }
  const times = {
    since: moment(since),
    until: moment(until),
    detail: string(detail),
    attempt: number(attempt),
  }
  if (kind === 'waiting') return { kind, ...times, because: readCause(because) }
  if (kind === 'retrying') return { kind, ...times }
  throw new Error(`${String(kind)} is not an account status`)
}

function readStop(value: unknown): Stop {
  const { since, because, about, said, quote } = record(value)
  const word = string(because)
  if (!isReplyWord(word)) throw new Error(`${word} is not a reply word`)
  return {
    since: moment(since),
    because: word,
    about: string(about),
    ...(said !== undefined && { said: string(said) }),
    ...(quote !== undefined && { quote: string(quote) }),
  }
}

function readCause(value: unknown): WaitCause {
  const cause = string(value)
  if (cause === 'unrecognized-reply' || isReplyWord(cause)) return cause
  const [, status] = /^HTTP (\d{3})$/.exec(cause) ?? []
  if (status !== undefined) return `HTTP ${Number(status)}`
  throw new Error(`${cause} is not a cause of a wait`)
}

function readAddresses(value: unknown): Addresses {
  const addresses = record(value)
  return Object.fromEntries(
    FAMILIES.flatMap((family) => {
      if (addresses[family] === undefined) return []
      const one = address(addresses[family])
      if (familyOf(one) !== family) throw new Error(`an address is not ${family}`)
      return [[family, one]]
    }),
  )
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('an object is missing')
  return value as Record<string, unknown>
}

function listIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('a list is missing')
  return value
}

const mapValues = <V, T>(values: Readonly<Record<string, V>>, change: (value: V) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))

function string(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a string is missing')
  return value
}

function address(value: unknown): Address {
  const parsed = parseAddress(string(value))
  if (parsed === undefined) throw new Error('an address is missing')
  return parsed
}

function boolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error('a truth value is missing')
  return value
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error('a number is missing')
  return value
}

function moment(value: unknown): Instant {
  const at = parseInstant(string(value))
  if (at === undefined) throw new Error('a time is missing')
  return at
}
