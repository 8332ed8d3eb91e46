import { type AskNameServer, nameServerUrl } from './dns-exchange.ts'
import type { HttpOutcome, ServiceHttp } from '../../../shared/ports/http.ts'
import type { Log } from '../../../shared/ports/log.ts'

/** Messages to name servers, logged at trace level by their number: a signature tells nothing of the key. */
export const tracedDns =
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
