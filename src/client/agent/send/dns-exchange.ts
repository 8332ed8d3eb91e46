import type { Duration, Instant } from '../../../shared/base/time.ts'
import type { Observation } from '../../decide/observation.ts'
import {
  type DnsMoment,
  type DnsStep,
  isDnsStep,
  type NameServer,
  type OutgoingUpdate,
} from '../../services/protocols/protocol.ts'

/** Sends messages to a name server on one connection. An answer for each, in any order; or the reason of the failure. */
export type AskNameServer = (
  server: NameServer,
  messages: readonly Uint8Array[],
  limits: { readonly timeout: Duration; readonly signal: AbortSignal },
) => Promise<readonly Uint8Array[] | string>

/** What messages to name servers need. */
export interface DnsSending extends Pick<DnsMoment, 'newId'> {
  readonly ask: AskNameServer
  /** The time of day, which signatures have (RFC 8945 §5.2.3). */
  readonly wall: () => Instant
}

export const nameServerUrl = ({ nameServer: { host, port } }: Pick<DnsStep, 'nameServer'>): string =>
  `dns://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Answers on one connection are told apart by their identifiers (RFC 7766 §6.2.1). */
function distinct(newId: () => number): () => number {
  const used = new Set<number>()
  return () => {
    let id = newId()
    while (used.has(id)) id = newId()
    used.add(id)
    return id
  }
}

/** One observation, as of `exchange`. */
export async function dnsExchange(
  { account, responseTimeout: timeout }: { readonly account: string; readonly responseTimeout: Duration },
  { update, first }: { readonly update: OutgoingUpdate; readonly first: DnsStep },
  { ask, wall, newId, signal }: DnsSending & { readonly signal: AbortSignal },
): Promise<Observation> {
  for (let step = first; ; ) {
    const { messages, read } = step.compose({ now: wall(), newId: distinct(newId) })
    const answers = await ask(step.nameServer, messages, { timeout, signal })
    if (typeof answers === 'string') return { kind: 'unreached', account, because: answers, isTls: false }
    const next = read(answers, wall())
    if (isDnsStep(next)) step = next
    else if (next.kind === 'answered')
      return { kind: 'answered', account, sent: update.request, replies: next.replies }
    else if (next.kind === 'incomplete')
      return { kind: 'unreached', account, because: 'the answer is incomplete', isTls: false }
    else return { ...next, account }
  }
}
