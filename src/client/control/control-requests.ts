import { type Addresses, byFamily, listed, parseAddress } from '../../net/address.ts'
import type { Inbox, LoopRequest } from '../agent/inbox.ts'
import type { LoopState } from '../agent/loop-state.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import type { AccountReport, ClockView } from '../report/report.ts'
import { type Resumed, resumedIn } from '../report/resumed.ts'
import { resumeObservations } from './resume-saved.ts'

/** What a program of ours may ask of a running daemon, over its control socket. */
export type ControlRequest =
  | { readonly do: 'status' }
  | { readonly do: 'poke' }
  | { readonly do: 'resume'; readonly accounts: readonly string[] }
  | { readonly do: 'update'; readonly wishes: readonly UpdateWish[]; readonly force: boolean }

/** What a one-shot wants of one account. */
export interface UpdateWish {
  readonly account: string
  readonly hostnames: readonly string[]
  /** The addresses that the user named; without them, the daemon's own sources. */
  readonly addresses?: readonly string[]
  readonly isOffline: boolean
  readonly reliesOnConnection: boolean
}

export interface ControlResponse {
  readonly error?: string
  readonly reports?: readonly AccountReport[]
  readonly resumed?: readonly Resumed[]
}

export const updateWish = (desired: DesiredState, given: Addresses | undefined): UpdateWish => ({
  account: desired.account,
  hostnames: desired.hostnames,
  isOffline: desired.isOffline,
  reliesOnConnection: desired.reliesOnConnection,
  ...(given !== undefined && { addresses: listed(given) }),
})

export interface ControlledLoop {
  readonly inbox: Inbox
  /** Something may have changed. */
  readonly hint: () => void
  readonly loopState: () => LoopState
  readonly report: (rest: LoopState) => readonly AccountReport[]
  /** The same, with only what is exchanged from now on. */
  readonly reportFromNow: () => (rest: LoopState) => readonly AccountReport[]
  readonly when: () => ClockView
}

/** Carries a request out, and answers when the loop has nothing left to do but wait. */
export async function answerControl(daemon: ControlledLoop, request: unknown): Promise<ControlResponse> {
  const asked = requestIn(request)
  if (asked === undefined) return { error: UNKNOWN }
  switch (asked.do) {
    case 'status':
      return { reports: daemon.report(daemon.loopState()) }
    case 'poke':
      daemon.hint()
      return {}
    case 'resume': {
      const accounts =
        asked.accounts.length > 0
          ? asked.accounts
          : daemon.loopState().jobs.map(({ desired }) => desired.account)
      const strange = accounts.find((account) => planOf(daemon, account) === undefined)
      if (strange !== undefined) return { error: `${KEPT} does not know ${strange}` }
      return { resumed: await resume(daemon, accounts) }
    }
    case 'update':
      return update(daemon, asked)
    default:
      return { error: UNKNOWN }
  }
}

const UNKNOWN =
  'this daemon does not know what is asked: {"do": …} with status, poke, resume and accounts, or update and wishes; it may be of another version'

/** Undefined for what none of our programs sends. */
function requestIn(value: unknown): ControlRequest | undefined {
  if (typeof value !== 'object' || value === null || !('do' in value)) return undefined
  const request = value as ControlRequest
  if (request.do === 'resume') return areAll(request.accounts, 'string') ? request : undefined
  return request.do !== 'update' || areWishes(request.wishes) ? request : undefined
}

const areAll = (list: unknown, type: 'string' | 'object'): list is readonly unknown[] =>
  Array.isArray(list) && list.every((one) => one !== null && typeof one === type)

const areWishes = (list: unknown): boolean =>
  areAll(list, 'object') &&
  (list as readonly UpdateWish[]).every(
    ({ account, hostnames, addresses }) =>
      typeof account === 'string' &&
      areAll(hostnames, 'string') &&
      (addresses === undefined || areAll(addresses, 'string')),
  )

const KEPT = 'a daemon keeps this state folder, and it'

const planOf = (daemon: ControlledLoop, account: string): DesiredState | undefined =>
  daemon.loopState().jobs.find(({ desired }) => desired.account === account)?.desired

async function resume(daemon: ControlledLoop, accounts: readonly string[]): Promise<readonly Resumed[]> {
  const desiredStates = accounts.flatMap((account) => planOf(daemon, account) ?? [])
  let resumed: readonly Resumed[] = []
  await put(daemon, {
    observations: resumeObservations(desiredStates),
    onTaken: () => (resumed = resumedIn(daemon.loopState().state, desiredStates, daemon.when())),
  })
  return resumed
}

/** What a one-shot wants otherwise than the daemon's own settings would be undone by it at once. */
function refusalOf(wish: UpdateWish, desired: DesiredState | undefined): string | undefined {
  if (desired === undefined) return `does not know ${wish.account}`
  const strangers = wish.hostnames.filter((name) => !desired.hostnames.includes(name))
  if (strangers.length > 0) return `does not keep ${strangers.join(', ')}`
  if (wish.isOffline !== desired.isOffline)
    return `keeps ${wish.account} ${desired.isOffline ? 'offline' : 'online'}; set offline in its configuration, or end it first`
  return wish.reliesOnConnection !== desired.reliesOnConnection
    ? `${desired.reliesOnConnection ? 'leaves' : 'does not leave'} the address of ${wish.account} to the service; set myip in its configuration, or end it first`
    : undefined
}

const put = async (daemon: ControlledLoop, order: Omit<LoopRequest, 'onDone'>): Promise<LoopState> =>
  new Promise((done) => daemon.inbox.put({ ...order, onDone: done }))

async function update(
  daemon: ControlledLoop,
  { wishes, force }: Extract<ControlRequest, { do: 'update' }>,
): Promise<ControlResponse> {
  const [refusal] = wishes.flatMap((wish) => refusalOf(wish, planOf(daemon, wish.account)) ?? [])
  if (refusal !== undefined) return { error: `${KEPT} ${refusal}` }
  const given = wishes.flatMap(({ account, hostnames, addresses }) =>
    addresses === undefined
      ? []
      : [{ account, hostnames, addresses: byFamily(addresses.flatMap((text) => parseAddress(text) ?? [])) }],
  )
  const forced = wishes.map(({ account, hostnames }) => ({ kind: 'forced', account, hostnames }) as const)
  let report = daemon.report
  const rest = await put(daemon, {
    observations: [{ kind: 'networkChanged' }, ...(force ? forced : [])],
    givenAddresses: given,
    onTaken: () => (report = daemon.reportFromNow()),
  })
  const reports = report(rest)
  return {
    reports: wishes.flatMap(({ account, hostnames }) =>
      reports
        .filter((report) => report.account === account)
        .map((report) => ({
          ...report,
          hostnames: report.hostnames.filter((host) => hostnames.includes(host.hostname)),
        })),
    ),
  }
}
