import { type Duration, minutes } from '../base/time.ts'

/** What the protocol requires of a client that receives a word. */
export type RequiredAction =
  | { readonly kind: 'settled' }
  | { readonly kind: 'wait'; readonly atLeast: Duration }
  | { readonly kind: 'stop'; readonly liftedBy: StopLift; readonly scope: StopScope }

/** What lifts a stop: a change of this, or `holdfast resume`, which lifts every stop. Never time, never a restart. */
type StopLift = keyof typeof LIFTS
/** How far a stop reaches: `hostname` may be narrowed to one name by a setting, `feature` to one option of the request. */
export type StopScope = 'account' | 'hostname' | 'feature'

/** For each lift, which fingerprint of the settings must change, and the change in words. */
// biome-ignore format: a table
export const LIFTS = {
  credentials:  { fingerprint: 'credentials', change: 'the credentials change' },
  // A stop is stored with its hostname, so that another hostname never has it.
  hostname:     { fingerprint: 'credentials', change: 'the hostname or the credentials change' },
  'user-agent': { fingerprint: 'agent',       change: 'the version of Holdfast or its User-Agent changes' },
  settings:     { fingerprint: 'settings',    change: 'the settings of the account change' },
  resume:       { fingerprint: undefined,     change: undefined },
} as const satisfies Record<string, { readonly fingerprint: string | undefined; readonly change: string | undefined }>

interface ReplyRow {
  readonly carries: 'addresses' | 'nothing'
  /** Whether the word is about one hostname, a line each, or about the account, once for all. */
  readonly about: 'hostname' | 'account'
  readonly action: RequiredAction
  /** Of several words that forbid, the one of the highest severity is obeyed. */
  readonly severity: number
  /** The HTTP status that a service sends it with: `badauth` with 401, because some clients wait for a challenge. */
  readonly status: 200 | 401 | 500
  readonly meaning: string
  /** The same, for a service whose protocol lacks this word. */
  readonly elsewhere?: string
  /** What the user does about it, for words that stop a client; with the nouns of the service in braces. */
  readonly remedy?: string
}

/** What things are called at a service. */
export interface ServiceNouns {
  /** Its name; undefined where only its address is known. */
  readonly service?: string
  readonly secret: string
  readonly hasUsername: boolean
  /** Its protocol has the words of the specification; those of any other one stay inside this program. */
  readonly speaksWords: boolean
}

/** Those of the specification. */
export const PLAIN_NOUNS: ServiceNouns = {
  secret: 'password of the DDNS key',
  hasUsername: true,
  speaksWords: true,
}

const withNouns = (text: string, { secret, hasUsername, service }: ServiceNouns): string =>
  text
    .replaceAll('{credentials}', hasUsername ? `username or the ${secret}` : secret)
    .replaceAll('{secret}', secret)
    .replaceAll('{key}', secret.endsWith('DDNS key') ? 'this DDNS key' : 'this account')
    .replaceAll('{service}', service ?? 'the service')

const settled: RequiredAction = { kind: 'settled' }
/** Spec, "Response texts": how long to wait after `911`. */
export const MIN_WAIT = minutes(30)
const waitAtLeast = (atLeast: Duration): RequiredAction => ({ kind: 'wait', atLeast })
const stop = (scope: StopScope, liftedBy: StopLift): RequiredAction => ({ kind: 'stop', liftedBy, scope })

/** Spec, "Response texts". One row per word; nothing else in the program may spell these words. */
// biome-ignore format: a table
export const REPLIES = {
  good:       { carries: 'addresses', about: 'hostname', status: 200, severity: 0, action: settled,                       meaning: 'update succeeded' },
  nochg:      { carries: 'addresses', about: 'hostname', status: 200, severity: 0, action: settled,                       meaning: 'address already current' },
  nohost:     { carries: 'nothing',   about: 'hostname', status: 200, severity: 2, action: stop('hostname', 'hostname'),  meaning: 'no such hostname under this account', elsewhere: '{service} does not have this hostname',
    remedy: 'check the spelling of the hostname, and that it is attached to {key}; correct the settings if they are wrong; then run holdfast resume' },
  badauth:    { carries: 'nothing',   about: 'account',  status: 401, severity: 4, action: stop('account', 'credentials'), meaning: 'invalid username and password', elsewhere: '{service} refuses the {credentials}',
    remedy: 'correct the {credentials}; then run holdfast resume' },
  badagent:   { carries: 'nothing',   about: 'account',  status: 200, severity: 5, action: stop('account', 'user-agent'), meaning: 'client disabled', elsewhere: '{service} does not accept this program',
    remedy: 'the service does not accept this program: update Holdfast, or set user_agent or contact as the service asks; then run holdfast resume' },
  '!donator': { carries: 'nothing',   about: 'account',  status: 200, severity: 3, action: stop('feature', 'settings'),   meaning: 'feature not available to this user', elsewhere: '{service} refuses the request',
    remedy: 'the request used a feature that this plan lacks: change the settings or the plan; then run holdfast resume' },
  abuse:      { carries: 'nothing',   about: 'account',  status: 200, severity: 6, action: stop('account', 'resume'),     meaning: 'username blocked for abuse', elsewhere: '{service} has blocked this account',
    remedy: 'the service has blocked this username: ask its support to remove the block, then run holdfast resume' },
  '911':      { carries: 'nothing',   about: 'account',  status: 500, severity: 1, action: waitAtLeast(MIN_WAIT),         meaning: 'fatal error at the service', elsewhere: '{service} has a fault' },
} as const satisfies Record<string, ReplyRow>

export type ReplyWord = keyof typeof REPLIES
type Rows = typeof REPLIES
export type AddressedWord = {
  [W in ReplyWord]: Rows[W]['carries'] extends 'addresses' ? W : never
}[ReplyWord]
export type BareWord = Exclude<ReplyWord, AddressedWord>
type AccountWord = { [W in ReplyWord]: Rows[W]['about'] extends 'account' ? W : never }[ReplyWord]

/** What an answer of another protocol comes to. */
export const MEANINGS = {
  changed: 'good',
  current: 'nochg',
  fault: '911',
} as const satisfies Record<string, ReplyWord>

export const REPLY_WORDS = Object.keys(REPLIES) as readonly ReplyWord[]
export const severityOf = (word: ReplyWord): number => REPLIES[word].severity
/** Whether the service has changed its records, and not only found them current. */
export const isChangeReply = (word: string): boolean => word === 'good'

export const actionOf = (word: ReplyWord): RequiredAction => REPLIES[word].action
export const statusOf = (word: ReplyWord): number => REPLIES[word].status
/** Of the word that was sent, where it is one of this program. */
export function meaningOfWord(word: ReplyWord, said = '', nouns: ServiceNouns = PLAIN_NOUNS): string {
  if (isLocalWord(said)) return withNouns(LOCAL_WORDS[said].meaning, nouns)
  const { meaning, elsewhere = meaning }: ReplyRow = REPLIES[word]
  return nouns.speaksWords ? meaning : withNouns(elsewhere, nouns)
}

/** Of the word that was sent, or of the one that it is like. Undefined for a word that needs nothing of the user. */
export const remedyFor = (word: string, said = '', nouns: ServiceNouns = PLAIN_NOUNS): string | undefined => {
  if (isLocalWord(said)) return withNouns(LOCAL_WORDS[said].remedy, nouns)
  const remedy = isReplyWord(word) ? (REPLIES[word] as ReplyRow).remedy : undefined
  return remedy === undefined ? undefined : withNouns(remedy, nouns)
}
/** When a stop ends, in words that follow "until". */
export const liftWording = (liftedBy: StopLift): string => {
  const { change } = LIFTS[liftedBy]
  return change === undefined ? 'you run holdfast resume' : `${change}, or you run holdfast resume`
}
export const isReplyWord = (text: string): text is ReplyWord => Object.hasOwn(REPLIES, text)
export const isAddressedWord = (word: ReplyWord): word is AddressedWord =>
  REPLIES[word].carries === 'addresses'
export const isAccountWord = (word: ReplyWord): word is AccountWord => REPLIES[word].about === 'account'

/**
 * Words that other services of this family answer with, beyond the specification: the reply word that each is handled
 * like (decision 0040), and its meaning. Sources: the Dyn update API's return codes and the public documentation of the
 * services that still use them.
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
  notdyn:    { like: 'nohost',   meaning: 'the hostname is not dynamic' },
  notfound:  { like: 'nohost',   meaning: 'there is no such hostname' },
  noipv6:    { like: 'nohost',   meaning: 'the hostname cannot have an IPv6 address at this service; set ipv6 = false' },
  badrequest: { like: '!donator', meaning: 'the service does not understand the request' },
  badauth2:  { like: 'badauth',  meaning: 'the user may not change this hostname' },
  unauth:    { like: 'badauth',  meaning: 'the user may not update' },
  blocked:   { like: 'badagent', meaning: 'the service has blocked this program' },
  servererror: { like: '911',    meaning: 'the service has a fault' },
  toomanyrequests: { like: '911', meaning: 'too many requests in a short time' },
  toosoon:   { like: '911',      meaning: 'the last request was too short a time ago' },
  too_freq:  { like: '911',      meaning: 'the last request was too short a time ago' },
} as const satisfies Record<string, { readonly like: BareWord; readonly meaning: string }>

export type FamilyWord = keyof typeof FAMILY_WORDS
export const isFamilyWord = (text: string): text is FamilyWord => Object.hasOwn(FAMILY_WORDS, text)

/**
 * What services of other protocols refuse, in words of this program: each is handled like a reply word, and has a
 * meaning and a remedy of its own.
 */
// biome-ignore format: a table
export const LOCAL_WORDS = {
  'no-zone':            { like: 'nohost',   meaning: 'the account has no zone for this hostname',
    remedy: 'check the spelling of the hostname and the zone, and that the {secret} may see the zone; then run holdfast resume' },
  'zone-needed':        { like: 'nohost',   meaning: 'the account has more zones than the service lists at once',
    remedy: 'set zone to the zone of the hostname; then run holdfast resume' },
  'no-record':          { like: 'nohost',   meaning: 'the hostname has no record of this type',
    remedy: 'make the record at the service, or set create = true; then run holdfast resume' },
  'conflicting-record': { like: 'nohost',   meaning: 'the hostname has a record that excludes an address, such as CNAME',
    remedy: 'remove that record at the service; then run holdfast resume' },
  'several-records':    { like: 'nohost',   meaning: 'the hostname has several addresses of this family',
    remedy: 'remove all but one of them at the service; then run holdfast resume' },
  'not-opted-in':       { like: 'nohost',   meaning: 'the domain does not allow changes by the API',
    remedy: 'allow API access for the domain at the service; then run holdfast resume' },
  'wrong-name-or-token': { like: 'nohost',  meaning: 'the hostname or the {secret} is wrong; {service} does not say which',
    remedy: 'check the spelling of the hostname, and the {secret}; then run holdfast resume' },
  'not-allowed':        { like: 'nohost',   meaning: 'the name server refuses changes of this hostname with this key',
    remedy: 'check the key, and what the policy of the name server lets it change; then run holdfast resume' },
  plan:                 { like: '!donator', meaning: 'the plan of the account does not allow this',
    remedy: 'change the plan at the service; then run holdfast resume' },
} as const satisfies Record<string, { readonly like: BareWord; readonly meaning: string; readonly remedy: string }>

export type LocalWord = keyof typeof LOCAL_WORDS
export const isLocalWord = (text: string): text is LocalWord => Object.hasOwn(LOCAL_WORDS, text)
