import type { Level } from '../../base/level.ts'
import type { Instant } from '../../base/time.ts'
import type { Sightings } from '../../net/sighting.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import type { ReplyWord } from '../../protocol/reply.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { Finding } from '../detect/finding.ts'
import type { Note } from '../watch/parts.ts'

/** Everything the agent can tell its operator. The code speaks in facts; only the table below knows English. */
export type AgentEvent =
  | {
      readonly kind: 'looked'
      readonly account: string
      /** The names that this is about. */
      readonly hostnames: readonly string[]
      readonly sightings: Sightings
    }
  | {
      readonly kind: 'sending'
      readonly account: string
      readonly request: UpdateRequest
      readonly to: string
    }
  | { readonly kind: 'keyInClear'; readonly account: string; readonly to: string }
  | {
      readonly kind: 'settled'
      readonly account: string
      readonly hostname: string
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'confirmedDifferent'
      readonly account: string
      readonly hostname: string
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'refused'
      readonly account: string
      readonly hostname: string
      readonly reply: Reply
      readonly sent: UpdateRequest
    }
  | {
      readonly kind: 'notUnderstood'
      readonly account: string
      readonly because: string
      readonly sent: UpdateRequest
    }
  | { readonly kind: 'captivePortal'; readonly account: string; readonly because: string }
  | {
      readonly kind: 'unreached'
      readonly account: string
      readonly because: string
      readonly sent: UpdateRequest
    }
  | { readonly kind: 'waiting'; readonly account: string; readonly until: Instant; readonly because: string }
  | {
      readonly kind: 'stopped'
      readonly account: string
      readonly because: ReplyWord
      readonly since: Instant
      /** Only this name is stopped; without it, the account. */
      readonly hostname?: string
    }
  | { readonly kind: 'offlineRefused'; readonly account: string }
  | Finding
  | Note
  | { readonly kind: 'hinted'; readonly because: string }
  | { readonly kind: 'sleeping'; readonly until: Instant }
  | { readonly kind: 'ended' }
  | { readonly kind: 'stateSetAside'; readonly as: string; readonly because: string }
  | { readonly kind: 'stateNotKept'; readonly because: string }

interface Line {
  readonly level: Level
  readonly says: string
}

// biome-ignore format: a table
export const VOICE: { readonly [K in AgentEvent['kind']]: Line } = {
  looked:             { level: 'debug', says: 'looked for the public address' },
  sending:            { level: 'debug', says: 'asking the service for an update' },
  keyInClear:         { level: 'warn',  says: 'the key travels in clear: this request is not encrypted' },
  settled:            { level: 'info',  says: 'the service holds the address' },
  confirmedDifferent: { level: 'warn',  says: 'confirmed, but different: the service names another address than was sent' },
  refused:            { level: 'debug', says: 'the service refused' },
  notUnderstood:      { level: 'warn',  says: 'the answer was not understood; nothing is confirmed' },
  captivePortal:      { level: 'warn',  says: 'a captive portal seems to answer in place of the service: sign in to this network first' },
  unreached:          { level: 'warn',  says: 'the service was not reached' },
  waiting:            { level: 'warn',  says: 'waiting, as the protocol asks; nothing is sent before' },
  stopped:            { level: 'error', says: 'updates have stopped until you act' },
  offlineRefused:     { level: 'error', says: 'this plan has no offline option; ordinary updates go on' },
  liar:               { level: 'warn',  says: 'a source says another address than those that agree; it is not believed' },
  quarantined:        { level: 'warn',  says: 'a source is left alone for a while' },
  flipping:           { level: 'warn',  says: 'the address comes and goes, as with two uplinks; it is held back until it stays; bind the hostname to an interface' },
  behindAnother:      { level: 'warn',  says: 'the router itself has no public address; nobody can reach you over IPv4 from outside' },
  routerAnswers:      { level: 'info',  says: 'the router tells its address when asked' },
  routerMute:         { level: 'info',  says: 'the router does not tell its address' },
  notAnnounced:       { level: 'info',  says: 'the router changed its address without an announcement that came here; allow UDP from its port 5351 to 5350 for faster updates' },
  probeAnswers:       { level: 'info',  says: 'the router answers for its public address; it is noticed when it loses it' },
  hinted:             { level: 'debug', says: 'something may have changed' },
  sleeping:           { level: 'debug', says: 'nothing to do until then' },
  ended:              { level: 'info',  says: 'asked to stop' },
  stateSetAside:      { level: 'error', says: 'the state file was unreadable and is set aside; starting anew' },
  stateNotKept:       { level: 'error', says: 'the state cannot be kept on disk; stops and waits will not survive a restart' },
}
