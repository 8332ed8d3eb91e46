import type { Level } from '../../base/level.ts'
import { formatDuration, type Instant } from '../../base/time.ts'
import { type Family, listed } from '../../net/address.ts'
import { isReplyWord, remedyFor, REPLIES } from '../../protocol/reply.ts'
import { formatReply } from '../../protocol/reply-codec.ts'
import { HINTS } from '../watch/hint.ts'
import type { AgentEvent } from './events.ts'

/** How facts are shown to a person: an account by its name, a moment by the local clock. */
export interface EventFormat {
  readonly account: (key: string) => string
  readonly time: (at: Instant) => string
}

type EventOf<K extends AgentEvent['kind']> = Extract<AgentEvent, { kind: K }>

interface Row<K extends AgentEvent['kind']> {
  readonly level: Level
  /** The same for every event of this kind: what a program looks for. */
  readonly msg: string
  /** One line for a person, with what happened. */
  readonly line: (event: EventOf<K>, show: EventFormat) => string
}

export const FAMILY_NAMES: { readonly [F in Family]: string } = { v4: 'IPv4', v6: 'IPv6' }

/** A few names, or how many there are. */
export const listHostnames = (hostnames: readonly string[]): string =>
  hostnames.length > 3
    ? `${hostnames.slice(0, 2).join(', ')} and ${hostnames.length - 2} more`
    : hostnames.join(', ')
const sentTo = ({ sent }: Pick<EventOf<'settled'>, 'sent'>): string => listed(sent.addresses).join(' and ')

// biome-ignore format: a table
export const WORDING: { readonly [K in AgentEvent['kind']]: Row<K> } = {
  looked:             { level: 'debug', msg: 'asked the address sources',
    line: ({ hostnames, sightings }) => `${listHostnames(hostnames)}: ${sighted(sightings)}` },
  sending:            { level: 'debug', msg: 'sending an update request',
    line: ({ account, request, to }, show) => `${show.account(account)}: sending ${listed(request.addresses).join(' and ') || 'an update'} for ${listHostnames(request.hostnames)} to ${to.split('?')[0]}` },
  keyInClear:         { level: 'warn',  msg: 'the request is not encrypted; the password travels in clear',
    line: ({ account, to }, show) => `${show.account(account)}: the request to ${to} is not encrypted; the password travels in clear` },
  settled:            { level: 'info',  msg: 'the service confirmed the address',
    line: (event) => `${event.hostname}: the service confirmed ${sentTo(event) || formatReply(event.reply)} (${event.reply.word}: ${REPLIES[event.reply.word].meaning})` },
  confirmedDifferent: { level: 'warn',  msg: 'confirmed, but different: the service names another address than was sent',
    line: (event) => `${event.hostname}: confirmed, but different: sent ${sentTo(event)}, the service says ${formatReply(event.reply)}` },
  unechoed:           { level: 'warn',  msg: 'the service did not confirm one of the addresses',
    line: (event) => `${event.hostname}: ${event.sent.addresses[event.family]} was sent, but the answer (${formatReply(event.reply)}) does not name it: the ${FAMILY_NAMES[event.family]} address is not confirmed${event.family === 'v6' ? '; some services need ipv6_parameter = "myipv6"' : ''}` },
  refused:            { level: 'debug', msg: 'the service refused',
    line: ({ hostname, reply }) => `${hostname}: the service answered ${reply.word} (${REPLIES[reply.word].meaning})` },
  notUnderstood:      { level: 'warn',  msg: 'the answer was not understood; nothing is confirmed',
    line: ({ account, because }, show) => `${show.account(account)}: the answer was not understood, nothing is confirmed: ${because}` },
  captivePortal:      { level: 'warn',  msg: 'a captive portal seems to answer in place of the service; sign in to this network first',
    line: ({ account }, show) => `${show.account(account)}: a captive portal seems to answer in place of the service; open a browser and sign in to this network` },
  unreached:          { level: 'debug', msg: 'the service was not reached',
    line: ({ account, because }, show) => `${show.account(account)}: the service was not reached (${because})` },
  waiting:            { level: 'warn',  msg: 'waiting; nothing is sent before the wait is over',
    line: ({ account, until, because, detail }, show) => `${show.account(account)}: waiting because the service answered ${formatWaitCause(because, detail)}; next attempt ${show.time(until)}` },
  paced:              { level: 'warn',  msg: 'an update is held back by the pace',
    line: ({ account, until, limit, most }, show) => `${show.account(account)}: the update is held back by the pace (no more than ${most} ${limit} in five minutes); next attempt ${show.time(until)}, with the newest address` },
  retrying:           { level: 'warn',  msg: 'the service was not reached; it is tried again',
    line: ({ account, until, because }, show) => `${show.account(account)}: the service was not reached (${because}); next attempt ${show.time(until)}` },
  stopped:            { level: 'error', msg: 'updates have stopped until you act',
    line: ({ account, because, said, hostname }, show) => `${hostname ?? show.account(account)}: stopped until you act, because the service answered ${formatObeyedWord(because, said)} (${REPLIES[because].meaning})${withRemedy(because)}` },
  offlineRefused:     { level: 'error', msg: 'this plan has no offline option; ordinary updates go on',
    line: ({ account }, show) => `${show.account(account)}: the plan of this account has no offline option; ordinary updates go on` },
  addressUnknown:     { level: 'warn',  msg: 'the public address is not known; nothing is sent',
    line: ({ hostnames, family, because }) => `${listHostnames(hostnames)}: the public ${family === undefined ? '' : `${FAMILY_NAMES[family]} `}address is not known, nothing is sent: ${because}; holdfast detect shows each source` },
  addressKnown:       { level: 'info',  msg: 'the public address is known again',
    line: ({ hostnames, family, address }) => `${listHostnames(hostnames)}: the public ${FAMILY_NAMES[family]} address is known again: ${address}` },
  familyGone:         { level: 'warn',  msg: 'this host has no address of a family that is still published',
    line: ({ hostnames, family, address }) => `${listHostnames(hostnames)}: this host has no ${FAMILY_NAMES[family]} address any more, but the service still publishes ${address}; the protocol cannot take it away` },
  liar:               { level: 'warn',  msg: 'an outside source disagrees with the others and is ignored',
    line: ({ source, said, agreed }) => `${source} says ${said} where others agree on ${agreed}; it is ignored` },
  quarantined:        { level: 'warn',  msg: 'a source is not asked for a while',
    line: ({ source, leftAloneFor, because }) => `${source} is not asked for ${formatDuration(leftAloneFor)}: ${because}` },
  flipping:           { level: 'warn',  msg: 'the address comes and goes; it is held back until it stays',
    line: ({ address, heldFor }) => `${address} comes and goes, as with two uplinks; it is held back for ${formatDuration(heldFor)}; to publish one line only, bind the hostname to an interface` },
  behindAnother:      { level: 'warn',  msg: 'the router has no public address; this host cannot be reached over IPv4 from outside',
    line: ({ router, because }) => `the router has no public address (${router === 'none' ? '' : `${router}: `}${because}); this host cannot be reached over IPv4 from outside` },
  elsewhere:          { level: 'warn',  msg: 'outside services see another line, such as a VPN; its address is not published',
    line: ({ published, outside, through }) => `${through === undefined ? '' : `what this host sends leaves through ${through}; `}outside services see ${outside ?? 'that line'}, ${published === undefined ? 'and the address of this line cannot be confirmed' : `but the router or an interface goes on stating ${published}, which stays published`}: this looks like a VPN. To look only through one line, bind the hostname to its interface; to publish the address of the VPN, set allow_vpn = true` },
  leavesElsewhere:    { level: 'warn',  msg: 'what is sent from the bound interface leaves through another one',
    line: ({ interface: bound, through }) => `what is sent from ${bound} leaves through ${through}, so that outside services cannot tell the address of ${bound}; a rule is missing, such as: ip rule add from ADDRESS-OF-${bound} table N, with a default route through ${bound} in table N` },
  routerAnswers:      { level: 'info',  msg: 'the router tells its address when asked',
    line: ({ by }) => `the router tells its address when asked (${by === 'natPmp' ? 'NAT-PMP' : 'UPnP'})` },
  routerMute:         { level: 'info',  msg: 'the router does not tell its address',
    line: () => 'the router does not tell its address' },
  notAnnounced:       { level: 'info',  msg: 'the router changed its address without an announcement',
    line: ({ gateway }) => `the router changed its address, and no announcement arrived; if a firewall runs on this host, allow UDP from ${gateway} port 5351 to port 5350 for faster updates` },
  probeAnswers:       { level: 'info',  msg: 'the router answers for its public address; losing it is noticed',
    line: () => 'the router answers for its public address, so that losing it is noticed within seconds' },
  kernelWatchMissing: { level: 'warn',  msg: 'the kernel does not tell of changes; the interfaces are read every 5 s',
    line: ({ because }) => `the kernel does not tell of changes (${because}); the interfaces are read every 5 s instead` },
  watcherFailed:      { level: 'error', msg: 'a watcher failed and is started again',
    line: ({ watcher, because }) => `the ${watcher} watcher failed and is started again in 5 s: ${because}` },
  hinted:             { level: 'debug', msg: 'something may have changed',
    line: ({ because }) => `something may have changed: ${HINTS[because].text}` },
  sleeping:           { level: 'debug', msg: 'nothing to do until then',
    line: ({ until }, show) => `nothing to do until ${show.time(until)}` },
  ended:              { level: 'info',  msg: 'asked to stop',
    line: () => 'asked to stop' },
  stateSetAside:      { level: 'error', msg: 'the state file could not be read and is set aside',
    line: ({ as, because }) => `the state file could not be read (${because}) and is renamed to ${as}; stops, waits and confirmed addresses in it are lost` },
  stateSavedElsewhere: { level: 'warn', msg: 'the state is saved in another folder',
    line: ({ folder, instead, because }) => `${folder} is not writable (${because}); stops and waits are saved in ${instead}, where a reboot may delete them; make ${folder} writable` },
  stateNotSaved:      { level: 'error', msg: 'the state cannot be saved; stops and waits are lost when this process ends',
    line: ({ because }) => `the state cannot be saved (${because}); stops and waits are lost when this process ends; name a writable folder with --state-dir` },
}

/** The row of one event, typed for it. */
export const wordingOf = <K extends AgentEvent['kind']>(event: EventOf<K>): Row<K> =>
  (WORDING as { readonly [Kind in K]: Row<Kind> })[event.kind]

export const formatObeyedWord = (word: string, said: string | undefined): string =>
  said === undefined ? word : `${said}, which is obeyed like ${word}`

const withRemedy = (word: string): string => {
  const remedy = remedyFor(word)
  return remedy === undefined ? '' : `. What to do: ${remedy}`
}

/** What the service answered: its word with what it means, its status, or what could not be understood. */
export function formatWaitCause(because: string, detail: string): string {
  if (isReplyWord(because))
    return detail === '' ? `${because} (${REPLIES[because].meaning})` : formatObeyedWord(because, detail)
  const rest = detail === '' ? '' : `: ${detail}`
  return `${because === 'unrecognized-reply' ? 'something that is not a reply' : because}${rest}`
}

function sighted(sightings: EventOf<'looked'>['sightings']): string {
  const parts = (['v4', 'v6'] as const).flatMap((family) => {
    const sighting = sightings[family]
    if (sighting === undefined) return []
    if (sighting.kind === 'seen') return [`${sighting.address} (${sighting.by})`]
    return [
      sighting.kind === 'none'
        ? `no ${FAMILY_NAMES[family]}`
        : `${FAMILY_NAMES[family]} unknown (${sighting.because})`,
    ]
  })
  return parts.join(', ')
}
