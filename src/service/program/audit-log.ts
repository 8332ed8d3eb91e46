import { never } from '../../shared/base/result.ts'
import { formatInstant, type Instant } from '../../shared/base/time.ts'
import type { Log } from '../../shared/ports/log.ts'
import type { Audit, AuditEvent } from '../model/audit.ts'

/** Lines on refused logins: of one peer, and of all peers, in one period. */
const MAX_LINES = { perPeer: 20, all: 1000 } as const
/** In milliseconds. */
const PERIOD = 10 * 60_000

/**
 * One line in the log for each event. Refused logins are rationed, so that guesses cannot fill a disk; what was left out is
 * counted. `now` is in milliseconds.
 */
export function auditLog(log: Log, now: () => number): Audit {
  const ration = lineRation(now, (count) =>
    log('warn', 'further refused logins', {
      fields: { count },
      line: `${count} further refused logins were not logged`,
    }),
  )
  return (event) => {
    if (isRationed(event) && !ration(event.peer)) return
    const { kind, ...fields } = event
    log(LEVELS[kind], kind, { fields: shown(fields), line: auditLine(event) })
  }
}

const RATIONED = ['loginRefused', 'secondFactorMissing', 'unreadable'] as const
type Rationed = (typeof RATIONED)[number]

/** Strangers and devices repeat these as often as they like. */
const isRationed = (event: AuditEvent): event is Extract<AuditEvent, { readonly kind: Rationed }> =>
  RATIONED.includes(event.kind as Rationed)

const LEVELS = {
  loginRefused: 'info',
  secondFactorMissing: 'info',
  unreadable: 'info',
  lockedOut: 'warn',
  signedIn: 'info',
  blocked: 'warn',
  blockEnded: 'info',
  changed: 'info',
  operated: 'info',
} as const satisfies Record<AuditEvent['kind'], unknown>

const ENDPOINT = { update: '/nic/update', api: '/v1', dns: 'DNS', factor: 'the second factor' } as const

/** The filter of fail2ban in config/fail2ban reads refused logins and lockouts, and nothing that had the right password. */
function auditLine(event: AuditEvent): string {
  switch (event.kind) {
    case 'loginRefused': {
      const whose = event.username === undefined ? '' : ` for ${loggable(nameOrSecret(event.username))}`
      return `login refused at ${ENDPOINT[event.endpoint]} from ${event.peer}${whose}`
    }
    case 'secondFactorMissing':
      return (
        `password of ${loggable(nameOrSecret(event.username))} from ${event.peer}, ` +
        'and the account has or needs a second factor: update with a DDNS key instead'
      )
    case 'unreadable':
      return `${event.username} from ${event.peer} sent ${loggable(event.items)}, which is not an address`
    case 'lockedOut':
      if (event.lacksFactor === true)
        return `account passwords from ${event.peer} are not checked for a while: too many without a second factor`
      return (
        `too many failed logins at ${ENDPOINT[event.endpoint]} from ${event.peer}: ` +
        'its account passwords are not checked for a while'
      )
    case 'signedIn':
      return `${event.account}${keyIn(event)} signed in from ${event.peer}`
    case 'blocked':
      return `${event.username} is blocked for abuse until ${formatInstant(event.until)}, last request from ${event.peer}`
    case 'blockEnded':
      return `the block of ${event.username} is over, request from ${event.peer}`
    case 'changed':
      return `${event.account}${keyIn(event)} did ${event.operation} on ${loggable(event.subject)} from ${event.peer}`
    case 'operated':
      return (
        `operator ${loggable(event.operator)} did ${event.operation} ` +
        `on ${loggable(event.subject)} at ${formatInstant(event.at)}`
      )
    default:
      return never(event)
  }
}

interface KeyOfEvent {
  readonly apiKey: number | undefined
  readonly tsigKey?: string
}

function keyIn({ apiKey, tsigKey }: KeyOfEvent): string {
  if (tsigKey !== undefined) return ` by TSIG key ${tsigKey}`
  return apiKey === undefined ? '' : ` by API key ${apiKey}`
}

/** People send a key in the place of the username; what looks like a generated secret is not written. */
const nameOrSecret = (username: string): string =>
  /^[A-Za-z0-9]{21}$/.test(username) ? 'a secret' : username.slice(0, MAX_NAME_LENGTH)

const MAX_NAME_LENGTH = 100

/** Foreign text in one line, without control characters. */
const loggable = (text: string): string =>
  JSON.stringify(text.slice(0, 100)).replaceAll(/[\u007f-\u009f\u2028-\u202e]/g, '?')

const shown = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (key === 'until' || key === 'at') return [key, formatInstant(value as Instant)]
      return [key, key === 'username' && typeof value === 'string' ? nameOrSecret(value) : value]
    }),
  )

/** Whether a peer may have another line. Tells how many had none when a period is over. */
function lineRation(now: () => number, onLeftOut: (count: number) => void): (peer: string) => boolean {
  let lines = new Map<string, number>()
  let [since, all, leftOut] = [now(), 0, 0]
  return (peer) => {
    if (now() - since >= PERIOD) {
      if (leftOut > 0) onLeftOut(leftOut)
      lines = new Map()
      ;[since, all, leftOut] = [now(), 0, 0]
    }
    const count = (lines.get(peer) ?? 0) + 1
    if (count > MAX_LINES.perPeer || all >= MAX_LINES.all) {
      leftOut++
      return false
    }
    lines.set(peer, count)
    all++
    return true
  }
}
