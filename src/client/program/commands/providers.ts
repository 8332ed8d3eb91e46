import type { Exit } from '../../../shared/program/exit-codes.ts'
import { CHECKED, type Grade, type Provider } from '../../services/providers/provider.ts'
import {
  UNSERVED_SERVICES,
  unservedServiceCalled,
  parseProvider,
  unservedText,
  aliasedProvider,
  PROVIDERS,
  providerCalled,
} from '../../services/providers/providers.ts'
import { dialectOf, ownReplies } from '../../../shared/protocol/dialect.ts'
import type { ProvidersFlags } from './flags.ts'
import { fail, printJson, printWrapped } from '../../../shared/program/output.ts'

const GRADES: Readonly<Record<Grade, string>> = {
  A: 'confirmed by pages of the service, or by reports since 2024',
  B: 'as maintained clients use it',
  C: 'named by lists only',
}

/** `holdfast providers`: lists the services that are known by name, or explains one. Asks no service. */
export function providersCommand({ asJson, name }: ProvidersFlags): Promise<Exit> {
  return Promise.resolve(
    name === undefined ? listServices(asJson) : explain(name.trim().toLowerCase(), asJson),
  )
}

function listServices(asJson: boolean): Exit {
  if (asJson) {
    printJson({ checked: CHECKED, providers: PROVIDERS, notServed: UNSERVED_SERVICES })
    return 'settled'
  }
  const rows = Object.entries(PROVIDERS)
  const width = Math.max(...rows.map(([key]) => key.length))
  const grades = Object.entries(GRADES).flatMap(([grade, text]) => [
    '',
    `Grade ${grade}: ${text}`,
    ...rows
      .filter(([, provider]) => provider.grade === grade)
      .map(([key, provider]) => `  ${key.padEnd(width)}  ${provider.name}`),
  ])
  printWrapped(
    `Services known by name, checked ${CHECKED}. Write provider = "NAME"; holdfast providers NAME explains one.`,
    ...grades,
  )
  return 'settled'
}

function explain(name: string, asJson: boolean): Exit {
  const alias = aliasedProvider(name)
  if (alias !== undefined) return explain(alias, asJson)
  const provider = providerCalled(name)
  if (provider === undefined) return unknown(name, asJson)
  if (asJson) printJson({ provider: name, checked: CHECKED, ...provider })
  else printWrapped(...explanationOf(name, provider))
  return 'settled'
}

function unknown(name: string, asJson: boolean): Exit {
  const ended = unservedServiceCalled(name)
  if (ended !== undefined)
    return fail({ exit: 'usage', messages: [`${name} is not served: ${unservedText(ended)}`] }, asJson)
  const parsed = parseProvider(name)
  return fail({ exit: 'usage', messages: [`${name} ${parsed.ok ? '' : parsed.error}`] }, asJson)
}

function explanationOf(
  name: string,
  { name: title, grade, settings, ...provider }: Provider,
): readonly string[] {
  return [
    `${title} (provider = "${name}"), grade ${grade}: ${GRADES[grade]}; checked ${CHECKED}`,
    `  username: ${provider.username}`,
    `  password: ${provider.password}`,
    ...(provider.apiKey === undefined ? [] : [`  api_key: ${provider.apiKey}`]),
    ...(provider.note === undefined ? [] : [`  note: ${provider.note}`]),
    ...(provider.ifUnreached === undefined ? [] : [`  if it is not reached: ${provider.ifUnreached}`]),
    '  settings:',
    ...Object.entries(settings).map(([key, value]) => `    ${key} = ${value}`),
    ...replyLines(name),
  ]
}

/** What the service answers beyond the words of the protocol. */
function replyLines(name: string): readonly string[] {
  const replies = ownReplies(dialectOf(name))
  const lines = replies.map(
    ({ reply, like, hasDump }) => `    ${reply}: like ${like}${hasDump ? '' : ' (no dump)'}`,
  )
  return [
    ...(lines.length === 0 ? [] : ['  additional replies:', ...lines]),
    ...(replies.every(({ hasDump }) => hasDump) ? [] : [`  no dump: ${NO_DUMP}`]),
  ]
}

const NO_DUMP = 'no documentation or user report shows this reply; another client looks for it'
