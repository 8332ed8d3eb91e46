import { type Duration, minutes } from '../base/time.ts'

/** What the protocol obliges a client to do on hearing a word. */
export type RequiredAction =
  | { readonly kind: 'settled' }
  | { readonly kind: 'wait'; readonly atLeast: Duration }
  | { readonly kind: 'stop'; readonly until: StopEnd; readonly scope: StopScope }

/** What ends a stop: never time, never a restart. */
export type StopEnd = 'new credentials' | 'new settings' | 'user action'
/** How far a stop reaches: `hostname` may be narrowed to one name by a setting, `feature` to one option of the request. */
export type StopScope = 'account' | 'hostname' | 'feature'

interface Row {
  readonly carries: 'addresses' | 'nothing'
  /** Whether the word speaks of one hostname, a line each, or of the account, once for all. */
  readonly about: 'hostname' | 'account'
  readonly action: RequiredAction
  /** Of several words that forbid, the one of the highest severity is obeyed. */
  readonly severity: number
  readonly meaning: string
}

const settled: RequiredAction = { kind: 'settled' }
const waitAtLeast = (atLeast: Duration): RequiredAction => ({ kind: 'wait', atLeast })
const stopUntil = (until: StopEnd, scope: StopScope): RequiredAction => ({ kind: 'stop', until, scope })

/** Spec, "Response texts". One row per word; nothing else in the program may spell these words. */
// biome-ignore format: a table
export const REPLIES = {
  good:       { carries: 'addresses', about: 'hostname', action: settled,                               severity: 0, meaning: 'update succeeded' },
  nochg:      { carries: 'addresses', about: 'hostname', action: settled,                               severity: 0, meaning: 'address already current' },
  nohost:     { carries: 'nothing',   about: 'hostname', action: stopUntil('new credentials', 'hostname'), severity: 2, meaning: 'no such hostname under this account' },
  badauth:    { carries: 'nothing',   about: 'account',  action: stopUntil('new credentials', 'account'), severity: 4, meaning: 'invalid username and password' },
  badagent:   { carries: 'nothing',   about: 'account',  action: stopUntil('user action', 'account'),   severity: 5, meaning: 'client disabled' },
  '!donator': { carries: 'nothing',   about: 'account',  action: stopUntil('new settings', 'feature'),  severity: 3, meaning: 'feature not available to this user' },
  abuse:      { carries: 'nothing',   about: 'account',  action: stopUntil('user action', 'account'),   severity: 6, meaning: 'username blocked for abuse' },
  '911':      { carries: 'nothing',   about: 'account',  action: waitAtLeast(minutes(30)),              severity: 1, meaning: 'fatal error at the service' },
} as const satisfies Record<string, Row>

export type ReplyWord = keyof typeof REPLIES
type Rows = typeof REPLIES
export type AddressedWord = {
  [W in ReplyWord]: Rows[W]['carries'] extends 'addresses' ? W : never
}[ReplyWord]
export type BareWord = Exclude<ReplyWord, AddressedWord>
export type AccountWord = { [W in ReplyWord]: Rows[W]['about'] extends 'account' ? W : never }[ReplyWord]

export const REPLY_WORDS = Object.keys(REPLIES) as readonly ReplyWord[]
export const severityOf = (word: ReplyWord): number => REPLIES[word].severity
export const actionOf = (word: ReplyWord): RequiredAction => REPLIES[word].action
export const isReplyWord = (text: string): text is ReplyWord => Object.hasOwn(REPLIES, text)
export const isAddressedWord = (word: ReplyWord): word is AddressedWord =>
  REPLIES[word].carries === 'addresses'
export const isAccountWord = (word: ReplyWord): word is AccountWord => REPLIES[word].about === 'account'

/**
 * Words that other services of this family answer with, beyond the specification: which of ours each is obeyed like, and what
 * it meaning. Sources: the Dyn update API's return codes and the public documentation of the services that still use them.
 */
// biome-ignore format: a table
export const FAMILY_WORDS = {
  notfqdn:   { like: 'nohost',   meaning: 'the hostname is not a full name, or no hostname was given' },
  nofqdn:    { like: 'nohost',   meaning: 'the hostname is not a full name, or no hostname was given' },
  '!yours':  { like: 'nohost',   meaning: 'the hostname belongs to another user' },
  '!active': { like: 'nohost',   meaning: 'the zone of the hostname is not active yet at the service' },
  numhost:   { like: '!donator', meaning: 'too many hostnames in one request; set batch = 1' },
  badsys:    { like: '!donator', meaning: 'a parameter of the request is missing or wrong for this service' },
  badip:     { like: '911',      meaning: 'the service does not accept this address' },
  dnserr:    { like: '911',      meaning: 'the service has a fault in its own DNS' },
} as const satisfies Record<string, { readonly like: BareWord; readonly meaning: string }>

export type FamilyWord = keyof typeof FAMILY_WORDS
export const isFamilyWord = (text: string): text is FamilyWord => Object.hasOwn(FAMILY_WORDS, text)
