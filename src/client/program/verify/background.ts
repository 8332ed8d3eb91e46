import type { AgentEvent } from '../../agent/events.ts'
import { hostnameKey, type PublicationView } from '../../report/report.ts'
import {
  type Confirmed,
  HIDDEN_BY_SERVICE,
  type Publication,
  type PublicationState,
} from '../../verify/publication.ts'
import type { VerifyPorts } from '../../verify/ports.ts'
import { ROUNDS, verify } from '../../verify/verify.ts'
import { accountKey } from '../../settings/client-checks.ts'
import { type Addresses, byFamily, picked } from '../../../shared/base/address.ts'
import { isChangeReply } from '../../../shared/protocol/reply.ts'
import type { ClientAccount, ResolvedSettings } from '../../settings/settings.ts'
import { givenServers, isDomainName, MAX_VERIFIED_NAMES, offFamilies } from './verify-account.ts'

type Confirmation = Extract<AgentEvent, { kind: 'settled' | 'confirmedDifferent' }>

/** Whether the service of an account has these addresses for a hostname; undefined where it cannot be asked. */
export type AskService = (
  account: ClientAccount,
  hostname: string,
  addresses: Addresses,
) => Promise<boolean | undefined>

const isThere = (state: PublicationState | undefined): boolean => state === 'published' || state === 'hidden'

interface Running {
  readonly account: string
  readonly end: AbortController
}

interface Result {
  readonly account: string
  readonly publication: Publication
}

/**
 * Verifies in the background what the service confirms to a daemon: the last
 * result of each hostname, and an event for it.
 */
export class BackgroundVerification implements PublicationView {
  readonly #askService: AskService | undefined
  readonly #emit: (event: AgentEvent) => void
  readonly #signal: AbortSignal
  readonly #ports: VerifyPorts
  readonly #results = new Map<string, Result>()
  readonly #running = new Map<string, Running>()
  /** Accounts whose last hostname could not be verified. */
  readonly #unverified = new Set<string>()
  #accounts: ReadonlyMap<string, ClientAccount> = new Map()

  /** The signal ends all questions. */
  constructor(
    emit: (event: AgentEvent) => void,
    signal: AbortSignal,
    { askService, ...ports }: VerifyPorts & { readonly askService?: AskService },
  ) {
    this.#askService = askService
    this.#emit = emit
    this.#signal = signal
    this.#ports = ports
  }

  /** Results that the settings no longer ask for are dropped. */
  adopt({ accounts }: Pick<ResolvedSettings, 'accounts'>): void {
    this.#accounts = new Map(accounts.map((account) => [accountKey(account), account]))
    const isOn = (account: string): boolean => this.#accounts.get(account)?.verify === true
    for (const { account, end } of this.#running.values()) if (!isOn(account)) end.abort()
    for (const [key, { account }] of this.#results) if (!isOn(account)) this.#results.delete(key)
  }

  get(account: string, hostname: string): Publication | undefined {
    return this.#results.get(hostnameKey(account, hostname))?.publication
  }

  /** Starts to verify what an event confirms, in the place of an earlier confirmation of the hostname. */
  record(event: AgentEvent): void {
    if (event.kind !== 'settled' && event.kind !== 'confirmedDifferent') return
    if (!isChangeReply(event.reply.word)) return
    const key = hostnameKey(event.account, event.hostname)
    this.#running.get(key)?.end.abort()
    this.#running.delete(key)
    this.#results.delete(key)
    const account = this.#accounts.get(event.account)
    const running = [...this.#running.values()].filter((one) => one.account === event.account).length
    const isFull = running >= MAX_VERIFIED_NAMES.ofAccount || this.#running.size >= MAX_VERIFIED_NAMES.ofAll
    const isVerified =
      account?.verify === true && event.sent.offline !== 'YES' && isDomainName(event.hostname)
    if (isVerified && 'isProxied' in event.reply) return this.#hide(key, event)
    if (isVerified && !isFull) void this.#verify(key, event, account)
  }

  /** The service says so: there is nothing to ask. */
  #hide(key: string, { account, hostname }: Confirmation): void {
    this.#results.set(key, { account, publication: HIDDEN_BY_SERVICE })
    this.#emit({ kind: 'published', account, hostname, publication: HIDDEN_BY_SERVICE })
  }

  async #verify(key: string, event: Confirmation, account: ClientAccount): Promise<void> {
    const end = new AbortController()
    this.#running.set(key, { account: event.account, end })
    const { hostname } = event
    const signal = AbortSignal.any([this.#signal, end.signal])
    const verification = {
      hostname,
      ...confirmedBy(event, account),
      ...givenServers(account),
      ...offFamilies(hostname, account, [...this.#accounts.values()]),
      rounds: ROUNDS,
      isAwaited: false,
      askService: async () => this.#askService?.(account, hostname, confirmedBy(event, account).addresses),
    }
    const last = await verify(verification, { ports: this.#ports, signal }, (publication) => {
      const isFirst = isThere(publication.state) && !isThere(this.#results.get(key)?.publication.state)
      this.#results.set(key, { account: event.account, publication })
      if (isFirst) this.#emit({ kind: 'published', account: event.account, hostname, publication })
    })
    if (this.#running.get(key)?.end === end) this.#running.delete(key)
    if (last !== undefined && !signal.aborted) this.#conclude(event, last)
  }

  #conclude({ account, hostname }: Confirmation, publication: Publication): void {
    const { state } = publication
    const wasUnverified = this.#unverified.has(account)
    if (state === 'unverified') this.#unverified.add(account)
    else this.#unverified.delete(account)
    if (state === 'unverified' && !wasUnverified)
      this.#emit({ kind: 'unverified', account, hostname, publication })
    if (state === 'stale' || state === 'different')
      this.#emit({ kind: 'notPublished', account, hostname, publication })
  }
}

/** The addresses of the reply; without any, those of the request; and of a family that was not sent, the one before. */
function confirmedBy({ reply, sent, previous }: Confirmation, account: ClientAccount): Confirmed {
  const named = 'addresses' in reply ? byFamily(reply.addresses) : {}
  const kept = picked(
    previous,
    (family) => sent.addresses[family] === undefined && account[FAMILY_SETTINGS[family]],
  )
  const answered = Object.keys(named).length > 0 ? named : sent.addresses
  return { addresses: { ...kept, ...answered }, previous }
}

const FAMILY_SETTINGS = { v4: 'ipv4', v6: 'ipv6' } as const
