import { type Duration, milliseconds, minutes, parseInstant, seconds } from '../../../shared/base/time.ts'
import type { AccountReport, HostReport } from '../../report/report.ts'
import type { VerifyContext } from '../../verify/ports.ts'
import { HIDDEN_BY_SERVICE, type Publication } from '../../verify/publication.ts'
import { ONE_ROUND, ROUNDS, type Verification, verify } from '../../verify/verify.ts'
import { accountKey } from '../../settings/client-checks.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import { isChangeReply } from '../../../shared/protocol/reply.ts'
import type { ClientAccount, ResolvedSettings } from '../../settings/settings.ts'
import type { AskService } from './background.ts'
import { givenServers, isDomainName, MAX_VERIFIED_NAMES, offFamilies, verifyPorts } from './verify-account.ts'

/** How long a command waits for the name servers after an update; a daemon goes on longer. */
const WAIT = seconds(5)
/** With --verify on the command line. */
const WAIT_ON_REQUEST = minutes(1)

/** The rounds of `ROUNDS` in this time. */
const roundsWithin = (span: Duration): readonly Duration[] => ROUNDS.filter((at) => at < span)

/** Of the accounts, any has `verify` from the command line: the user asks for it now. */
const isRequested = (accounts: ResolvedSettings['accounts']): boolean =>
  accounts.some(({ verify: isOn, places }) => isOn && places['verify']?.startsWith('--') === true)

/** After `update`: with --verify, hostnames that were confirmed earlier too. */
export const verifyAfterUpdate = async (
  settings: Pick<ResolvedSettings, 'accounts' | 'config'>,
  reports: readonly AccountReport[],
  { isQuiet, system, signal }: Pick<VerifyOptions, 'system' | 'signal'> & { readonly isQuiet: boolean },
): Promise<readonly AccountReport[]> => {
  const wasRequested = isRequested(settings.accounts) && !isQuiet
  const timeout = wasRequested ? WAIT_ON_REQUEST : WAIT
  const only = wasRequested ? 'confirmed' : 'sent'
  return verifiedReports(settings, reports, {
    rounds: roundsWithin(timeout),
    timeout,
    only,
    isAfterUpdate: true,
    system,
    signal,
    askService: async (account, hostname, addresses) => {
      const { serviceHas } = await import('../status/record-look.ts')
      return serviceHas({ account, hostname, addresses }, settings, { system, signal })
    },
  })
}

/** For `explain`; of one hostname where the user names it. */
export const verifyNow = async (
  settings: Pick<ResolvedSettings, 'accounts'>,
  reports: readonly AccountReport[],
  options: Pick<VerifyOptions, 'hostname' | 'system' | 'signal'>,
): Promise<readonly AccountReport[]> =>
  verifiedReports(settings, reports, {
    ...options,
    rounds: ONE_ROUND,
    timeout: WAIT,
    only: 'confirmed',
    isAfterUpdate: false,
  })

/** For `status`: with --verify only. */
export const verifyOnRequest: typeof verifyNow = async (settings, reports, options) =>
  isRequested(settings.accounts) ? verifyNow(settings, reports, options) : reports

interface VerifyOptions {
  readonly rounds: readonly Duration[]
  /** After which no answer is awaited. */
  readonly timeout: Duration
  /** Only what the service confirmed in this run (good), or every confirmed hostname. */
  readonly only: 'sent' | 'confirmed'
  /** Only this hostname. */
  readonly hostname?: string
  /** Right after an update: replies in the reports are new. */
  readonly isAfterUpdate: boolean
  readonly system: SystemPorts
  readonly signal: AbortSignal
  readonly askService?: AskService
}

/** The reports, with what the name servers give for the hostnames of accounts that `verify` is on for. */
async function verifiedReports(
  { accounts }: Pick<ResolvedSettings, 'accounts'>,
  reports: readonly AccountReport[],
  options: VerifyOptions,
): Promise<readonly AccountReport[]> {
  const ports = await verifyPorts(options.system)
  const signal = AbortSignal.any([options.signal, ports.clock.deadline(options.timeout)])
  const byKey = new Map(accounts.map((account) => [accountKey(account), account]))
  return Promise.all(
    reports.map(async (report) => {
      const account = byKey.get(report.account)
      if (account?.verify !== true) return report
      return {
        ...report,
        hostnames: await verifiedHosts(report.hostnames, account, { ...options, signal, ports, accounts }),
      }
    }),
  )
}

type HostContext = VerifyOptions & VerifyContext & { readonly accounts: readonly ClientAccount[] }

const NOT_IN_TIME: Publication = {
  state: 'unverified',
  servers: [],
  because: 'its name servers were not found in time',
}

/** The first hostnames of an account stand for all. */
async function verifiedHosts(
  hosts: readonly HostReport[],
  account: ClientAccount,
  context: HostContext,
): Promise<readonly HostReport[]> {
  const chosen = new Set(
    hosts.filter((host) => isVerified(host, context)).slice(0, MAX_VERIFIED_NAMES.ofAccount),
  )
  return Promise.all(
    hosts.map(async (host) => {
      if (!chosen.has(host)) return host
      if (host.isProxied === true) return { ...host, published: HIDDEN_BY_SERVICE }
      const verification = {
        ...verificationOf(host, context),
        ...givenServers(account),
        ...offFamilies(host.hostname, account, context.accounts),
        askService: async () => asked(host, account, context),
      }
      const last = await verify(verification, context)
      return { ...host, published: last ?? NOT_IN_TIME }
    }),
  )
}

/** A daemon has asked the service; this process does where it has the password. */
const asked = async (
  host: HostReport,
  account: ClientAccount,
  { askService }: HostContext,
): Promise<boolean | undefined> =>
  host.published?.state === 'hidden' ? true : askService?.(account, host.hostname, host.confirmed)

const isVerified = (host: HostReport, { only, hostname = host.hostname }: HostContext): boolean =>
  host.hostname === hostname &&
  isDomainName(host.hostname) &&
  Object.keys(host.confirmed).length > 0 &&
  !host.isOffline &&
  (only === 'confirmed' || isChanged(host.answered))

/** Whether the reply, in the form of a report, says that the service changed its records. */
const isChanged = (answered: string | null): boolean => isChangeReply((answered ?? '').split(' ')[0] ?? '')

/** Of a hostname that was confirmed in an earlier run, the addresses before are not known. */
function verificationOf(host: HostReport, { rounds, isAfterUpdate, system }: HostContext): Verification {
  const { hostname, confirmed, sent, answered, since } = host
  const confirmedAt = since === null ? undefined : parseInstant(since)
  const age = milliseconds(Math.max(0, system.clocks().wall - (confirmedAt ?? 0)))
  return {
    hostname,
    addresses: confirmed,
    previous: sent?.previous ?? {},
    rounds,
    isAwaited: true,
    ...(!(isAfterUpdate && isChanged(answered)) && { age }),
  }
}
