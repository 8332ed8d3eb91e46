import { seconds } from '../../../../shared/base/time.ts'
import { natLine } from '../../../agent/wording.ts'
import { natOf } from '../../../detect/nat.ts'
import { verify, ONE_ROUND } from '../../../verify/verify.ts'
import { ACCOUNT_SETTINGS } from '../../../settings/client-settings.ts'
import { onOff } from '../../../../shared/settings/reader.ts'
import { fromEnvironment, readTable } from '../../../../shared/settings/setting.ts'
import type { Conclusion } from '../../../detect/survey.ts'
import { connectionProblem } from '../../../../shared/platform/http/connect.ts'
import type { SystemPorts } from '../../../../shared/ports/system.ts'
import type { Addresses } from '../../../../shared/base/address.ts'
import { detectionBy } from '../../../detect/detection.ts'
import { userAgentOf } from '../../jobs.ts'
import { readSettings } from '../../../settings/settings.ts'
import { surveySources } from '../../../detect/survey-sources.ts'
import { givenServers, isDomainName, verifyPorts } from '../../verify/verify-account.ts'

/** A new user waits for each of these. */
const TIMEOUT = { look: seconds(8), names: seconds(5), connection: seconds(5) } as const

export interface FirstLook {
  readonly conclusions: readonly Conclusion[]
  /** What else a new user must know. */
  readonly remarks: readonly string[]
}

const NO_FLAGS = {
  layer: {},
  configFile: undefined,
  accounts: [],
  knownVariables: () => Promise.resolve([]),
}

/** The addresses of this host, as the sources see them now. Sends no update. */
export async function firstLook(system: SystemPorts): Promise<FirstLook> {
  const settings = await readSettings(NO_FLAGS, 'nothing')
  if (!settings.ok) return { conclusions: [], remarks: [] }
  const signal = system.steady.deadline(TIMEOUT.look)
  const detection = (await detectionBy(system))(settings.value, {
    userAgent: userAgentOf(settings.value),
    report: () => undefined,
    wake: () => undefined,
    published: () => [],
    remembered: () => Promise.resolve(undefined),
    end: signal,
  })
  const expired = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const ask = async <T>(_of: string, answer: Promise<T>, otherwise: () => T): Promise<T> =>
    Promise.race([answer, expired.then(otherwise)])
  const { conclusions, answers } = await surveySources(settings.value, detection, {
    ask,
    clock: system.steady,
    signal,
  })
  const outside = conclusions.find(({ family }) => family === 'v4')?.address ?? null
  // Behind carrier-grade NAT, the name leads to an address that others share.
  const nat =
    outside === null
      ? undefined
      : natOf(
          answers.filter(({ family }) => family === 'v4'),
          outside,
        )
  return { conclusions, remarks: nat === undefined || outside === null ? [] : [natLine(nat, outside)] }
}

/** Whether each hostname has these addresses already, at the name servers of its zone. */
type NameState = 'current' | 'different' | 'missing' | 'unknown'

export async function statesOfNames(
  hostnames: readonly string[],
  addresses: Addresses,
  system: SystemPorts,
): Promise<ReadonlyMap<string, NameState>> {
  if (!mayAskNameServers()) return new Map()
  const signal = system.steady.deadline(TIMEOUT.names)
  const ports = await verifyPorts(system)
  const servers = serversInEnvironment()
  const states = await Promise.all(
    hostnames
      .filter(isDomainName)
      .slice(0, 10)
      .map(async (hostname) => {
        const publication = await verify(
          { hostname, addresses, previous: {}, rounds: ONE_ROUND, isAwaited: true, ...servers },
          { ports, signal },
        )
        return [hostname, stateOf(publication?.servers.map(({ finding }) => finding) ?? [])] as const
      }),
  )
  return new Map(states)
}

/** HOLDFAST_VERIFY_SERVERS, as for the account that is set up. */
function serversInEnvironment(): ReturnType<typeof givenServers> {
  const layer = fromEnvironment(ACCOUNT_SETTINGS, process.env)
  const { values } = readTable(ACCOUNT_SETTINGS, [layer], { subject: '', file: '' })
  return givenServers(values)
}

/** The setting `verify`, where the environment has it. */
function mayAskNameServers(): boolean {
  const given = fromEnvironment(ACCOUNT_SETTINGS, process.env)['verify']?.value
  const read = typeof given === 'string' ? onOff.read(given) : undefined
  return read?.ok !== true || read.value
}

function stateOf(findings: readonly string[]): NameState {
  const answered = findings.filter((finding) => finding !== 'lame' && finding !== 'silent')
  if (answered.length === 0) return 'unknown'
  if (answered.every((finding) => finding === 'seen')) return 'current'
  return answered.every((finding) => finding === 'missing') ? 'missing' : 'different'
}

/** Why no connection to the service can be made. No request is sent, because every request is an update. */
export const serviceProblem = async (server: string): Promise<string | undefined> =>
  connectionProblem(server, TIMEOUT.connection)
