import type { Sign } from '../detect/line/decide-line.ts'
import type { Level } from '../../shared/base/level.ts'
import { formatDuration, type Instant } from '../../shared/base/time.ts'
import { type Address, FAMILY_NAMES, listed } from '../../shared/base/address.ts'
import { formatNat, type Nat, natMeaning } from '../../shared/base/nat.ts'
import { isLocalWord, REPLIES } from '../../shared/protocol/reply.ts'
import { withQuote } from '../../shared/protocol/said-text.ts'
import type { PaceDelay } from '../decide/pace.ts'
import type { WaitCause } from '../decide/state.ts'
import { formatPublication, PUBLICATION_ADVICE } from '../verify/publication-text.ts'
import { HINTS } from '../detect/watch/hint.ts'
import type { AgentEvent } from './events.ts'
import { formatReply } from '../../shared/protocol/reply-codec.ts'

/** How a line shows an account and a moment. */
export interface EventFormat {
  readonly account: (key: string) => string
  readonly time: (at: Instant) => string
}

type EventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { kind: K }>

interface WordingRow<K extends AgentEvent['kind']> {
  readonly level: Level
  /** The same text for every event of this kind, for programs. */
  readonly msg: string
  /** One line for a person: what happened, what it means, what to do. */
  readonly line: (event: EventOf<K>, format: EventFormat) => string
}

/** The setting that delays a request. */
export const formatPace = ({ limit, max }: Pick<PaceDelay, 'limit' | 'max'>): string =>
  limit === 'gap'
    ? 'the setting min_gap (the minimum time between two requests)'
    : `the setting pace (at most ${max} ${max === 1 ? limit.replace(/s$/, '') : limit} in five minutes)`

/** At most three names, or two and the count of the rest. */
export const listHostnames = (hostnames: readonly string[]): string =>
  hostnames.length > 3
    ? `${hostnames.slice(0, 2).join(', ')} and ${hostnames.length - 2} more`
    : hostnames.join(', ')
const sentAddresses = ({ sent }: Pick<EventOf<'settled'>, 'sent'>): string =>
  listed(sent.addresses).join(' and ')

/** Which line a hostname is for, where the kernel and this program choose otherwise. */
const ONE_LINE =
  'To use only one line, bind the hostname to its interface; ' +
  'to publish the address that outside services see, set allow_vpn = true'

// biome-ignore format: a table
const WORDING: { readonly [K in AgentEvent['kind']]: WordingRow<K> } = {
  looked:             { level: 'debug', msg: 'asked the address sources',
    line: ({ hostnames, sightings }) => `${listHostnames(hostnames)}: ${formatSightings(sightings)}` },
  sending:            { level: 'debug', msg: 'sending an update request',
    line: ({ account, request, to }, format) => `${format.account(account)}: sending ${listed(request.addresses).join(' and ') || 'an update'} for ${listHostnames(request.hostnames)} to ${to.split('?')[0]}` },
  keyInClear:         { level: 'warn',  msg: 'the request is not encrypted; the password is sent in clear text',
    line: ({ account, to }, format) => `${format.account(account)}: the request to ${to} is not encrypted; the password is sent in clear text` },
  movedToHttps:       { level: 'warn',  msg: 'the service redirects to https; write https in server',
    line: ({ account }, format) => `${format.account(account)}: the service redirects to https, and the password was sent in clear text first; write https:// in server` },
  settled:            { level: 'info',  msg: 'the service confirmed the address',
    line: (event) => `${event.hostname}: the service confirmed ${sentAddresses(event) || formatReply(event.reply)} (${event.reply.word}: ${REPLIES[event.reply.word].meaning})` },
  confirmedDifferent: { level: 'warn',  msg: 'the service confirmed an address other than the one sent',
    line: (event) => `${event.hostname}: ${sentAddresses(event)} was sent, but the service confirmed ${formatReply(event.reply)}; it is not sent again until the address changes` },
  unechoed:           { level: 'warn',  msg: 'the service did not confirm one of the addresses',
    line: (event) => `${event.hostname}: ${event.sent.addresses[event.family]} was sent, but the answer (${formatReply(event.reply)}) does not name it; ` +
      `the ${FAMILY_NAMES[event.family]} address is not confirmed${event.family === 'v6' ? '; if the service needs it, set ipv6_parameter = "myipv6"' : ''}` },
  refused:            { level: 'debug', msg: 'the service refused the update',
    line: ({ hostname, reply }) => withQuote(`${hostname}: the service refused the update, which is handled like ${reply.word}`, reply) },
  notUnderstood:      { level: 'warn',  msg: 'the answer is not a valid reply; nothing is confirmed',
    line: ({ account, because }, format) => `${format.account(account)}: the answer is not a valid reply, so nothing is confirmed: ${because}` },
  captivePortal:      { level: 'warn',  msg: 'a captive portal probably answered instead of the service; sign in to this network',
    line: ({ account }, format) => `${format.account(account)}: a captive portal probably answered instead of the service; open a browser and sign in to this network` },
  unreached:          { level: 'debug', msg: 'the service was not reached',
    line: ({ account, because }, format) => `${format.account(account)}: the service was not reached (${because})` },
  waiting:            { level: 'warn',  msg: 'waiting; nothing is sent until the wait ends',
    line: ({ account, until, because, detail, text }, format) => `${format.account(account)}: waiting because ${text ?? `of the answer of the service, ${formatWaitCause(because, detail)}`}; next attempt ${format.time(until)}` },
  paced:              { level: 'warn',  msg: 'an update is delayed by the rate limit of this client',
    line: (event, format) => `${format.account(event.account)}: the update is delayed by ${formatPace(event)}; next attempt ${format.time(event.until)}, with the newest address` },
  retrying:           { level: 'warn',  msg: 'the service was not reached; it is retried',
    line: ({ account, until, because }, format) => `${format.account(account)}: the service was not reached (${because}); next attempt ${format.time(until)}` },
  stopped:            { level: 'error', msg: 'updates have stopped until you act',
    line: ({ account, text, remedy, hostname }, format) => `${hostname ?? format.account(account)}: stopped until you act, because ${text}${remedy === undefined ? '' : `. What to do: ${remedy}`}` },
  offlineRefused:     { level: 'error', msg: 'the plan of this account has no offline option; ordinary updates continue',
    line: ({ account }, format) => `${format.account(account)}: the plan of this account has no offline option; ordinary updates continue; set offline = false, or change the plan` },
  published:          { level: 'info',  msg: 'the name servers give the confirmed address',
    line: ({ hostname, publication }) => `${hostname}: ${formatPublication(publication)}` },
  notPublished:       { level: 'warn',  msg: 'some name servers do not give the confirmed address',
    line: ({ hostname, publication }) => `${hostname}: ${formatPublication(publication)}. ${PUBLICATION_ADVICE[publication.state]}` },
  unverified:         { level: 'info',  msg: 'the name servers cannot be asked for the confirmed address',
    line: ({ hostname, publication }) => `${hostname}: ${formatPublication(publication)}. ${PUBLICATION_ADVICE[publication.state]}` },
  addressUnknown:     { level: 'warn',  msg: 'the public address is unknown; nothing is sent',
    line: ({ hostnames, family, because }) => `${listHostnames(hostnames)}: the public ${family === undefined ? '' : `${FAMILY_NAMES[family]} `}address is unknown, so it is not sent: ${because}; holdfast detect shows the answer of each source` },
  addressKnown:       { level: 'info',  msg: 'the public address is known again',
    line: ({ hostnames, family, address }) => `${listHostnames(hostnames)}: the public ${FAMILY_NAMES[family]} address is known again: ${address}` },
  familyGone:         { level: 'warn',  msg: 'this host lost its address of a family that is still published',
    line: ({ hostnames, family, address }) => `${listHostnames(hostnames)}: this host has no ${FAMILY_NAMES[family]} address any more, but the service still publishes ${address}; ` +
      `the update protocol cannot delete it, so delete the record at the service if it is wrong` },
  outlier:               { level: 'warn',  msg: 'an outside source disagrees with the quorum and is ignored',
    line: ({ source, reported, agreed }) => `${source} reports ${reported}, but other sources agree on ${agreed}; it is ignored` },
  quarantined:        { level: 'warn',  msg: 'a source is paused',
    line: ({ source, duration, because }) => `${source} is paused for ${formatDuration(duration)}: ${because}` },
  flipping:           { level: 'warn',  msg: 'the address changes back and forth; it is held until it is stable',
    line: ({ address, heldFor }) => `${address} appears and disappears, as with two uplinks; it is held for ${formatDuration(heldFor)}; to publish only one line, bind the hostname to an interface` },
  behindAnother:      { level: 'warn',  msg: 'the router does not have the public address of this network',
    line: ({ nat, outside }) => natLine(nat, outside) },
  lineHeld:           { level: 'warn',  msg: 'traffic leaves by another line; its address is not published',
    line: (event) => lineHeldText(event) },
  lineHeldLong:       { level: 'warn',  msg: 'traffic has left by another line for a day; its address is not published',
    line: ({ through, addresses }) => `traffic has left by ${through} for a day, and ${addresses.join(' and ') || 'nothing'} stays published; ` +
      `if ${through} is right, set follow = "default-route", or allow_vpn = true for a VPN` },
  lineChanged:        { level: 'info',  msg: 'traffic leaves by another line; its address is published from now on',
    line: (event) => lineChangedText(event) },
  orderMoved:         { level: 'info',  msg: 'another line of the order is published from now on',
    line: ({ from, to, sign }) => sign === undefined ? `${to} is up again, and takes the place of ${from}` : `${from} is dead (${SIGNS[sign]}); now ${to}` },
  elsewhere:          { level: 'warn',  msg: 'outside services see another line; its address is not published',
    line: ({ published, outside, through, isAgain }) => isAgain
      ? `outside services see another line again (${through ?? outside}); its address is not published`
      : through !== undefined
      ? `some outside questions leave through ${through}, by a rule for certain ports or hosts; their answers do not count, and ` +
        `${published === undefined ? 'the address of this line cannot be confirmed' : `${published} stays published`}. ${ONE_LINE}`
      : `outside services see ${outside}, and no route of this host shows why: ` +
        `${published === undefined ? 'the address of this line cannot be confirmed' : `the router or an interface still reports ${published}, which stays published`}. ` +
        `The router may have a second line or a VPN. ${ONE_LINE}` },
  leavesElsewhere:    { level: 'warn',  msg: 'traffic of the bound interface leaves through another interface',
    line: ({ interface: bound, through }) => `traffic from ${bound} leaves through ${through}, so outside services cannot see the address of ${bound}; ` +
      `add a routing rule, such as: ip rule add from ADDRESS-OF-${bound} table N, with a default route through ${bound} in table N` },
  routerAnswers:      { level: 'info',  msg: 'the router reports its public address',
    line: ({ by }) => `the router reports its public address (${by === 'natPmp' ? 'NAT-PMP' : 'UPnP'})` },
  routerMute:         { level: 'info',  msg: 'the router does not report its public address',
    line: () => 'the router does not report its public address' },
  notAnnounced:       { level: 'info',  msg: 'the router changed its address without an announcement',
    line: ({ gateway }) => `the address of the router changed, but no announcement arrived; if a firewall runs on this host, allow UDP from ${gateway} port 5351 to port 5350 for faster updates` },
  probeAnswers:       { level: 'info',  msg: 'a router answers at the public address; its loss is noticed',
    line: ({ hops }) => `${routerAt(hops)} answers at the public address, so the loss of that address is noticed within seconds` },
  pingAnswers:        { level: 'info',  msg: 'a router answers pings to the public address; its loss is noticed in a tenth of a second',
    line: ({ hops }) => `${routerAt(hops)} answers pings to the public address, so the loss of that address is noticed in a tenth of a second` },
  kernelWatchMissing: { level: 'warn',  msg: 'the kernel does not report changes; the interfaces are read every 5 s',
    line: ({ because }) => `the kernel does not report changes (${because}); the interfaces are read every 5 s instead` },
  watcherFailed:      { level: 'error', msg: 'a watcher failed and is restarted',
    line: ({ watcher, because }) => `the ${watcher} watcher failed and is restarted in 5 s: ${because}` },
  hinted:             { level: 'debug', msg: 'something may have changed',
    line: ({ because }) => `something may have changed: ${HINTS[because].text}` },
  sleeping:           { level: 'debug', msg: 'nothing to do until then',
    line: ({ until }, format) => `nothing to do until ${format.time(until)}` },
  ended:              { level: 'info',  msg: 'asked to stop',
    line: () => 'asked to stop' },
  stateSetAside:      { level: 'error', msg: 'the state file could not be read and is set aside',
    line: ({ as, because, isSalvaged }) => `the state file could not be read (${because}) and is ${isSalvaged ? 'copied' : 'renamed'} to ${as}; ${lostWith(isSalvaged)}` },
  stateOutdated:      { level: 'error', msg: 'the saved state is missing, or older than the last one',
    line: ({ folder, saved, isMissing }, format) => `${isMissing ? 'there is no state' : 'the state is an older one'} in ${folder}, although one was saved at ${format.time(saved)}: stops, waits and ` +
      `confirmed addresses since then are lost; if it was not you who ${isMissing ? 'deleted it' : 'restored a copy'}, look for the cause` },
  stateUnreadable:    { level: 'error', msg: 'the state file cannot be read',
    line: ({ path, because, isSalvaged }) => `${path} cannot be read (${because}); an update renames it; ${lostWith(isSalvaged)}` },
  stateSavedElsewhere: { level: 'warn', msg: 'the state is saved in another folder',
    line: ({ folder, instead, because }) => `${folder} is not writable (${because}); stops and waits are saved in ${instead}, where a reboot may delete them; make ${folder} writable` },
  stateSavedAgain:    { level: 'info',  msg: 'the state can be saved again',
    line: ({ folder }) => `the state is saved again, in ${folder}` },
  stateNotSaved:      { level: 'error', msg: 'the state cannot be saved; stops and waits are lost when this process ends',
    line: ({ because }) => `the state cannot be saved (${because}); stops and waits are lost when this process ends; name a writable folder with --state-dir` },
}

/** One sentence, and what to do. Only what the kernel calls a tunnel or IPsec is called a VPN. */
export function lineHeldText(event: Omit<EventOf<'lineHeld'>, 'kind'>): string {
  const { because, through, addresses, isVpn, home } = event
  const stays = addresses.length === 0 ? 'Nothing is published' : `${addresses.join(' and ')} stays published`
  const way = isVpn
    ? `${through} takes the traffic of this host, as a VPN does`
    : `traffic leaves by ${through}, which is not the line of this host`
  const follow = isVpn
    ? 'to publish the address of the VPN, set allow_vpn = true'
    : `if ${through} is right, set follow = "default-route"`
  if (because === 'first line, over another')
    return (
      `${way}, and outside services cannot confirm the address of the line beneath. ` +
      `${stays} until ${through} is down; ${follow}`
    )
  if (because === 'old line dead, over another')
    return `${way}, and the line before is dead. ${stays} until ${through} is down; ${follow}`
  return isVpn
    ? `${way}. ${stays}. Nothing to do; ${follow}`
    : `${way}: ${home ?? 'that one'} still lives. ${stays}. Nothing to do; ${follow}`
}

// biome-ignore format: a table
const SIGNS: { readonly [S in Sign]: string } = {
  address: 'this host has no address on it any more',
  gateway: 'its gateway does not answer',
  beyond:  'nothing beyond its gateway answers',
  word:    'its router has no public address',
  route:   'no route leads through it',
}

export function lineChangedText({ because, from, to, sign }: Omit<EventOf<'lineChanged'>, 'kind'>): string {
  if (because === 'back to a known line') return `back on ${to}`
  if (because === 'nothing else carries it')
    return `the line through ${from} is left (${SIGNS.route}); now ${to}`
  return sign === undefined
    ? `the line through ${from} is left (${because}); now ${to}`
    : `the line through ${from} is dead (${SIGNS[sign]}); now ${to}`
}

export const natLine = (nat: Nat, outside: Address): string =>
  `${nat.kind}: ${formatNat(nat, outside)}; ${natMeaning(nat)}`

/** The row of one event, typed for it. */
export const wordingOf = <K extends AgentEvent['kind']>(event: EventOf<K>): WordingRow<K> =>
  (WORDING as { readonly [Kind in K]: WordingRow<Kind> })[event.kind]

/** A reply word, with what the service wrote where that is another word with the same meaning. */
const formatObeyedWord = (word: string, said: string | undefined): string =>
  said === undefined ? word : `${said}, which is handled like ${word}`

/** What the service wrote; or which refusal of another protocol a word of this program stands for. */
export const wordRemark = (word: string, said: string): string =>
  isLocalWord(said)
    ? `${said}, which holdfast explain ${said} explains`
    : `the service answered ${formatObeyedWord(word, said)}`

/** What a damaged state file costs. */
const lostWith = (isSalvaged: boolean): string =>
  isSalvaged
    ? 'its stops and waits remain in force, but its confirmed addresses are lost'
    : 'its stops, waits and confirmed addresses are lost'

/** A reply word, an HTTP status, or "invalid reply". */
export const waitCauseName = (cause: WaitCause): string =>
  cause === 'unrecognized-reply' ? 'invalid reply' : cause

/** The answer that causes a wait, with what is known of it. */
function formatWaitCause(cause: WaitCause, detail: string): string {
  const name = waitCauseName(cause)
  return detail === '' ? name : `${name}: ${detail}`
}

function formatSightings(sightings: EventOf<'looked'>['sightings']): string {
  const parts = (['v4', 'v6'] as const).flatMap((family) => {
    const sighting = sightings[family]
    if (sighting === undefined) return []
    if (sighting.kind === 'seen') return [`${sighting.address} (${sighting.by})`]
    return [
      sighting.kind === 'none'
        ? `no ${FAMILY_NAMES[family]}`
        : `${FAMILY_NAMES[family]} unknown (${sighting.answers ?? sighting.because})`,
    ]
  })
  return parts.join(', ')
}

/** A modem, the provider, or the host of a container has the address then. */
const routerAt = (hops: number): string => (hops === 1 ? 'the router' : 'a router beyond the first one')
