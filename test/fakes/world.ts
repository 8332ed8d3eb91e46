import { expect } from 'vitest'
import {
  type Duration,
  days,
  formatDuration,
  type Instant,
  instant,
  minutes,
  seconds,
} from '../../src/base/time.ts'
import type { Agent } from '../../src/client/agent/agent.ts'
import type { AgentEvent } from '../../src/client/agent/events.ts'
import { makeInbox } from '../../src/client/agent/inbox.ts'
import type { AccountJob } from '../../src/client/agent/loop-state.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import { NEW_STATE } from '../../src/client/decide/state.ts'
import { formatState, parseState } from '../../src/client/memory/codec.ts'
import type { AddressProvider } from '../../src/client/sources/provider.ts'
import { parseAddress } from '../../src/net/address.ts'
import { Secret } from '../../src/net/secret.ts'
import type { HttpOutcome } from '../../src/ports/http.ts'

export const START = instant(Date.UTC(2026, 0, 1))

export const PLAN: DesiredState = {
  account: 'key@service.test',
  hostnames: ['home.example.test'],
  families: ['v4', 'v6'],
  reliesOnConnection: false,
  isOffline: false,
  nohostStops: 'account',
  refreshAfter: days(28),
  endpointCount: 1,
  ipv6Parameter: 'myip',
  pace: 25,
  fingerprints: { credentials: 'c1', agent: 'a1', settings: 's1' },
}

/** What the world shows: addresses by the moment, in minutes after the start. */
export type Sky = (minute: number) => readonly string[]

/** A disk that keeps the text of the state, as the real one does. */
export interface Disk {
  text: string
}
export const disk = (): Disk => ({ text: formatState(NEW_STATE) })

/** What the service says to each request in turn: a body with status 200, a whole answer, or what went wrong. */
export type Line =
  | string
  | {
      readonly status: number
      readonly body: string
      readonly headers?: Record<string, string>
      readonly isCut?: true
    }
  | 'unreached'
  | 'no HTTP'
  | 'bad certificate'

export interface World extends Agent {
  readonly diary: string[]
  readonly events: AgentEvent[]
  stopAfter(span: Duration): void
}

/** A small world: a clock that jumps, a disk that keeps, a service that reads its lines; a script that runs out throws. */
export function world(
  kept: Disk,
  script: Line[],
  sky: Sky = () => ['192.0.2.1'],
  desiredStates: readonly Partial<DesiredState>[] = [{}],
  from: Instant = START,
): World {
  let now: Instant = from
  const diary: string[] = []
  const events: AgentEvent[] = []
  const ending = new AbortController()
  let endAt = Infinity
  let saved: unknown
  const note = (what: string): void => void diary.push(`${formatDuration((now - START) as Duration)} ${what}`)
  const source: AddressProvider = {
    name: 'sky',
    look: async (family) => {
      const seen = sky((now - START) / minutes(1)).flatMap((text) => parseAddress(text) ?? [])
      const address = seen.find((one) => one.includes(':') === (family === 'v6'))
      return address === undefined ? { kind: 'none' } : { kind: 'seen', address, by: 'sky' }
    },
  }
  const jobs = desiredStates.map(
    (over): AccountJob => ({
      desired: { ...PLAN, ...over },
      endpoint: lineFor({ ...PLAN, ...over }),
      source,
    }),
  )
  return {
    diary,
    events,
    jobs: jobs,
    inbox: makeInbox(),
    whenStopped: 'exit',
    onState: () => undefined,
    random: () => 0,
    clock: {
      now: () => now,
      sleep: async (until) => {
        if (until > endAt) ending.abort()
        else now = Math.max(now, until) as Instant
      },
      deadline: () => new AbortController().signal,
    },
    schedule: { nextAfter: (from) => (from + minutes(5)) as Instant },
    mustSave: false,
    memory: {
      folders: ['/state'],
      isSaved: () => true,
      load: async () => {
        const state = parseState(kept.text)
        if (!state.ok) throw new Error(state.error)
        return state.value.state
      },
      reread: () => Promise.resolve(undefined),
      save: async (state) => {
        if (state === saved) return undefined
        saved = state
        kept.text = formatState(state)
        const reloaded = parseState(kept.text)
        // What is obeyed is what a restart would find.
        expect(reloaded).toEqual({ ok: true, value: { state } })
        return undefined
      },
    },
    http: async ({ url }): Promise<HttpOutcome> => {
      const line = script.shift()
      note(`send ${decodeURIComponent(new URL(url).host + new URL(url).search)}`)
      if (line === undefined) throw new Error('the script has run out: the client sent more than it should')
      if (line === 'unreached') return { kind: 'unreached', stage: 'connect', because: 'ECONNREFUSED' }
      if (line === 'no HTTP')
        return { kind: 'unreached', stage: 'malformed', because: 'HPE_INVALID_CONSTANT' }
      if (line === 'bad certificate') return { kind: 'unreached', stage: 'TLS', because: 'self-signed' }
      return typeof line === 'string'
        ? { kind: 'answered', status: 200, headers: {}, body: line }
        : { kind: 'answered', headers: {}, ...line }
    },
    emit: (event) => {
      events.push(event)
      // A stop that was on disk is told at the start; the diary has what is new.
      if (event.kind === 'stopped' && diary.length > 0) note(`stopped by ${event.because}`)
    },
    end: ending.signal,
    abandon: new AbortController().signal,
    stopAfter: (span) => void (endAt = START + span),
  }
}

const lineFor = (desired: DesiredState): AccountJob['endpoint'] => ({
  account: desired.account,
  baseUrls: ['https://a.test', 'http://b.test', 'http://c.test:8245'].slice(0, desired.endpointCount),
  credentials: { username: 'key', password: new Secret('swordfish') },
  userAgent: 'Holdfast test/1-1 test@example.test',
  ipv6Parameter: desired.ipv6Parameter,
  connectTimeout: seconds(1),
  responseTimeout: seconds(1),
})
