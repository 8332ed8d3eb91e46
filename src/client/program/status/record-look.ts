import { after } from '../../../shared/base/time.ts'
import type { AccountJob } from '../../agent/agent.ts'
import type { Observation } from '../../decide/observation.ts'
import { accountOf, hostOf, type State } from '../../decide/state.ts'
import { answeredAll } from '../../services/protocols/answers.ts'
import {
  type DnsStep,
  isDnsStep,
  isStep,
  type OutgoingUpdate,
  type Step,
  type StepOutcome,
  type UpdateProtocol,
} from '../../services/protocols/protocol.ts'
import { exchange } from '../../agent/send/exchange.ts'
import { NO_USERNAME } from '../../settings/protocol-settings.ts'
import { providerCalled } from '../../services/providers/providers.ts'
import { type Address, type Addresses, FAMILIES } from '../../../shared/base/address.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import {
  actionOf,
  MEANINGS,
  PLAIN_NOUNS,
  remedyFor,
  type ServiceNouns,
} from '../../../shared/protocol/reply.ts'
import { saidText } from '../../../shared/protocol/said-text.ts'
import { dnsSendingOf } from '../../agent/send/dns-sending.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { endpointOf } from '../jobs.ts'
import type { ClientAccount, ResolvedSettings } from '../../settings/settings.ts'
import { savedState } from '../state/saved-state.ts'

/** What a service has at a hostname. */
export interface RecordLook {
  readonly account: string
  /** A sentence. */
  readonly message: string
  /** An update would be refused, or the service does not answer. */
  readonly isTrouble: boolean
}

/** Reads what services of records have, and changes nothing. None is asked while a stop or a wait stands. */
export async function lookAtRecords(
  settings: ResolvedSettings,
  system: SystemPorts,
  signal: AbortSignal,
): Promise<readonly RecordLook[]> {
  const { jobs, memory } = savedState(settings, system)
  const state = await memory.load()
  const looks: RecordLook[] = []
  for (const [at, job] of jobs.entries()) {
    const { protocol } = providerCalled(settings.accounts[at]?.provider ?? '') ?? {}
    if (protocol !== undefined) looks.push(...(await looksFor(job, state, { system, signal })))
  }
  return looks
}

interface LookContext {
  readonly system: SystemPorts
  readonly signal: AbortSignal
}

export async function looksFor(
  { desired, endpoint }: AccountJob,
  state: State,
  { system, signal }: LookContext,
): Promise<readonly RecordLook[]> {
  const account = desired.name ?? desired.account.replace(`${NO_USERNAME}@`, '')
  const { status, hosts } = accountOf(state, desired.account)
  if (status.kind !== 'ready')
    return [{ account, message: `not asked, because the account is ${status.kind}`, isTrouble: false }]
  const looks: RecordLook[] = []
  const isStopped = (name: string): boolean => hostOf({ status, hosts }, name).stopped !== undefined
  const requests = desired.hostnames
    .filter((name) => !isStopped(name))
    .flatMap((hostname) =>
      addressesFor(desired, hostOf({ status, hosts }, hostname).confirmed).map((addresses) => ({
        hostnames: [hostname],
        addresses,
      })),
    )
  for (const request of requests) {
    const { seen, found = request.hostnames.join() } = await readingExchange(endpoint, request, {
      system,
      signal,
    })
    const [name = ''] = request.hostnames
    const isConfirmed = Object.keys(hostOf({ status, hosts }, name).confirmed).length > 0
    looks.push({ account, ...verdictOn(seen, { found, isConfirmed, nouns: desired.nouns }) })
  }
  return looks
}

/** Whether a record service has these addresses; undefined for other services, and if its answer does not say. */
export async function serviceHas(
  { account, hostname, addresses }: AskedRecord,
  settings: Pick<ResolvedSettings, 'config'>,
  context: LookContext,
): Promise<boolean | undefined> {
  const { protocol } = providerCalled(account.provider ?? '') ?? {}
  if (protocol === undefined) return undefined
  const requests =
    account.families === 'apart'
      ? FAMILIES.flatMap((family) =>
          addresses[family] === undefined ? [] : [{ [family]: addresses[family] }],
        )
      : [addresses]
  for (const one of requests) {
    const request = { hostnames: [hostname], addresses: one }
    const { seen } = await readingExchange(endpointOf(account, settings), request, context)
    const word = seen.kind === 'answered' ? seen.replies[0]?.word : undefined
    if (word !== MEANINGS.current) return word === undefined ? undefined : false
  }
  return true
}

interface AskedRecord {
  readonly account: ClientAccount
  readonly hostname: string
  readonly addresses: Addresses
}

/** Up to the first change, and what was found there, for a person. */
async function readingExchange(
  endpoint: AccountJob['endpoint'],
  request: UpdateRequest,
  { system, signal }: LookContext,
): Promise<{ readonly seen: Observation; readonly found: string | undefined }> {
  const found: string[] = []
  const { steady, http } = system
  const seen = await exchange(
    { ...endpoint, protocol: readOnly(endpoint.protocol, (text) => found.push(text)) },
    { request, endpoint: 0 },
    {
      http,
      now: () => steady.now(),
      pause: async (span) => steady.sleep(after(steady.now(), span), signal),
      dns: dnsSendingOf(() => undefined, system),
      signal,
    },
  )
  return { seen, found: found.at(-1) }
}

/** An address that no record has, where nothing is confirmed yet. */
const NONE = { v4: '0.0.0.0' as Address, v6: '::' as Address }

/** Of one request, or of one for each family. */
function addressesFor({ families, form }: AccountJob['desired'], confirmed: Addresses): readonly Addresses[] {
  const wanted = FAMILIES.filter((family) => families.includes(family)).map(
    (family) => [family, confirmed[family] ?? NONE[family]] as const,
  )
  return form.isApart ? wanted.map((one) => Object.fromEntries([one])) : [Object.fromEntries(wanted)]
}

/** The protocol up to its first change. */
const readOnly = (protocol: UpdateProtocol, onFound: (text: string) => void): UpdateProtocol => ({
  ...protocol,
  begin: (update) => {
    const first = protocol.begin(update)
    return isStep(first) ? readingStep(first, update, onFound) : readingMessages(first, update, onFound)
  },
})

/** Undefined for a further question. */
function endOf(
  next: Step | DnsStep | StepOutcome,
  { request }: OutgoingUpdate,
  onFound: (text: string) => void,
): StepOutcome | undefined {
  const found = 'found' in next ? next.found : undefined
  if (found !== undefined) onFound(found)
  if (!isStep(next) && !isDnsStep(next)) return next
  return found === undefined ? undefined : answeredAll(request, MEANINGS.changed)
}

const readingStep = (step: Step, update: OutgoingUpdate, onFound: (text: string) => void): Step => ({
  ...step,
  read: (answer) => {
    const next = step.read(answer)
    const end = endOf(next, update, onFound)
    return end ?? (isStep(next) ? readingStep(next, update, onFound) : next)
  },
})

const readingMessages = (
  step: DnsStep,
  update: OutgoingUpdate,
  onFound: (text: string) => void,
): DnsStep => ({
  ...step,
  compose: (moment) => {
    const { messages, read } = step.compose(moment)
    return {
      messages,
      read: (answers, now) => {
        const next = read(answers, now)
        return endOf(next, update, onFound) ?? next
      },
    }
  },
})

interface Verdict {
  readonly nouns: ServiceNouns | undefined
  readonly found: string
  /** The service has confirmed addresses for the hostname. */
  readonly isConfirmed: boolean
}

function verdictOn(
  seen: Observation,
  { found, isConfirmed, nouns = PLAIN_NOUNS }: Verdict,
): Pick<RecordLook, 'message' | 'isTrouble'> {
  if (seen.kind !== 'answered')
    return { message: `${found}: ${'because' in seen ? seen.because : seen.kind}`, isTrouble: true }
  const [reply] = seen.replies
  if (reply?.word === MEANINGS.changed && isConfirmed)
    return {
      message: `${found}, which is not what was confirmed: another program has changed it`,
      isTrouble: true,
    }
  if (reply === undefined || actionOf(reply.word).kind === 'settled')
    return { message: found, isTrouble: false }
  const { word } = reply
  const said = 'said' in reply ? reply.said : undefined
  const quote = 'quote' in reply ? reply.quote : undefined
  const remedy = remedyFor(word, said, nouns)
  const text = { because: word, ...(said !== undefined && { said }), ...(quote !== undefined && { quote }) }
  const what = `${found}: ${saidText(text, nouns)}`
  return { message: remedy === undefined ? what : `${what}. What to do: ${remedy}`, isTrouble: true }
}
