import type { Addresses } from '../../shared/base/address.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import type { AgentEvent } from '../agent/events.ts'

/** The last request for a hostname, and the reply to it. */
export interface LoggedExchange {
  readonly sent: UpdateRequest
  readonly reply?: Reply
  /** The addresses that were confirmed before a reply that confirms others. */
  readonly previous?: Addresses
}

export interface ExchangeView {
  get(account: string, hostname: string): LoggedExchange | undefined
}

/** The last exchange of each hostname in this run, from the events. */
export class ExchangeLog implements ExchangeView {
  readonly #exchanges = new Map<string, LoggedExchange>()

  record(event: AgentEvent): void {
    if ('reply' in event)
      this.#exchanges.set(hostnameKey(event.account, event.hostname), {
        sent: event.sent,
        reply: event.reply,
        ...('previous' in event && { previous: event.previous }),
      })
    else if ('sent' in event && wasSent(event))
      for (const hostname of event.sent.hostnames)
        this.#exchanges.set(hostnameKey(event.account, hostname), { sent: event.sent })
  }

  get(account: string, hostname: string): LoggedExchange | undefined {
    return this.#exchanges.get(hostnameKey(account, hostname))
  }

  /** A view of the exchanges that are recorded after this call. */
  fromNow(): ExchangeView {
    const before = new Map(this.#exchanges)
    return {
      get: (account, hostname) => {
        const last = this.get(account, hostname)
        return last === before.get(hostnameKey(account, hostname)) ? undefined : last
      },
    }
  }
}

/** One hostname of an account, as a key. */
export const hostnameKey = (account: string, hostname: string): string => `${account} ${hostname}`

/** A request is not sent before there is a connection. */
const wasSent = (event: AgentEvent): boolean =>
  event.kind !== 'unreached' || !/^(look-up|connect|TLS):/.test(event.because)
