import { between, type Instant, instant, seconds } from '../../../shared/base/time.ts'
import type { Evidence } from '../../report/diagnose.ts'
import type { SourceAnswer } from '../../detect/survey.ts'
import { isAtRouter } from '../../detect/sources/hop-probe.ts'
import { PUBLIC_SERVICES } from '../../detect/sources/services.ts'
import type { SourceSpec } from '../../detect/sources/spec.ts'
import { type Address, parseAddress } from '../../../shared/base/address.ts'
import { straysIn } from '../../detect/agree.ts'
import { defaultGateway } from '../../detect/default-gateway.ts'
import type { NetworkPorts, SystemPorts } from '../../../shared/ports/system.ts'
import { type CachingResolve, cachingResolve } from '../../detect/sources/cached-names.ts'
import { RELEASED } from '../../../shared/platform/clock/release-date.ts'
import type { Http, HttpOutcome } from '../../../shared/ports/http.ts'
import { detectionBy } from '../../detect/detection.ts'
import { userAgentOf } from '../jobs.ts'
import { confirmedIn, savedStateOf } from '../state/confirmed.ts'
import type { ResolvedSettings } from '../../settings/settings.ts'
import { type Asker, surveySources } from '../../detect/survey-sources.ts'

/** Measures this host, its network and its sources for a diagnosis. Sends no update. */
export async function evidenceOf(
  settings: ResolvedSettings,
  { ask }: Pick<Asker, 'ask'>,
  system: SystemPorts,
): Promise<Evidence> {
  const network = await system.network()
  const state = await savedStateOf(settings, system)
  const { resolve } = cachingResolve(network.lookUpName, system.steady)
  const userAgent = userAgentOf(settings)
  const detection = (await detectionBy(system))(settings, {
    userAgent,
    report: () => undefined,
    wake: () => undefined,
    published: (family) => (state === undefined ? [] : confirmedIn(state, family)),
    remembered: async (family) => Promise.resolve(state?.lines?.[family]),
    end: new AbortController().signal,
  })
  const specs = settings.config.sources ?? PUBLIC_SERVICES.map(({ spec }) => spec)
  const [survey, gateway, names, responses, way] = await Promise.all([
    surveySources(settings, detection, {
      ask,
      clock: system.steady,
      signal: new AbortController().signal,
    }),
    defaultGateway(network)(),
    Promise.all(
      hostsOf(settings, specs).map(async (one) =>
        ask(`the address of ${one.host}`, resolveHost(one, resolve), () => ({ ...one, isFound: false })),
      ),
    ),
    Promise.all(
      specs
        .flatMap((spec) => (spec.kind === 'web' ? spec.url : []))
        .map(async (url) =>
          ask(url, request(url, userAgent, network.http), () => ({ url, outcome: TIMED_OUT })),
        ),
    ),
    detection.uplink('v4'),
  ])
  const now = system.clocks().wall
  const agreed = Object.fromEntries(
    survey.conclusions.flatMap(({ family, address }) => (address === null ? [] : [[family, address]])),
  )
  const elsewhere = way?.through ?? strayIn(survey.answers)
  const isDirect = elsewhere === undefined && !survey.answers.some((answer) => isRouterWord(answer))
  const isBehindSecond = isDirect && (await hasSecondRouter(agreed['v4'], system, network))
  return {
    answers: survey.answers,
    agreed,
    ...(isBehindSecond && { isBehindSecond }),
    hasGateway: gateway !== undefined,
    ...(elsewhere !== undefined && { elsewhere }),
    names,
    pages: responses.flatMap(({ url, outcome }) => pageOf(url, outcome)),
    clockAhead: clockAheadOf(responses, now),
    isBeforeRelease: now < RELEASED,
  }
}

/** A tunnel that takes some questions by a rule. */
function strayIn(answers: readonly SourceAnswer[]): string | undefined {
  const [tunnel] = straysIn(answers)
  return tunnel && `${tunnel} for some questions`
}

/** The router, or this host, states an IPv4 address, or that there is none: that says more than a probe. */
const isRouterWord = ({ source, family, sighting }: SourceAnswer): boolean =>
  family === 'v4' &&
  source.vantage !== 'outside' &&
  (sighting.kind === 'seen' ||
    (sighting.kind === 'none' && (source.vantage === 'router' || sighting.instead !== undefined)))

/** The first router does not answer at the address, and the next one does. */
async function hasSecondRouter(
  address: Address | undefined,
  { steady: clock }: SystemPorts,
  { datagram }: NetworkPorts,
): Promise<boolean> {
  if (address === undefined) return false
  const [probe, signal] = [{ datagram, clock, from: undefined }, new AbortController().signal]
  if (await isAtRouter({ ...probe, within: [1] }, address, signal)) return false
  return isAtRouter(probe, address, signal)
}

/** The host names of the services and of the sources. */
function hostsOf({ accounts, config }: ResolvedSettings, specs: readonly SourceSpec[]): readonly NamedHost[] {
  const own = accounts.map(({ server }) => new URL(server).hostname)
  const ofSources = specs.flatMap((spec) => {
    if (spec.kind === 'stun') return [spec.host]
    if (spec.kind === 'dns') return [spec.server]
    return spec.kind === 'web' ? [new URL(spec.url).hostname] : []
  })
  return [...new Set([...own, ...ofSources])]
    .filter((host) => parseAddress(host.replace(/^\[|\]$/g, '')) === undefined)
    .map((host) => ({
      host,
      ...(config.sources === undefined && !own.includes(host) && { isDefault: true }),
    }))
}

type NamedHost = Omit<Evidence['names'][number], 'isFound'>

async function resolveHost(
  named: NamedHost,
  resolve: CachingResolve['resolve'],
): Promise<Evidence['names'][number]> {
  const [v4, v6] = await Promise.all([resolve(named.host, 'v4'), resolve(named.host, 'v6')])
  return { ...named, isFound: v4.length + v6.length > 0 }
}

async function request(
  url: string,
  userAgent: string,
  http: Http,
): Promise<{ readonly url: string; readonly outcome: HttpOutcome }> {
  const limits = { connectTimeout: seconds(4), responseTimeout: seconds(8), maxBodyBytes: 4096 }
  const outcome = await http(
    { url, headers: { 'user-agent': userAgent }, ...limits },
    new AbortController().signal,
  )
  return { url, outcome }
}

const TIMED_OUT: HttpOutcome = { kind: 'unreached', stage: 'time-out', because: 'it did not answer in time' }

const IS_PAGE = /^\s*<(!doctype|html)/i

function pageOf(url: string, outcome: HttpOutcome): Evidence['pages'] {
  if (outcome.kind === 'unreached') return []
  const { location } = outcome.headers
  const isElsewhere =
    location !== undefined && URL.canParse(location, url) && new URL(location, url).host !== new URL(url).host
  return [{ url, isPage: IS_PAGE.test(outcome.body), ...(isElsewhere && { redirectsTo: location }) }]
}

/** By the Date header of the web sources (RFC 9110 §6.6.1): the median, because one of them may be wrong. */
function clockAheadOf(
  responses: readonly { readonly outcome: HttpOutcome }[],
  now: Instant,
): Evidence['clockAhead'] {
  const spans = responses
    .flatMap(({ outcome }) =>
      outcome.kind === 'answered' ? [Date.parse(outcome.headers['date'] ?? '')] : [],
    )
    .filter((at) => !Number.isNaN(at))
    .map((at) => between(instant(at), now))
    .toSorted((a, b) => a - b)
  return spans[Math.floor(spans.length / 2)]
}
