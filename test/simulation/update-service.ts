import type { HttpOutcome, OutgoingRequest } from '../../src/ports/http.ts'
import type { ServiceFault, StopWord } from './draw.ts'
import type { Scheduler } from './scheduler.ts'

/** A request as the service has received it. */
export interface Received {
  readonly at: number
  readonly hostnames: readonly string[]
  readonly myip: string
  readonly answer: string
  /** When the client had the whole answer; undefined while it has none. */
  inHand: number | undefined
  /** Of the process that sent it. */
  readonly run: number
}

/** Seconds that a 429 asks for. */
const RETRY_AFTER = 600

type Said = Extract<HttpOutcome, { kind: 'answered' }> | 'reset' | 'hang'

/** The update service, by the specification: good and nochg, its words, and its bad days. */
export class UpdateService {
  readonly received: Received[] = []
  readonly names = new Map<string, string>()
  fault: ServiceFault | undefined
  /** Answered to everything, until the user does something. */
  stop: StopWord | undefined
  readonly #scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** What it says, how long it takes for it in milliseconds, and the record of the request. */
  answer(request: OutgoingRequest, run: number): { said: Said; delay: number; received: Received } {
    const query = new URL(String(request.url)).searchParams
    const hostnames = (query.get('hostname') ?? '').split(',')
    const myip = query.get('myip') ?? ''
    const said = this.#say(hostnames, myip)
    const received: Received = {
      at: this.#scheduler.now,
      hostnames,
      myip,
      answer: typeof said === 'string' ? said : `${said.status} ${said.body}`,
      inHand: undefined,
      run,
    }
    this.received.push(received)
    this.#scheduler.note(`service ${myip} ${received.answer}`)
    return { said, delay: this.fault === 'slow' ? 10_000 : 5, received }
  }

  #say(hostnames: readonly string[], myip: string): Said {
    if (this.stop !== undefined) return ok(this.stop)
    switch (this.fault) {
      case '911':
      case 'dnserr':
        return ok(this.fault)
      case '500':
      case '503':
        return { ...ok('error'), status: Number(this.fault) }
      case '429':
        return { ...ok('slow down'), status: 429, headers: { 'retry-after': String(RETRY_AFTER) } }
      case 'html':
        return ok('<html><body>Welcome to the hotel</body></html>')
      case 'reset':
      case 'hang':
        return this.fault
      case 'slow':
      case undefined:
        break
    }
    return ok(hostnames.map((name) => this.#update(name, myip)).join('\n'))
  }

  #update(hostname: string, myip: string): string {
    const word = this.names.get(hostname) === myip ? 'nochg' : 'good'
    this.names.set(hostname, myip)
    return `${word} ${myip}`
  }
}

const ok = (body: string) => ({ kind: 'answered' as const, status: 200, headers: {}, body })
