import { type Addresses, byFamily, listed, parseAddress } from '../../shared/base/address.ts'
import type { Inbox, LoopRequest, LoopState } from '../agent/agent.ts'
import type { DesiredState } from '../decide/desired-state.ts'
import type { AccountReport, ClockView } from './report.ts'
import { type ResumeResult, resumeResults } from './resume-result.ts'
import type { Trouble } from './troubles.ts'
import { resumeObservations } from './resume-state.ts'

/** What a command may request from a running daemon, as one JSON object over its control socket. */
export type ControlRequest =
  | { readonly do: 'status' }
  | { readonly do: 'poke' }
  | { readonly do: 'reload' }
  /** A test of these receivers of notifications was delivered. */
  | { readonly do: 'recovered'; readonly receivers: readonly string[] }
  /** An empty list stands for every account. */
  | { readonly do: 'resume'; readonly accounts: readonly string[] }
  | { readonly do: 'update'; readonly updates: readonly AccountUpdate[]; readonly force: boolean }

/** The update of one account that a one-shot command requests. */
export interface AccountUpdate {
  readonly account: string
  readonly hostnames: readonly string[]
  /** The addresses that the user gave; without them, those of the daemon's sources. */
  readonly addresses?: readonly string[]
  readonly isOffline: boolean
  readonly reliesOnConnection: boolean
}

/**
 * The version of these requests and responses. A command that reads the response of a daemon of another version could
 * misread it.
 */
export const CONTROL_VERSION = 3

export const SILENT_DAEMON = 'the daemon does not respond; it may hang'

export interface ControlResponse {
  /** Missing in responses of daemons of 0.2.0 and earlier. */
  readonly version?: number
  readonly error?: string
  readonly reports?: readonly AccountReport[]
  /** Missing in responses of daemons of 0.2.0 and earlier. */
  readonly troubles?: readonly Trouble[]
  readonly resumed?: readonly ResumeResult[]
  /** Of a reload: empty where the settings are in use. */
  readonly mistakes?: readonly string[]
}

/** What a request is carried out with. */
export interface ControlContext {
  readonly inbox: Inbox
  /** Starts a look, because something may have changed. */
  readonly hint: () => void
  readonly loopState: () => LoopState
  readonly report: (loop: LoopState) => readonly AccountReport[]
  /** The same, with the exchanges after this call only. */
  readonly reportFromNow: () => (loop: LoopState) => readonly AccountReport[]
  readonly troubles: () => readonly Trouble[]
  readonly recovered: (receivers: readonly string[]) => void
  readonly clock: () => ClockView
  /** Reads the settings again; returns the mistakes in them. */
  readonly reread: () => Promise<readonly string[]>
}

export const accountUpdate = (desired: DesiredState, given: Addresses | undefined): AccountUpdate => ({
  account: desired.account,
  hostnames: desired.hostnames,
  isOffline: desired.isOffline,
  reliesOnConnection: desired.reliesOnConnection,
  ...(given !== undefined && { addresses: listed(given) }),
})

/** Carries out a request; for `resume` and `update`, resolves when the loop has nothing left to do but wait. */
export const answerControl = async (context: ControlContext, value: unknown): Promise<ControlResponse> => ({
  version: CONTROL_VERSION,
  ...(await answerRequest(context, value)),
})

/** Of a daemon of another version only this is known: that it runs. */
export function readControlResponse(value: unknown): ControlResponse {
  const response = value as ControlResponse
  return response.version === CONTROL_VERSION
    ? response
    : { error: 'the daemon is of another version of Holdfast than this command; restart the daemon' }
}

async function answerRequest(context: ControlContext, value: unknown): Promise<ControlResponse> {
  const request = parseRequest(value)
  if (request === undefined) return { error: UNKNOWN_REQUEST }
  switch (request.do) {
    case 'status':
      return { reports: context.report(context.loopState()), troubles: context.troubles() }
    case 'poke':
      context.hint()
      return {}
    case 'reload':
      return { mistakes: await context.reread() }
    case 'recovered':
      context.recovered(request.receivers)
      return {}
    case 'resume':
      return resume(context, request.accounts)
    case 'update':
      return update(context, request)
    default:
      return { error: UNKNOWN_REQUEST }
  }
}

const UNKNOWN_REQUEST =
  'this daemon does not support the request; it supports {"do": …} with status, poke, reload, ' +
  'recovered and receivers, resume and accounts, or update and updates; restart the daemon if Holdfast was upgraded'

/** Undefined for a value that no version of this program sends. */
function parseRequest(value: unknown): ControlRequest | undefined {
  if (typeof value !== 'object' || value === null || !('do' in value)) return undefined
  const request = value as ControlRequest
  if (request.do === 'recovered') return isListOf(request.receivers, 'string') ? request : undefined
  if (request.do === 'resume') return isListOf(request.accounts, 'string') ? request : undefined
  return request.do !== 'update' || areUpdates(request.updates) ? request : undefined
}

const isListOf = (list: unknown, type: 'string' | 'object'): list is readonly unknown[] =>
  Array.isArray(list) && list.every((item) => item !== null && typeof item === type)

const areUpdates = (list: unknown): boolean =>
  isListOf(list, 'object') &&
  (list as readonly AccountUpdate[]).every(
    ({ account, hostnames, addresses }) =>
      typeof account === 'string' &&
      isListOf(hostnames, 'string') &&
      (addresses === undefined || isListOf(addresses, 'string')),
  )

const DAEMON = 'a daemon is running with this state folder, and it'
const ADD_OR_STOP = 'add it to the configuration of the daemon, or stop the daemon first'

const desiredIn = (context: ControlContext, account: string): DesiredState | undefined =>
  context.loopState().jobs.find(({ desired }) => desired.account === account)?.desired

/** Puts a request into the loop, and resolves when its effect is complete. */
const completed = async (
  { inbox }: ControlContext,
  request: Omit<LoopRequest, 'onDone'>,
): Promise<LoopState> => new Promise((onDone) => inbox.put({ ...request, onDone }))

const accountsOf = ({ loopState }: ControlContext): readonly string[] =>
  loopState().jobs.map(({ desired }) => desired.account)

function unknownAmong(accounts: readonly string[], context: ControlContext): string | undefined {
  const all = accountsOf(context)
  return accounts.find((account) => !all.includes(account))
}

/**
 * Whoever resumes has corrected the cause, which may be the password, or the username of the account. Without the new
 * settings nothing is resumed: the old password would be tried again.
 */
async function resume(context: ControlContext, accounts: readonly string[]): Promise<ControlResponse> {
  const before = resumeResultsOf(desiredAmong(context, accounts), context)
  const mistakes = await context.reread()
  if (mistakes.length > 0) return { error: `nothing is resumed: ${mistakes.join('; ')}` }
  if (unknownAmong(accounts, context) !== undefined) await completed(context, { observations: [] })
  const unknown = unknownAmong(accounts, context)
  if (unknown !== undefined) return { error: `${DAEMON} has no account ${unknown}; ${ADD_OR_STOP}` }
  const desiredStates = desiredAmong(context, accounts)
  let resumed: readonly ResumeResult[] = []
  await completed(context, {
    observations: resumeObservations(desiredStates),
    onTaken: () => void (resumed = resumeResultsOf(desiredStates, context)),
  })
  // A new password has ended the stop already.
  const ended = before.filter(({ because }) => because !== null)
  return { resumed: resumed.map((one) => ended.find(({ account }) => account === one.account) ?? one) }
}

const desiredAmong = (context: ControlContext, accounts: readonly string[]): readonly DesiredState[] =>
  (accounts.length > 0 ? accounts : accountsOf(context)).flatMap(
    (account) => desiredIn(context, account) ?? [],
  )

const resumeResultsOf = (
  desiredStates: readonly DesiredState[],
  { loopState, clock }: ControlContext,
): readonly ResumeResult[] => resumeResults(loopState().state, desiredStates, clock())

async function update(
  context: ControlContext,
  { updates, force }: Extract<ControlRequest, { do: 'update' }>,
): Promise<ControlResponse> {
  const [refusal] = updates.flatMap((one) => updateRefusal(one, desiredIn(context, one.account)) ?? [])
  if (refusal !== undefined) return { error: `${DAEMON} ${refusal}` }
  const givenAddresses = updates.flatMap(({ account, hostnames, addresses }) =>
    addresses === undefined
      ? []
      : [{ account, hostnames, addresses: byFamily(addresses.flatMap((text) => parseAddress(text) ?? [])) }],
  )
  const forced = updates.map(({ account, hostnames }) => ({ kind: 'forced', account, hostnames }) as const)
  let report = context.report
  const loop = await completed(context, {
    observations: [{ kind: 'networkChanged' }, ...(force ? forced : [])],
    givenAddresses,
    onTaken: () => {
      report = context.reportFromNow()
    },
  })
  const reports = report(loop)
  return { reports: updates.flatMap((one) => reportsFor(one, reports)) }
}

/** Why the daemon cannot do this update: its own configuration would undo the result. */
function updateRefusal(
  { account, hostnames, isOffline, reliesOnConnection }: AccountUpdate,
  desired: DesiredState | undefined,
): string | undefined {
  if (desired === undefined) return `has no account ${account}; ${ADD_OR_STOP}`
  const unknown = hostnames.filter((name) => !desired.hostnames.includes(name))
  if (unknown.length > 0) return `has no hostname ${unknown.join(', ')}; ${ADD_OR_STOP}`
  if (isOffline !== desired.isOffline)
    return (
      `keeps ${account} ${desired.isOffline ? 'offline' : 'online'}; change offline in its configuration, ` +
      'or stop the daemon first'
    )
  return reliesOnConnection !== desired.reliesOnConnection
    ? `${desired.reliesOnConnection ? 'lets' : 'does not let'} the service choose the address of ` +
        `${account}; change myip in its configuration, or stop the daemon first`
    : undefined
}

/** The report of the account, with the hostnames of the update only. */
const reportsFor = (
  { account, hostnames }: AccountUpdate,
  reports: readonly AccountReport[],
): readonly AccountReport[] =>
  reports
    .filter((report) => report.account === account)
    .map((report) => ({
      ...report,
      hostnames: report.hostnames.filter(({ hostname }) => hostnames.includes(hostname)),
    }))
