import { domainToUnicode } from 'node:url'
import { type FirstLook, firstLook } from './first-look.ts'
import type { Conclusion } from '../../../detect/survey.ts'
import {
  draftOfAnswers,
  type PublishedFamilies,
  type SetupAnswers,
  suggestedHostname,
  wholeHostname,
} from '../../../setup/answers.ts'
import type { ConfigDraft } from '../../../setup/draft.ts'
import { parseServiceAddress } from '../../../settings/client-settings.ts'
import { hasLabels, hostnameReaderFor } from '../../../settings/hostname.ts'
import {
  UNSERVED_SERVICES,
  unservedText,
  unservedServiceCalled,
  PROVIDERS,
  providerCalled,
  presetServer,
} from '../../../services/providers/providers.ts'
import type { Provider } from '../../../services/providers/provider.ts'
import { secretProblem } from '../../../services/providers/secret-shape.ts'
import { Secret } from '../../../../shared/base/secret.ts'
import { systemPorts } from '../../system.ts'
import type { Prompts } from './prompts.ts'
import { FAMILY_NAMES } from '../../../../shared/base/address.ts'

/** Asks for one account: what the flags do not give. */
export async function askForAccount(prompts: Prompts, given: SetupAnswers, look: Look): Promise<ConfigDraft> {
  const service = await askForService(prompts, given)
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  if (preset !== undefined)
    prompts.note(preset.name, [
      `username: ${preset.username}`,
      `password: ${preset.password}`,
      ...(preset.apiKey === undefined ? [] : [`api_key: ${preset.apiKey}`]),
      ...(preset.note === undefined ? [] : [preset.note]),
    ])
  const hasNone = preset?.hasNoUsername === true
  const username = given.username ?? (hasNone ? undefined : await askForUsername(prompts, preset?.username))
  const password = given.password ?? (await askForPassword(prompts, service.provider))
  const apiKey = given.apiKey ?? (await askForApiKey(prompts, preset))
  const answers = { ...given, ...service, username, password, apiKey }
  const hostnames = given.hostnames?.length ? given.hostnames : await askForHostnames(prompts, answers)
  const families =
    given.families ??
    (preset?.settings['ipv6'] === 'false' ? 'ipv4' : await askForFamilies(prompts, await look()))
  const contact = given.contact ?? (await askForContact(prompts))
  return draftOfAnswers({ ...answers, hostnames, families, contact })
}

const OTHER = 'other'

async function askForService(
  prompts: Prompts,
  given: SetupAnswers,
): Promise<Pick<SetupAnswers, 'provider' | 'server' | 'path'>> {
  const isNamed = given.provider !== undefined || given.server !== undefined
  const { value, typed } = isNamed ? { value: given.provider } : await chooseService(prompts)
  const provider = value === OTHER ? undefined : value
  if (typed === undefined && (given.server !== undefined || !needsServer(provider)))
    return { provider, server: given.server, path: given.path }
  const initial = typed === undefined ? undefined : withoutLogin(prompts, typed)
  const known = initial === undefined ? undefined : parseServiceAddress(initial)
  if (known?.ok === true) return { provider, ...known.value }
  if (known !== undefined) prompts.note('This address is not accepted', [`It ${known.error}.`])
  const address = await prompts.text({
    message: 'The address of the service, with its path if that is not /nic/update',
    initial,
    check: (text) => problemOf(parseServiceAddress(text)),
  })
  const read = parseServiceAddress(address)
  return { provider, ...(read.ok ? read.value : { server: address }) }
}

/** A password in a pasted address is not shown. */
function withoutLogin(prompts: Prompts, typed: string): string {
  const bare = typed.replace(/(^|:\/\/)[^/?#]*@/, '$1')
  if (bare !== typed)
    prompts.note('The login in the address is ignored', ['You enter the username and the password next.'])
  return bare
}

interface ChosenService {
  readonly value: string | undefined
  /** The address that was typed instead of a name. */
  readonly typed?: string
}

/** A text that looks like an address, and not like the name of a service; it may be a wrong one. */
const isLikeAddress = (typed: string): boolean =>
  /:\/\//.test(typed) || (/[.:]/.test(typed) && parseServiceAddress(typed).ok)

/** Services that have ended are found too, and explained. An address that is typed is that of another service. */
async function chooseService(prompts: Prompts): Promise<ChosenService> {
  const choices = [
    { value: OTHER, label: 'another service, or my own', hint: 'give its address' },
    ...Object.entries(PROVIDERS)
      .filter(([, { grade }]) => grade !== 'C')
      .map(([value, provider]) => ({
        value,
        label: provider.name,
        hint: presetServer(provider)?.replace('https://', '') ?? 'your own host',
      })),
    ...Object.entries(UNSERVED_SERVICES).map(([value, { name }]) => ({
      value,
      label: name,
      hint: 'not served',
    })),
  ]
  for (;;) {
    let typed: string | undefined
    const value = await prompts.choose({
      message: 'Which service hosts your hostname?',
      choices,
      isSearch: true,
      standsFor: (text) => {
        typed = isLikeAddress(text.trim()) ? text.trim() : undefined
        return typed === undefined ? undefined : OTHER
      },
    })
    const ended = unservedServiceCalled(value)
    if (ended === undefined) return { value, ...(value === OTHER && typed !== undefined && { typed }) }
    prompts.note(ended.name, [unservedText(ended)])
  }
}

const problemOf = (read: { readonly ok: boolean; readonly error?: string }): string | undefined =>
  read.ok ? undefined : `it ${read.error ?? 'is not valid'}`

/** Undefined if the service has no secret, or if an optional one is not given. */
async function askForApiKey(prompts: Prompts, preset: Provider | undefined): Promise<Secret | undefined> {
  if (preset?.apiKey === undefined) return undefined
  if (preset.isApiKeyOptional !== true) return askForSecret(prompts, 'API key', { what: preset.apiKey })
  const isWanted = await prompts.confirm(`Is there an API key (${preset.apiKey})?`, false)
  return isWanted ? askForSecret(prompts, 'API key', { what: 'the API key' }) : undefined
}

const problemIn = (problem: string | undefined): string | undefined => problem && `it ${problem}`

export const askForUsername = async (prompts: Prompts, what: string | undefined): Promise<string> =>
  prompts.text({
    message: `Username (${what ?? 'the username of the DDNS key'})`,
    check: (text) =>
      text === ''
        ? 'a username is needed'
        : text.includes(':')
          ? 'a username cannot contain a colon'
          : undefined,
  })

export async function askForPassword(prompts: Prompts, provider: string | undefined): Promise<Secret> {
  const preset = provider === undefined ? undefined : providerCalled(provider)
  const what = preset?.password ?? 'the password of the DDNS key'
  return askForSecret(prompts, 'Password', { what, provider })
}

const askForSecret = async (
  prompts: Prompts,
  name: string,
  { what, provider }: { readonly what: string; readonly provider?: string | undefined },
): Promise<Secret> =>
  new Secret(
    await prompts.secret({
      message: `${name} (${what}); it is not shown`,
      check: (text) =>
        text === ''
          ? 'it is required'
          : /[\0-\x1f\x7f]/.test(text)
            ? 'it cannot contain control characters'
            : problemIn(secretProblem(new Secret(text), provider)),
    }),
  )

export async function askForHostnames(prompts: Prompts, answers: SetupAnswers): Promise<readonly string[]> {
  const isLabel =
    answers.provider !== undefined &&
    providerCalled(answers.provider)?.settings['hostname_parameter'] === 'none'
  const readHostname = hostnameReaderFor(answers.provider)
  const between = hasLabels(answers.provider) ? /\s*,\s*/ : /[,\s]+/
  const split = (text: string): readonly string[] =>
    text
      .trim()
      .split(between)
      .filter((one) => one !== '')
  const text = await prompts.text({
    message: isLabel ? 'The hostname that the username stands for' : 'Hostnames, separated by commas',
    initial: suggestedHostname(answers),
    check: (typed) => {
      const wrong = split(typed).flatMap((one) => {
        const read = readHostname(one)
        return read.ok ? [] : [`${one} ${read.error}`]
      })
      return split(typed).length === 0 ? 'a hostname is needed' : wrong[0]
    },
  })
  const names = split(text).flatMap((one) => {
    const read = readHostname(one)
    return read.ok ? [wholeHostname(read.value, answers.provider)] : []
  })
  const foreign = names.filter((name) => name.includes('xn--'))
  if (foreign.length > 0)
    prompts.note(
      'Sent in ASCII',
      foreign.map((name) => `${domainToUnicode(name)} is sent as ${name}`),
    )
  return names
}

export const firstLookLines = ({ conclusions, remarks }: FirstLook): readonly string[] => [
  ...conclusions.map(
    ({ family, address, because }) => `${FAMILY_NAMES[family]}: ${address ?? 'no address'} (${because})`,
  ),
  ...remarks,
]

type Look = () => Promise<readonly Conclusion[]>

/** What the sources report about this host, asked once. */
export function lookOnce(prompts: Prompts): Look {
  let seen: readonly Conclusion[] | undefined
  return async () => {
    if (seen !== undefined) return seen
    const found = await prompts.busy('Looking up the addresses of this host', firstLook(systemPorts()))
    seen = found.conclusions
    prompts.note('This host', seen.length === 0 ? ['no source could be asked'] : firstLookLines(found))
    return seen
  }
}

async function askForFamilies(prompts: Prompts, seen: readonly Conclusion[]): Promise<PublishedFamilies> {
  const isWithoutIpv6 =
    seen.some(({ family, address }) => family === 'v4' && address !== null) &&
    seen.every(({ family, address }) => family === 'v4' || address === null)
  return prompts.choose<PublishedFamilies>({
    message: 'Which addresses should be published?',
    choices: [
      { value: 'both', label: isWithoutIpv6 ? 'IPv4, and IPv6 as soon as there is one' : 'IPv4 and IPv6' },
      { value: 'ipv4', label: 'IPv4 only' },
      { value: 'ipv6', label: 'IPv6 only' },
    ],
    initial: 'both',
  })
}

const askForContact = async (prompts: Prompts): Promise<string> =>
  prompts.text({
    message:
      'Your e-mail address, so that the service can write to you before it blocks the client (empty: none)',
    initial: '',
    check: (text) =>
      text === '' || /^[!-;=?A-~]+@[A-Za-z0-9.-]+$/.test(text) ? undefined : 'it is not an e-mail address',
  })

const needsServer = (provider: string | undefined): boolean =>
  provider === undefined || presetServer(providerCalled(provider)) === undefined
