import { jobsOf } from '../../../../src/client/program/jobs.ts'
import { NO_DETECTION } from '../../../../src/client/detect/address-detection.ts'
import type { ResolvedSettings } from '../../../../src/client/settings/settings.ts'
import { readAccountFiles } from '../../../../src/client/settings/account-files.ts'
import type { Observation } from '../../../../src/client/decide/observation.ts'
import { exchange } from '../../../../src/client/agent/send/exchange.ts'
import { readClientConfig } from '../../../../src/client/settings/read-client.ts'
import { formatComplaint } from '../../../../src/shared/settings/setting.ts'
import type { Addresses } from '../../../../src/shared/base/address.ts'
import { toWire } from '../../../../src/shared/platform/http/service.ts'
import type { HttpRequest, ServiceHttp } from '../../../../src/shared/ports/http.ts'
import type { FakeWorld } from '../../../fakes/services/service.ts'
import { NO_DNS, START } from '../../../fakes/world.ts'
import { PASSWORD, type Played, worldOf } from './services.ts'
import type { Spoil } from './spoils.ts'

interface Given {
  readonly password?: string
  readonly hostname?: string
  readonly over?: Readonly<Record<string, unknown>>
}

/** A client of a service by its preset, and the world of that service. */
export async function played(
  of: Played,
  { password = PASSWORD, hostname = of.hostname, over = {} }: Given = {},
) {
  const layer = {
    provider: of.provider,
    hostnames: hostname,
    password,
    contact: 'maria@example.test',
    ...of.settings,
    ...over,
  }
  const config = readClientConfig({
    flags: Object.fromEntries(
      Object.entries(layer).map(([key, value]) => [key, { value, where: `--${key}` }]),
    ),
    environment: {},
    chosen: [],
  })
  if (!config.ok) throw new Error(config.error.map(formatComplaint).join('\n'))
  const { accounts, ...client } = config.value
  const [account] = accounts
  if (account === undefined) throw new Error('no account')
  const read = await readAccountFiles(account, false)
  if (!read.ok) throw new Error(read.error.join('\n'))
  const settings = { config: client, accounts: [read.value.account] } as unknown as ResolvedSettings
  const [job] = jobsOf(settings, NO_DETECTION)
  if (job === undefined) throw new Error('no job')
  const world: FakeWorld = worldOf(of)
  const services = [of.fake, ...(of.other === undefined ? [] : [of.other])].map(({ origin, make }) => ({
    origin,
    answer: make(world),
  }))
  const sent: HttpRequest[] = []
  const why: string[] = []
  const httpWith =
    (spoil: Spoil): ServiceHttp =>
    async (outgoing) => {
      const request = toWire(outgoing)
      sent.push(request)
      const { origin } = new URL(request.url)
      const service = services.find((one) => one.origin === origin)
      if (service === undefined) throw new Error(`no service at ${origin}`)
      const {
        status,
        headers = {},
        body,
      } = service.answer({
        method: request.method ?? 'GET',
        target: request.url.slice(origin.length),
        headers: request.headers,
        body: request.body ?? '',
      })
      if (headers['x-fake-why'] !== undefined) why.push(headers['x-fake-why'])
      return spoil({ kind: 'answered', status, headers, body }, sent.length)
    }
  const update = async (addresses: Addresses, spoil: Spoil = (answered) => answered): Promise<Observation> =>
    exchange(
      job.endpoint,
      { request: { hostnames: job.desired.hostnames, addresses }, endpoint: 0 },
      {
        now: () => START,
        pause: async () => undefined,
        dns: NO_DNS,
        signal: new AbortController().signal,
        http: httpWith(spoil),
      },
    )
  const valueOf = (type: 'A' | 'AAAA'): readonly string[] =>
    world.records.filter((one) => one.name === hostname && one.type === type).map(({ value }) => value)
  return { update, httpWith, world, sent, why, valueOf, job }
}
