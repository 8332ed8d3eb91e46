import { type FirstLook, firstLook } from './first-look.ts'
import type { Conclusion } from '../../../detect/survey.ts'
import { draftOfAnswers, needsRecord, type SetupAnswers } from '../../../setup/answers.ts'
import { draftComplaint } from '../../../setup/file-complaints.ts'
import type { ConfigDraft } from '../../../setup/draft.ts'
import { parseServiceAddress } from '../../../settings/client-settings.ts'
import { readTypedNames, suggestedHostname } from '../../../settings/name-checks.ts'
import {
  UNSERVED_SERVICES,
  unservedText,
  unservedServiceCalled,
  PROVIDERS,
  providerCalled,
  presetServer,
} from '../../../services/providers/providers.ts'
import type { Provider } from '../../../services/providers/provider.ts'
import { readTypedSecret } from '../../../services/providers/secret-shape.ts'
import { Secret } from '../../../../shared/base/secret.ts'
import { systemPorts } from '../../system.ts'
import type { Prompts } from './prompts.ts'
import { FAMILY_NAMES } from '../../../../shared/base/address.ts'

/** Asks for one account: what the flags do not give, and again for what a start would refuse. */
export async function askForAccount(prompts: Prompts, given: SetupAnswers): Promise<ConfigDraft> {
  const service = await askForService(prompts, given)
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  if (preset !== undefined)
    prompts.note(preset.name, [
      ...(preset.hasNoUsername === true ? [] : [`username: ${preset.username}`]),
      `password: ${preset.password}`,
      ...(preset.apiKey === undefined ? [] : [`api_key: ${preset.apiKey}`]),
      ...(preset.note === undefined ? [] : [preset.note]),
    ])
  let answers: SetupAnswers = { ...given, ...service }
  let refused: string | undefined
  for (;;) {
    answers = { ...answers, ...(await askForMissing(prompts, answers, refused)) }
    const draft = draftOfAnswers(answers)
    const complaint = await draftComplaint(draft)
    const isAsked = complaint?.key !== undefined && ASKED.includes(complaint.key)
    // Else the plan says what is wrong.
    if (complaint === undefined || !isAsked || complaint.key === refused) return draft
    prompts.note('This is not accepted', [complaint.problem])
    refused = complaint.key
  }
}

/** Settings that a question is about. */
const ASKED: readonly (string | undefined)[] = ['username', 'record', 'hostnames']

async function askForMissing(
  prompts: Prompts,
  answers: SetupAnswers,
  refused: string | undefined,
): Promise<SetupAnswers> {
  const preset = answers.provider === undefined ? undefined : providerCalled(answers.provider)
  const isMissing = (key: string, value: unknown): boolean => value === undefined || key === refused
  const username =
    preset?.hasNoUsername !== true && isMissing('username', answers.username)
      ? await askForUsername(prompts, preset?.username)
      : answers.username
  const password = answers.password ?? (await askForPassword(prompts, answers.provider))
  const apiKey = answers.apiKey ?? (await askForApiKey(prompts, preset))
  const record =
    needsRecord(preset) && isMissing('record', answers.record)
      ? await prompts.text({
          message: 'The number of the record, which the website of the service shows',
          check: (text) => (text.trim() === '' ? 'it is required' : undefined),
        })
      : answers.record
  const isNamed = answers.hostnames !== undefined && answers.hostnames.length > 0
  const hostnames =
    isNamed && refused !== 'hostnames'
      ? answers.hostnames
      : await askForHostnames(prompts, { ...answers, username })
  const contact = answers.contact ?? (wantsContact(answers) ? await askForContact(prompts) : undefined)
  return { username, password, apiKey, record, hostnames, contact }
}

/** The update protocol wants an address in each request; other services do not read it. */
const wantsContact = ({ provider }: SetupAnswers): boolean => provider === undefined || provider === 'no-ip'

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

/** The first in the list. */
const MOST_USED: readonly string[] = [
  'cloudflare',
  'duckdns',
  'no-ip',
  'desec',
  'dynv6',
  'hetzner',
  'ovh',
  'ionos',
  'namecheap',
  'porkbun',
]

/** Services that have ended are found too, and explained. An address that is typed is that of another service. */
async function chooseService(prompts: Prompts): Promise<ChosenService> {
  const byUse = (name: string): number => (MOST_USED.includes(name) ? MOST_USED.indexOf(name) : Infinity)
  const choices = [
    ...Object.entries(PROVIDERS)
      .filter(([, { grade }]) => grade !== 'C')
      .toSorted(([one, { name }], [other, { name: next }]) =>
        byUse(one) === byUse(other) ? name.localeCompare(next, 'en') : byUse(one) - byUse(other),
      )
      .map(([value, provider]) => ({
        value,
        label: provider.name,
        hint: presetServer(provider)?.replace('https://', '') ?? 'your own host',
      })),
    { value: OTHER, label: 'another service, or my own', hint: 'give its address' },
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
  secretIn(
    prompts,
    await prompts.secret({
      message: `${name} (${what}); it is not shown`,
      check: (text) =>
        text === ''
          ? 'it is required'
          : /[\0-\x1f\x7f]/.test(text)
            ? 'it cannot contain control characters'
            : problemOf(readTypedSecret(new Secret(text), provider)),
    }),
    provider,
  )

function secretIn(prompts: Prompts, typed: string, provider: string | undefined): Secret {
  const read = readTypedSecret(new Secret(typed), provider)
  if (!read.ok) return new Secret(typed)
  if (read.value.notes.length > 0) prompts.note('As it is written', read.value.notes)
  return read.value.secret
}

export async function askForHostnames(prompts: Prompts, answers: SetupAnswers): Promise<readonly string[]> {
  const isLabel =
    answers.provider !== undefined &&
    providerCalled(answers.provider)?.settings['hostname_parameter'] === 'none'
  const text = await prompts.text({
    message: isLabel ? 'The hostname that the username stands for' : 'Hostnames, separated by commas',
    initial: suggestedHostname(answers),
    check: (typed) => {
      const read = readTypedNames(typed, answers)
      return read.ok ? undefined : read.error
    },
  })
  const read = readTypedNames(text, answers)
  const { names, notes } = read.ok ? read.value : { names: [], notes: [] }
  if (notes.length > 0) prompts.note('As they are written', notes)
  return names
}

export const firstLookLines = ({ conclusions, remarks }: FirstLook): readonly string[] => [
  ...conclusions.map(
    ({ family, address, because }) => `${FAMILY_NAMES[family]}: ${address ?? 'no address'} (${because})`,
  ),
  ...remarks,
]

/** What the sources report about this host. */
export async function lookOnce(prompts: Prompts): Promise<readonly Conclusion[]> {
  const found = await prompts.busy('Looking up the addresses of this host', firstLook(systemPorts()))
  const { conclusions } = found
  prompts.note('This host', conclusions.length === 0 ? ['no source could be asked'] : firstLookLines(found))
  return conclusions
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
