import { listed } from '../../shared/base/address.ts'
import type { Outcome } from '../report/cause.ts'
import type { AccountReport } from '../report/report.ts'
import { heldLine } from '../report/report-text.ts'
import type { PublicationState } from '../verify/publication.ts'

export type Tone = 'ok' | 'wait' | 'bad'

export interface Appearance {
  readonly tone: Tone
  readonly mark: string
  readonly title: string
  /** For people who do not know DNS. */
  readonly meaning: string
}

/** By the outcome. */
// biome-ignore format: a table
export const APPEARANCES: Readonly<Record<Outcome, Appearance>> = {
  settled:        { tone: 'ok', mark: '✓', title: 'In order',            meaning: 'The service has confirmed the address. The names lead to this network.' },
  addressUnknown: { tone: 'bad',  mark: '!', title: 'No address to publish', meaning: 'No source can tell which public address this network has, so nothing is sent. The names keep the address that was confirmed last.' },
  unreached:      { tone: 'wait', mark: '…', title: 'The service is not reached', meaning: 'Holdfast tries again by itself. Until then the names keep the address that was confirmed last.' },
  waiting:        { tone: 'wait', mark: '…', title: 'Waiting', meaning: 'Nothing is sent before the pause is over. Holdfast continues by itself.' },
  stopped:        { tone: 'bad',  mark: '✗', title: 'Stopped until you act', meaning: 'The service refused, and asking again without a change would be abuse. Nothing is sent for what is stopped until you correct the cause.' },
}

export const UNDER_WAY: Appearance = {
  tone: 'wait',
  mark: '…',
  title: 'An update is on its way',
  meaning: 'The answer of the service is not here yet.',
}
/** For an account whose home line is not the line in use. */
const heldAppearance = (line: string): Appearance => ({
  tone: 'wait',
  mark: '!',
  title: `Unchanged while ${line} is in use`,
  meaning:
    `Traffic leaves by ${line}, and the line before is not known to be dead. ` +
    'The names keep the address that was confirmed last. Nothing to do; to publish the line in use, ' +
    'set follow = "default-route", or allow_vpn = true for a VPN.',
})
const OFFLINE: Appearance = {
  tone: 'wait',
  mark: '–',
  title: 'Offline',
  meaning: 'The names are set offline, as the settings say. They do not lead to this network.',
}

const DIFFERENT: Appearance = {
  tone: 'wait',
  mark: '!',
  title: 'The service has another address',
  meaning:
    'The service answered with another address than the one that was sent. The names may not lead to this network.',
}
const NOT_PUBLISHED: Appearance = {
  tone: 'wait',
  mark: '…',
  title: 'Confirmed, not published yet',
  meaning:
    'The service has confirmed the address, but not all of its name servers give it yet. Most do within a minute.',
}

const LATE: Appearance = {
  tone: 'wait',
  mark: '!',
  title: 'Another address in the DNS',
  meaning:
    'The service has confirmed the address, and its name servers still give another one, so names lead elsewhere.',
}

const isNew = ({ hostnames }: AccountReport): boolean =>
  hostnames.every(({ confirmed }) => listed(confirmed).length === 0)

/** Of an account. */
export function appearanceOf(account: AccountReport): Appearance {
  const { outcome, isDue, hostnames } = account
  if (isDue === true && outcome !== 'stopped') return UNDER_WAY
  if (outcome !== 'settled') return isNew(account) ? withoutNames(APPEARANCES[outcome]) : APPEARANCES[outcome]
  if (hostnames.every(({ isOffline }) => isOffline)) return OFFLINE
  const held = heldLine(account)
  if (held !== undefined) return heldAppearance(held)
  if (hostnames.some(({ different }) => listed(different ?? {}).length > 0)) return DIFFERENT
  const isIn = (...states: readonly PublicationState[]): boolean =>
    hostnames.some(({ published }) => published !== null && states.includes(published.state))
  if (isIn('stale', 'different')) return LATE
  return isIn('pending') ? NOT_PUBLISHED : APPEARANCES.settled
}

/** Before the first confirmation, no name keeps anything. */
const withoutNames = (one: Appearance): Appearance => ({
  ...one,
  meaning: one.meaning.replace(/ [^.]*names keep the address that was confirmed last\./, ''),
})

/** The one that needs a person most first. */
export const TONE_ORDER: readonly Tone[] = ['bad', 'wait', 'ok']
