import { release, type } from 'node:os'
import type { AccountJob } from '../agent/agent.ts'
import { type DesiredState, fingerprint } from '../decide/desired-state.ts'
import { nicUpdate } from '../services/protocols/nic-update.ts'
import type { ServiceEndpoint } from '../agent/send/exchange.ts'
import { accountKey } from '../settings/client-checks.ts'
import { PASSWORD_PLACE } from '../settings/parameter.ts'
import { secretNoun } from '../services/providers/secret-noun.ts'
import { NO_USERNAME } from '../settings/protocol-settings.ts'
import { providerCalled } from '../services/providers/providers.ts'
import { dialectOf } from '../../shared/protocol/dialect.ts'
import { PLAIN_FORM, type RequestForm, UPDATE_PATH } from '../../shared/protocol/request.ts'
import { agentToken, formatUserAgent } from '../../shared/protocol/user-agent.ts'
import { ABOUT } from '../../shared/program/about.ts'
import type { AddressDetection } from '../detect/address-detection.ts'
import type { ClientAccount, ResolvedSettings } from '../settings/settings.ts'

export const userAgentOf = ({ config }: Pick<ResolvedSettings, 'config'>): string =>
  config.userAgent ??
  formatUserAgent({
    company: 'Holdfast',
    product: 'holdfast',
    version: `${agentToken(type())}-${agentToken(release())}-${ABOUT.version}`,
    ...(config.contact !== undefined && { contact: config.contact }),
  })

/** The accounts for the loop; `detection` provides their addresses. */
export const jobsOf = (settings: ResolvedSettings, detection: AddressDetection): readonly AccountJob[] =>
  settings.accounts.map((account) => ({
    desired: desiredStateOf(account, settings),
    endpoint: endpointOf(account, settings),
    source: detection.providerFor(account),
    sources: Object.fromEntries(
      account.hosts.map((host) => [host.name, detection.providerFor(account, host)]),
    ),
  }))

/** The desired state of each account, for commands that detect no addresses. */
export const desiredStatesOf = (settings: ResolvedSettings): readonly DesiredState[] =>
  settings.accounts.map((account) => desiredStateOf(account, settings))

function desiredStateOf(account: ClientAccount, { config }: ResolvedSettings): DesiredState {
  const key = accountKey(account)
  const namelessKey = namelessKeyOf(account)
  return {
    account: key,
    ...(namelessKey !== key && { namelessKey }),
    ...(account.name !== undefined && { name: account.name }),
    hostnames: account.hostnames,
    families: [...(account.ipv4 ? (['v4'] as const) : []), ...(account.ipv6 ? (['v6'] as const) : [])],
    reliesOnConnection: account.myip === 'connection',
    isOffline: account.offline,
    nohostStops: account.nohostStops,
    refreshAfter: account.refresh,
    endpointCount: baseUrlsOf(account).length,
    form: formOf(account),
    pace: account.pace,
    ...(account.batch !== undefined && { batch: account.batch }),
    // A name is no other login: a stop stays when the account gets one.
    fingerprints: fingerprintsOf(account, namelessKey, config),
    ...ofService(account),
  }
}

/** Without the part that distinguishes it in a list; a program on the user's own host has no product name. */
const calledInText = (name: string): string =>
  name.startsWith('name server') ? 'the name server' : name.replace(/ \(.*/, '')

/** The key, where the service takes no username, and the name stands for it. */
function namelessKeyOf(account: ClientAccount): string {
  const { username, provider, url } = account.places
  const isNameless = username !== undefined && [provider, url].includes(username)
  return accountKey(isNameless ? { ...account, username: NO_USERNAME } : account)
}

function ofService({
  provider,
  makeProtocol,
  server,
}: ClientAccount): Pick<DesiredState, 'ifUnreached' | 'nouns'> {
  const known = provider === undefined ? undefined : providerCalled(provider)
  const speaksWords = makeProtocol === undefined
  if (known === undefined)
    return speaksWords
      ? {}
      : { nouns: { service: new URL(server).host, secret: 'password', hasUsername: true, speaksWords } }
  const { name, ifUnreached, hasNoUsername = false } = known
  return {
    nouns: {
      service: calledInText(name),
      secret: secretNoun(known),
      hasUsername: !hasNoUsername,
      speaksWords,
    },
    ...(ifUnreached !== undefined && { ifUnreached }),
  }
}

const formOf = (account: ClientAccount): RequestForm => ({
  hostnameParameter: account.hostnameParameter,
  addressParameter: account.addressParameter,
  ipv6Parameter: account.ipv6Parameter,
  isApart: account.families === 'apart',
  absentFamily: account.absentFamily,
  parameters: account.parameters.map(([name, value]) => [
    name,
    value === PASSWORD_PLACE ? account.password : value,
  ]),
  minGap: account.minGap,
})

export function endpointOf(
  account: ClientAccount,
  settings: Pick<ResolvedSettings, 'config'>,
): ServiceEndpoint {
  const { connectTimeout, responseTimeout } = settings.config
  const { username, password, authorities, path, ipv6Server } = account
  const credentials = { username, password }
  const form = formOf(account)
  const userAgent = userAgentOf(settings)
  const protocol =
    account.makeProtocol?.({ password, apiKey: account.apiKey, userAgent }) ??
    nicUpdate({
      baseUrls: baseUrlsOf(account),
      credentials,
      userAgent,
      path,
      form,
      dialect: dialectOf(account.provider),
      ...(ipv6Server !== undefined && { ipv6BaseUrl: ipv6Server }),
    })
  return {
    account: accountKey(account),
    protocol,
    credentials,
    secrets: [
      ...form.parameters.flatMap(([, value]) => (typeof value === 'string' ? [] : [value])),
      ...(account.apiKey === undefined ? [] : [account.apiKey]),
    ],
    connectTimeout,
    responseTimeout,
    ...(authorities !== undefined && { authorities }),
  }
}

/** The User-Agent also contains the kernel release, but only a change of our own part may lift a stop after badagent. */
function fingerprintsOf(
  account: ClientAccount,
  key: string,
  config: ResolvedSettings['config'],
): DesiredState['fingerprints'] {
  const credentials = fingerprint(key, account.password.reveal(), ...secretParametersOf(account))
  const { offline, hostnames, ipv6Parameter } = account
  const other = otherFormOf(account)
  return {
    credentials,
    agent: fingerprint(key, ABOUT.version, config.userAgent ?? '', config.contact ?? ''),
    settings: fingerprint(credentials, JSON.stringify([offline, hostnames, ipv6Parameter, ...other])),
  }
}

/** Of most accounts none, so that their fingerprints stay those of earlier versions. */
const secretParametersOf = (account: ClientAccount): readonly string[] => [
  ...formOf(account).parameters.flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [`${name}=${value.reveal()}`],
  ),
  ...(account.apiKey === undefined ? [] : [account.apiKey.reveal()]),
]

/**
 * What differs from the specification; nothing for most accounts, so that
 * their fingerprints stay those of earlier versions.
 */
function otherFormOf(account: ClientAccount): readonly string[] {
  const parameters = formOf(account).parameters.map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.reveal(),
  ])
  const form = { ...formOf(account), ipv6Parameter: PLAIN_FORM.ipv6Parameter, parameters }
  const text = JSON.stringify([form, account.path])
  const own = text === JSON.stringify([PLAIN_FORM, UPDATE_PATH]) ? [] : [text]
  return [...own, ...otherProtocolOf(account)]
}

/** What a service gets that does not speak `/nic/update`. */
function otherProtocolOf(account: ClientAccount): readonly string[] {
  if (account.makeProtocol === undefined) return []
  const { provider, url, ipv6Url, method, body, headers, zone, record, ttl, create } = account
  return [JSON.stringify([provider, url, ipv6Url, method, body, headers, zone, record, ttl, create])]
}

/** Ports 80 and 8245 are for networks that block https, if the user accepts that the password is sent in clear text. */
function baseUrlsOf({ server, httpFallback }: ClientAccount): readonly string[] {
  if (!httpFallback) return [server]
  const host = new URL(server).hostname
  return [server, `http://${host}`, `http://${host}:8245`]
}
