import { type Addresses, byFamily, FAMILIES } from '../../src/shared/base/address.ts'
import { address } from '../fakes/address.ts'
import type { HttpOutcome, OutgoingRequest } from '../../src/shared/ports/http.ts'
import type { ServiceFault, StopWord } from './draw.ts'
import type { Scheduler } from './scheduler.ts'
import { USERNAME } from './settings.ts'

/** A request as the service has received it. */
export interface Received {
  readonly at: number
  readonly hostnames: readonly string[]
  readonly myip: string
  readonly answer: string
  /** With user name and password. */
  readonly authorization: string
  /** When the client had the whole answer; undefined while it has none. */
  inHand: number | undefined
  /** What was wrong with the service then, if anything was. */
  readonly mark?: ServiceFault | StopWord
  /** Of the process that sent it. */
  readonly run: number
}

/** Seconds that a 429 asks for. */
const RETRY_AFTER = 600

/** What the hotel shows in the place of every page. */
export const PORTAL_PAGE = '<html><body>Welcome to the hotel</body></html>'

/** What a server answers; or it resets the connection, or says nothing. */
export type Said = Extract<HttpOutcome, { kind: 'answered' }> | 'reset' | 'hang'

/** The update service, by the specification: good and nochg, its words, and its bad days. */
export class UpdateService {
  readonly received: Received[] = []
  readonly names = new Map<string, Addresses>()
  fault: ServiceFault | undefined
  /** Answered to everything, until the user does something. */
  stop: StopWord | undefined
  password = 'first'
  losesNext = false
  readonly #scheduler: Scheduler
  /** A name has these addresses now. */
  readonly #onUpdate: (hostname: string, addresses: Addresses) => void

  constructor(scheduler: Scheduler, onUpdate: (hostname: string, addresses: Addresses) => void) {
    this.#scheduler = scheduler
    this.#onUpdate = onUpdate
  }

  /** What it says, how long it takes for it in milliseconds, and the record of the request. */
  answer(request: OutgoingRequest, run: number): { said: Said; delay: number; received: Received } {
    const { hostnames, myip } = updateIn(request)
    const authorization = authorizationOf(request)
    const isOwner = authorization === basic(USERNAME, this.password)
    const said = isOwner ? this.#say(hostnames, myip) : ok('badauth')
    const mark = isOwner ? (this.stop ?? this.fault) : 'badauth'
    const received: Received = {
      ...(mark !== undefined && { mark }),
      at: this.#scheduler.now,
      hostnames,
      myip,
      answer: typeof said === 'string' ? said : `${said.status} ${said.body}`,
      authorization,
      inHand: undefined,
      run,
    }
    this.received.push(received)
    const isLost = this.losesNext
    this.losesNext = false
    this.#scheduler.note(`service ${myip} ${received.answer}`)
    return { said: isLost ? 'reset' : said, delay: this.fault === 'slow' ? 10_000 : 5, received }
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
      case 'portal':
        return ok(PORTAL_PAGE)
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
    const stored = this.names.get(hostname) ?? {}
    const sent = addressesIn(myip)
    const isSame = FAMILIES.every((family) => (sent[family] ?? stored[family]) === stored[family])
    this.names.set(hostname, { ...stored, ...sent })
    this.#onUpdate(hostname, { ...stored, ...sent })
    return `${isSame ? 'nochg' : 'good'} ${myip}`
  }
}

/** The addresses of a list, by family. */
export function addressesIn(myip: string): Addresses {
  const known = read.get(myip)
  if (known !== undefined) return known
  const addresses = byFamily(myip.split(',').map(address))
  read.set(myip, addresses)
  return addresses
}
/** The judge reads every list again at each request. */
const read = new Map<string, Addresses>()

export function updateIn({ url }: OutgoingRequest): Pick<Received, 'hostnames' | 'myip'> {
  const query = new URL(String(url)).searchParams
  return { hostnames: (query.get('hostname') ?? '').split(','), myip: query.get('myip') ?? '' }
}

function authorizationOf({ headers: { authorization = '' } }: OutgoingRequest): string {
  return typeof authorization === 'string' ? authorization : authorization.reveal()
}

/** RFC 7617 §2. */
const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

const ok = (body: string) => ({ kind: 'answered' as const, status: 200, headers: {}, body })
