import { parseHostname } from '../../shared/base/hostname.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import type { PresetNames, Provider } from '../services/providers/provider.ts'
import { providerCalled } from '../services/providers/providers.ts'
import { readHostname, readHostnameOrLabel } from './hostname.ts'

/** Where hostnames are: at a service by its name, for a user that may be a domain. */
export interface NamesAt {
  readonly provider?: string | undefined
  readonly username?: string | undefined
}

/** A service without a row speaks the update protocol, which knows groups by a name without a dot. */
const ANY_SERVICE: PresetNames = { label: 'group' }

const presetNames = ({ provider }: NamesAt): PresetNames =>
  provider === undefined ? ANY_SERVICE : (providerCalled(provider)?.names ?? {})

export const isOneHostname = (at: NamesAt): boolean => presetNames(at).isSingle === true

/** Services whose hostnames are labels of networks, which may contain blanks. */
const hasBlanks = (at: NamesAt): boolean => presetNames(at).label === 'network'

/** A service with one zone has no other names. */
export const isOutside = (hostname: string, zone: string): boolean =>
  hostname !== zone && !hostname.endsWith(`.${zone}`)

/** Without a domain. */
const isLabel = (hostname: string): boolean => !hostname.replace(/^\*\./, '').includes('.')

/** The whole names that a word may stand for. */
const wholeNames = (word: string, { suffixes = ['example.com'] }: PresetNames): string =>
  suffixes.map((suffix) => `${word}.${suffix}`).join(' or ')

/** Why the service does not take these hostnames, one sentence for each rule that they break (decision 0076). */
export function nameProblems(hostnames: readonly string[], at: NamesAt): readonly string[] {
  const [preset, names] = [providerCalled(at.provider ?? ''), presetNames(at)]
  const { suffixes = [], isClosed = false, label } = names
  const { name: service = 'the service' } = preset ?? {}
  const first = (
    isWrong: (hostname: string) => boolean,
    problem: (hostname: string) => string,
  ): readonly string[] => hostnames.filter(isWrong).slice(0, 1).map(problem)
  const isApart = (hostname: string): boolean => suffixes.every((suffix) => isOutside(hostname, suffix))
  return [
    ...first(
      (name) => name.includes(' ') && !hasBlanks(at),
      (name) => `hostnames lists '${name}', which contains a blank`,
    ),
    ...first(
      (name) => isLabel(name) && !name.includes(' ') && label === undefined,
      (name) => `hostname ${name} has no domain; write the whole name, such as ${wholeNames(name, names)}`,
    ),
    ...first(
      (name) => name.includes('@') && label !== 'group',
      (name) => `hostname ${name} is an e-mail address; write the name of a host`,
    ),
    ...first(
      (name) => isClosed && !isLabel(name) && isApart(name),
      (name) =>
        `hostname ${name} is not at ${service}; write the whole name, such as ${wholeNames('home', names)}`,
    ),
    ...first(
      (name) => suffixes.includes(name.replace(/^\*\./, '')),
      (name) =>
        `hostname ${name} is the domain of ${service} itself; write your name in it, such as home.${suffixes[0]}`,
    ),
    ...first(
      (name) => name.startsWith('*.') && names.wildcard === false,
      (name) => `hostname ${name}: ${service} takes no wildcards; write ${name.slice(2)}`,
    ),
    ...(hostnames.length > 1 && names.isSingle === true
      ? [
          `the ${preset?.hasNoUsername === true ? 'token' : 'username'} belongs to one hostname at ${at.provider}; ` +
            'write an account for each hostname',
        ]
      : []),
  ]
}

/** Hostnames as they are typed: what they mean, and which of them are not written as they were typed. */
export interface TypedNames {
  readonly names: readonly string[]
  readonly notes: readonly string[]
}

/** The hostnames in a text, one or a list. The error is a sentence. */
export function readTypedNames(text: string, at: NamesAt): Result<TypedNames, string> {
  const words = text
    .split(hasBlanks(at) ? ',' : /[,\s]+/)
    .map(withoutQuotes)
    .filter((word) => word !== '')
  const names: string[] = []
  const notes: string[] = []
  for (const word of words) {
    const read = readTypedName(word, at)
    if (!read.ok) return err(`${word} ${read.error}`)
    if (read.value !== word && read.value !== word.toLowerCase()) notes.push(`${word} is ${read.value}`)
    if (!names.includes(read.value)) names.push(read.value)
  }
  const [problem] = names.length === 0 ? ['a hostname is needed'] : nameProblems(names, at)
  return problem === undefined ? ok({ names, notes }) : err(problem)
}

/** Text from a document or a browser has quotation marks of several kinds. */
const withoutQuotes = (text: string): string =>
  text.trim().replaceAll(/^["'`\u2018-\u201f\u00ab\u00bb]+|["'`\u2018-\u201f\u00ab\u00bb]+$/g, '')

function readTypedName(word: string, at: NamesAt): Result<string, string> {
  const bare = /^https?:\/\//i.test(word) && URL.canParse(word) ? new URL(word).hostname : word
  const zone = domainOfUser(at)
  if (zone !== undefined && (bare === '@' || bare.startsWith('@.')))
    return bare === '@' ? ok(zone) : readHostname(bare.slice(2))
  const read = (hasBlanks(at) ? readHostnameOrLabel : readHostname)(bare)
  return read.ok && isLabel(read.value) ? ok(wholeName(read.value, at, zone)) : read
}

/** The user of some services is a domain, which all names of the account are in. */
const domainOfUser = ({ provider = '', username = '' }: NamesAt): string | undefined =>
  providerCalled(provider)?.userIs === 'domain' ? parseHostname(username) : undefined

/** A label is known by its whole name where it can be in one domain only. */
function wholeName(label: string, at: NamesAt, zone: string | undefined): string {
  const { suffixes: [suffix, ...others] = [], isClosed = false } = presetNames(at)
  const only = isClosed && others.length === 0 ? suffix : zone
  return only === undefined ? label : `${label}.${only}`
}

/** A hostname that the answers so far suggest. */
export function suggestedHostname(at: NamesAt): string | undefined {
  if (at.provider === 'no-ip') return 'all.ddnskey.com'
  const preset: Provider | undefined = providerCalled(at.provider ?? '')
  return preset?.userIs === undefined ? undefined : parseHostname(at.username ?? '')
}
