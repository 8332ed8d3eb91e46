import { escapedPattern } from '../../../../services/template.ts'
import { Secret } from '../../../../../shared/base/secret.ts'
import type { DraftSettings } from '../../../draft.ts'
import { listedNames, validHostnames } from '../../hostnames.ts'
import type { ImportedService, Remarks, ServiceAddress } from '../../imported.ts'
import type { InadynSection, InadynValue } from './syntax.ts'
import { hasReplies, readOwnRequest } from '../../services/own-template.ts'
import { inadynServiceName, providerOfServer, splitServer } from '../../services/service-names.ts'
import { takeService } from '../../services/take-service.ts'
import { readUrlTemplate } from '../../services/url-template.ts'

export type InadynValues = ReadonlyMap<string, InadynValue>
export const inadynText = (values: InadynValues, name: string): string | undefined =>
  values.get(name)?.values[0]
export const inadynLine = (values: InadynValues, name: string): number => values.get(name)?.line ?? 0
export const isInadynOff = (text: string | undefined): boolean =>
  text !== undefined && /^(?:false|no|off|0)$/i.test(text)
export const isInadynOn = (text: string | undefined): boolean =>
  text !== undefined && /^(?:true|yes|on|1)$/i.test(text)

interface FoundAddress {
  readonly address: ServiceAddress
  readonly settings: DraftSettings
}

/** The service of a section; a text says why it is not taken. */
export function inadynService(
  { kind, name, line }: Pick<InadynSection, 'kind' | 'name' | 'line'>,
  values: InadynValues,
  remarks: Remarks,
): ImportedService | string {
  const row = kind === 'provider' ? inadynServiceName(name.replace(/:.*$/, '')) : undefined
  if (typeof row === 'object') {
    const valueOf = (key: string) => {
      const found = values.get(key)
      return found && { value: found.values[0] ?? '', line: found.line }
    }
    const names = writtenNames(values)
    const taken = takeService(row, { client: 'inadyn', line, names, remarks, valueOf })
    return {
      ...taken,
      hostnames: validHostnames(taken.namesOf(names), inadynLine(values, 'hostname'), remarks),
    }
  }
  const found = kind === 'provider' ? { address: { provider: row }, settings: {} } : addressOf(values)
  const password = inadynText(values, 'password')
  if (typeof found !== 'string')
    return {
      service: found.address,
      settings: found.settings,
      username: inadynText(values, 'username'),
      password: password === undefined ? undefined : new Secret(password),
      hostnames: inadynHostnames(values, remarks),
      read: new Set(),
    }
  return ownService(values, found, remarks)
}

/** What inadyn looks for without ddns-response, in any case of letters. */
const USUAL_RESPONSES = 'OK|good|true|updated'

/** A custom service with a request of its own; `why` says why it does not speak the update protocol. */
function ownService(values: InadynValues, why: string, remarks: Remarks): ImportedService | string {
  const url = customUrl(values)
  if (url === undefined || !/%[uphi]/.test(url)) return why
  const [username, password] = [inadynText(values, 'username'), inadynText(values, 'password')]
  const own = readOwnRequest({ url, username, password, isBasic: !/%p/.test(url) })
  if (!own.ok) return `its URL ${own.error}`
  const responses = values.get('ddns-response')
  const success = responses?.values.map(escapedPattern) ?? [USUAL_RESPONSES]
  if (responses === undefined && !hasReplies(own.value))
    remarks.add(
      'changed',
      inadynLine(values, 'ddns-server'),
      'success is what inadyn looks for without ddns-response; write what the service answers',
    )
  return {
    ...own.value,
    settings: { ...own.value.settings, ...(!hasReplies(own.value) && { success }) },
    hostnames: validHostnames(
      own.value.namesOf(writtenNames(values)),
      inadynLine(values, 'hostname'),
      remarks,
    ),
    read: new Set(['ddns-response']),
  }
}

function customUrl(values: InadynValues): string | undefined {
  const [server, path] = [inadynText(values, 'ddns-server'), inadynText(values, 'ddns-path') ?? '/']
  return server && `${server.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`
}

/** The address of a custom service that speaks the update protocol. */
function addressOf(values: InadynValues): FoundAddress | string {
  const [server, url] = [inadynText(values, 'ddns-server'), customUrl(values)]
  if (server === undefined || url === undefined) return 'ddns-server is missing'
  const path = inadynText(values, 'ddns-path') ?? '/'
  if (!/%[uphi]/.test(path)) return appended(server, path, isInadynOn(inadynText(values, 'append-myip')))
  const template = readUrlTemplate(url)
  if (!template.ok) return template.error
  return { address: template.value.service, settings: template.value.settings }
}

/** Without specifiers, inadyn appends the hostname, or the address, to the path. */
function appended(server: string, path: string, isAddress: boolean): FoundAddress | string {
  const [bare = '', query = ''] = path.split('?')
  const last = /(?:^|&)([A-Za-z0-9_.-]+)=$/.exec(query)?.[1]
  const split = splitServer(server.replace(/\/+$/, ''))
  if (split === undefined) return 'ddns-server is not the address of a service'
  const expected = isAddress ? 'myip' : 'hostname'
  if (last !== expected) return `its path does not end with ${expected}=, so it is not this protocol`
  const fixed = query.split('&').slice(0, -1)
  const foreign = fixed.find(
    (pair) => /^(?:myip|hostname)=/.test(pair) || !/^[A-Za-z0-9_.-]+=[A-Za-z0-9_.~:@/-]*$/.test(pair),
  )
  if (foreign !== undefined) return `its path has ${foreign.split('=')[0]}, which is not this protocol`
  return {
    address: { provider: providerOfServer(split.origin), server: split.origin, path: bare },
    settings: {
      ...(fixed.length > 0 && { parameters: fixed }),
      ...(isAddress && { hostname_parameter: 'none' }),
    },
  }
}

const writtenNames = (values: InadynValues): readonly string[] =>
  ((values.get('hostname') ?? values.get('alias'))?.values ?? []).flatMap(listedNames)

const inadynHostnames = (values: InadynValues, remarks: Remarks): readonly string[] =>
  validHostnames(writtenNames(values), (values.get('hostname') ?? values.get('alias'))?.line ?? 0, remarks)
