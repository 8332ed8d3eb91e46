import type { DnsSending } from '../../src/client/agent/send/dns-exchange.ts'
import { expect } from 'vitest'
import {
  days,
  type Duration,
  formatDuration,
  type Instant,
  instant,
  minutes,
  seconds,
} from '../../src/shared/base/time.ts'
import { type AccountJob, type Agent, makeInbox } from '../../src/client/agent/agent.ts'
import type { AgentEvent } from '../../src/client/agent/events.ts'
import { nicUpdate, type NicUpdateService } from '../../src/client/services/protocols/nic-update.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import { NEW_STATE } from '../../src/client/decide/state.ts'
import { formatState, parseState } from '../../src/client/agent/memory/codec.ts'
import type { AddressProvider } from '../../src/client/detect/sources/provider.ts'
import { parseAddress } from '../../src/shared/base/address.ts'
import { Secret } from '../../src/shared/base/secret.ts'
import { PLAIN_FORM, UPDATE_PATH } from '../../src/shared/protocol/request.ts'
import { toWire } from '../../src/shared/platform/http/service.ts'
import type { HttpOutcome } from '../../src/shared/ports/http.ts'

export const START = instant(Date.UTC(2026, 0, 1))

/** No name server is asked. */
export const NO_DNS: DnsSending = {
  ask: () => Promise.resolve('no name server'),
  wall: () => START,
  newId: () => 1,
}

export const PLAN: DesiredState = {
  account: 'key@service.test',
  hostnames: ['home.example.test'],
  families: ['v4', 'v6'],
  reliesOnConnection: false,
  isOffline: false,
  nohostStops: 'account',
  refreshAfter: days(28),
  endpointCount: 1,
  form: PLAIN_FORM,
  pace: 25,
  fingerprints: { credentials: 'c1', agent: 'a1', settings: 's1' },
}

/** The addresses of this host, by minutes since the start; "unknown v4" or "unknown v6": the sources are silent. */
export type AddressScript = (minute: number) => readonly string[]

/** The text of the state file. */
export interface Disk {
  text: string
}
export const disk = (): Disk => ({ text: formatState(NEW_STATE) })

/** The outcome of one request: a body with status 200, a response, or a failure. */
export type ScriptedOutcome =
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
  /** What was sent, and new stops; each entry starts with the time since the start. */
  readonly log: string[]
  readonly events: AgentEvent[]
  stopAfter(span: Duration): void
}

/** An agent with a clock that jumps, a disk in memory, and a service with scripted outcomes. A request beyond the script throws. */
export function world(
  file: Disk,
  script: ScriptedOutcome[],
  addressesAt: AddressScript = () => ['192.0.2.1'],
  desiredStates: readonly Partial<DesiredState>[] = [{}],
  from: Instant = START,
): World {
  let now: Instant = from
  const log: string[] = []
  const events: AgentEvent[] = []
  const ending = new AbortController()
  let endAt = Infinity
  let saved: unknown
  const record = (text: string): void => void log.push(`${formatDuration((now - START) as Duration)} ${text}`)
  const source: AddressProvider = {
    name: 'script',
    look: async (family) => {
      const texts = addressesAt((now - START) / minutes(1))
      if (texts.includes(`unknown ${family}`)) return { kind: 'unknown', because: 'silent' }
      const seen = texts.flatMap((text) => parseAddress(text) ?? [])
      const address = seen.find((one) => one.includes(':') === (family === 'v6'))
      return address === undefined ? { kind: 'none' } : { kind: 'seen', address, by: 'script' }
    },
  }
  const jobs = desiredStates.map(
    (over): AccountJob => ({
      desired: { ...PLAN, ...over },
      endpoint: { ...endpointTo(serviceFor({ ...PLAN, ...over })), account: { ...PLAN, ...over }.account },
      source,
    }),
  )
  return {
    log,
    events,
    jobs,
    inbox: makeInbox(),
    dns: NO_DNS,
    whenStopped: 'exit',
    onState: () => undefined,
    lines: () => undefined,
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
      jot: () => undefined,
      load: async () => {
        const state = parseState(file.text)
        if (!state.ok) throw new Error(state.error)
        return state.value.state
      },
      reread: () => Promise.resolve(undefined),
      save: async (state) => {
        if (state === saved) return undefined
        saved = state
        file.text = formatState(state)
        const reloaded = parseState(file.text)
        // A restart would load the same state.
        expect(reloaded).toEqual({ ok: true, value: { state } })
        return undefined
      },
    },
    http: async (request): Promise<HttpOutcome> => {
      const { url } = toWire(request)
      const line = script.shift()
      record(`send ${decodeURIComponent(new URL(url).host + new URL(url).search)}`)
      if (line === undefined) throw new Error('the client sent more requests than the script has outcomes')
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
      // The log has new stops only, not those from the disk.
      if (event.kind === 'stopped' && log.length > 0) record(`stopped by ${event.because}`)
    },
    end: ending.signal,
    onInterruption: () => undefined,
    abandon: new AbortController().signal,
    stopAfter: (span) => void (endAt = START + span),
  }
}

export const serviceFor = ({
  endpointCount,
  form,
}: Pick<DesiredState, 'endpointCount' | 'form'> = PLAN): NicUpdateService => ({
  baseUrls: ['https://a.test', 'http://b.test', 'http://c.test:8245'].slice(0, endpointCount),
  credentials: { username: 'key', password: new Secret('swordfish') },
  userAgent: 'Holdfast test/1-1 test@example.test',
  path: UPDATE_PATH,
  dialect: {},
  form,
})

export const endpointTo = (service: NicUpdateService): AccountJob['endpoint'] => ({
  account: PLAN.account,
  protocol: nicUpdate(service),
  credentials: service.credentials,
  secrets: service.form.parameters.flatMap(([, value]) => (typeof value === 'string' ? [] : [value])),
  connectTimeout: seconds(1),
  responseTimeout: seconds(1),
})
