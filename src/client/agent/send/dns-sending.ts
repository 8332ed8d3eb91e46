import { type AskNameServer, type DnsSending, nameServerUrl } from './dns-exchange.ts'
import { newQueryId } from '../../../shared/dns/question.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { QuestionPorts, SystemPorts } from '../../../shared/ports/system.ts'
import { parseAddress } from '../../../shared/base/address.ts'
import type { HttpOutcome, ServiceHttp } from '../../../shared/ports/http.ts'

/** Messages to name servers, logged at trace level by their number: a signature tells nothing of the key. */
const tracedDns =
  (log: Log, ask: AskNameServer): AskNameServer =>
  async (nameServer, messages, limits) => {
    log('trace', 'dns request', { fields: { url: nameServerUrl({ nameServer }), messages: messages.length } })
    const answers = await ask(nameServer, messages, limits)
    const facts = typeof answers === 'string' ? { because: answers } : { answers: answers.length }
    log('trace', 'dns outcome', { fields: facts })
    return answers
  }

/** Requests to the service, logged at trace level without secrets: of headers the names, of a body the length. */
export const tracedHttp =
  (log: Log, http: ServiceHttp): ServiceHttp =>
  async (request, signal) => {
    log('trace', 'http request', {
      fields: { url: String(request.url), headers: Object.keys(request.headers) },
    })
    const outcome = await http(request, signal)
    log('trace', 'http outcome', { fields: factsOf(outcome) })
    return outcome
  }

function factsOf(outcome: HttpOutcome): Record<string, unknown> {
  const answer = outcome.kind === 'answered' ? outcome : outcome.partial
  // A service may repeat the request in its answer, with the password.
  const facts = answer && { status: answer.status, length: answer.body.length }
  return outcome.kind === 'answered'
    ? { ...facts }
    : { stage: outcome.stage, because: outcome.because, ...facts }
}

/** By TCP, to each address of the server until one answers: an update that is sent again changes nothing. */
export const askNameServerBy =
  (ports: () => Promise<Pick<QuestionPorts, 'addresses' | 'stream'>>): AskNameServer =>
  async ({ host, port }, messages, { timeout, signal }) => {
    const { addresses, stream } = await ports()
    const own = parseAddress(host)
    const found =
      own === undefined
        ? (await Promise.all([addresses(host, 'v4', signal), addresses(host, 'v6', signal)])).flat()
        : [own]
    let problem = `no address of ${host} was found`
    for (const to of found) {
      const bytes = Buffer.concat(messages.flatMap((one) => [lengthPrefix(one), one]))
      const lengthOf = (received: Uint8Array): number | undefined => endOf(received, messages.length)
      const answer = await stream({ to, port, bytes, timeout, lengthOf }, signal)
      if (typeof answer !== 'string') return messagesIn(answer)
      problem = `${to} port ${port}: ${answer}`
    }
    return problem
  }

/** RFC 1035 §4.2.2: two octets with its length precede a message. */
const lengthPrefix = ({ length }: Uint8Array): Uint8Array => Uint8Array.from([length >> 8, length & 255])

function endOf(received: Uint8Array, count: number): number | undefined {
  let at = 0
  for (let nth = 0; nth < count; nth++) {
    const [high, low] = [received[at], received[at + 1]]
    if (high === undefined || low === undefined) return undefined
    at += 2 + (high << 8) + low
  }
  return at
}

function messagesIn(received: Uint8Array): readonly Uint8Array[] {
  const messages: Uint8Array[] = []
  for (let at = 0; at < received.length; ) {
    const end = at + (endOf(received.subarray(at), 1) ?? received.length)
    messages.push(received.subarray(at + 2, end))
    at = end
  }
  return messages
}

export const dnsSendingOf = (
  log: Log,
  { questions, clocks, entropy }: Pick<SystemPorts, 'questions' | 'clocks' | 'entropy'>,
): DnsSending => ({
  ask: tracedDns(log, askNameServerBy(questions)),
  wall: () => clocks().wall,
  newId: () => newQueryId(entropy),
})
