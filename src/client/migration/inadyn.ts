import { Secret } from '../../net/secret.ts'
import type { DraftSettings } from '../setup/draft.ts'
import { listedNames, validHostnames } from './hostnames.ts'
import {
  CHECKED_CERTIFICATE,
  type Imported,
  type ImportContext,
  type ImportedUpdate,
  type Lookup,
  Remarks,
  type ServiceAddress,
} from './imported.ts'
import { type InadynSection, type InadynValue, parseInadyn } from './inadyn-syntax.ts'
import { commandLookup, DEFAULT_LOOKUP, interfaceLookup, isAddressPage, shownPage } from './lookup.ts'
import { intervalOf, refreshOf } from './periods.ts'
import { endedAt, providerOfInadyn, providerOfServer, splitServer } from './service-names.ts'
import { readUrlTemplate } from './url-template.ts'

const DROPPED: ReadonlySet<string> = new Set([
  'verify-address',
  'cache-dir',
  'logfile',
  'pidfile',
  'syslog',
  'startup-delay',
  'ca-path',
  'username',
  'password',
  'hostname',
  'alias',
])
// biome-ignore format: a list
const READ: ReadonlySet<string> = new Set([
  'username', 'password', 'hostname', 'alias', 'ssl', 'wildcard', 'iface', 'checkip-command', 'checkip-server', 'checkip-path', 'checkip-ssl', 'period', 'forced-update',
  'allow-ipv6', 'ddns-server', 'ddns-path', 'user-agent', 'secure-ssl', 'broken-rtc', 'ca-trust-file', 'ca-path', 'fake-address', 'append-myip', 'verify-address', 'iterations', 'include',
])

type Values = ReadonlyMap<string, InadynValue>
const textOf = (values: Values, name: string): string | undefined => values.get(name)?.values[0]
const lineOf = (values: Values, name: string): number => values.get(name)?.line ?? 0
const isOff = (text: string | undefined): boolean => text !== undefined && /^(?:false|no|off|0)$/i.test(text)
const isOn = (text: string | undefined): boolean => text !== undefined && /^(?:true|yes|on|1)$/i.test(text)

/** Reads inadyn.conf of inadyn 2. */
export function importInadyn(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  const { top, sections } = wholeFile(text, { context, remarks })
  const updates = sections.flatMap((section) => sectionUpdate(section, { top, context, remarks }))
  remarkOnRest(top, remarks)
  return { settings: clientSettings(top, remarks), updates, remarks: remarks.all }
}

interface WholeFile {
  readonly top: Values
  readonly sections: readonly InadynSection[]
}

interface Including {
  readonly context: ImportContext
  readonly remarks: Remarks
  /** The file that is read, where an include leads to it: remarks and values have the line of the first one. */
  readonly from?: { readonly line: number; readonly paths: readonly string[] }
}

/** The settings and sections of a file, and of those that its top includes. Its own settings win. */
function wholeFile(text: string, { context, remarks, from }: Including): WholeFile {
  const { top, sections, faults } = parseInadyn(text, context.variable)
  const at = (line: number): number => from?.line ?? line
  const inFile = from === undefined ? '' : `include("${from.paths.at(-1)}"), line `
  for (const { line, problem } of faults)
    remarks.add('lost', at(line), inFile === '' ? problem : `${inFile}${line}: ${problem}`)
  const included = top.includes.map(({ line, values: [path = ''] }): WholeFile => {
    const paths = [...(from?.paths ?? []), path]
    const found = from?.paths.includes(path) === true ? IN_A_CIRCLE : context.include(path)
    if ('text' in found) return wholeFile(found.text, { context, remarks, from: { line: at(line), paths } })
    remarks.add('lost', at(line), `include("${path}"): ${found.problem}`)
    return { top: new Map(), sections: [] }
  })
  const own = [...top.settings].map(([key, one]) => [key, { ...one, line: at(one.line) }] as const)
  return {
    top: new Map([...included.flatMap((one) => [...one.top]), ...own]),
    sections: [
      ...sections.map((section) => ({ ...section, line: at(section.line) })),
      ...included.flatMap((one) => one.sections),
    ],
  }
}

const IN_A_CIRCLE = { problem: 'it includes itself' } as const

interface SectionContext {
  readonly top: Values
  readonly context: ImportContext
  readonly remarks: Remarks
}

function sectionUpdate(
  section: InadynSection,
  { top, context, remarks }: SectionContext,
): readonly ImportedUpdate[] {
  const { kind, name, line } = section
  const label = `${kind} ${name}`
  if (kind !== 'provider' && kind !== 'custom') {
    remarks.add('lost', line, `${kind} is not a section of inadyn`)
    return []
  }
  const own = withIncludes(section, context, remarks)
  const values: Values = new Map([...top, ...own])
  const refused = refusalOf(values, kind, name)
  if (refused !== undefined) {
    remarks.add('not taken', line, `${label}: ${refused}`)
    return []
  }
  const service = serviceOf(kind, name, own)
  if (typeof service === 'string') {
    remarks.add('not taken', line, `${label}: ${service}`)
    return []
  }
  if (isOff(textOf(own, 'ssl')))
    remarks.add(
      'changed',
      lineOf(own, 'ssl'),
      `${label}: the service is asked with https; if it has only http, ` +
        `write server = "${(service.address.server ?? 'http://…').replace('https:', 'http:')}"`,
    )
  remarkOnCertificates(values, remarks)
  remarkOnRest(own, remarks)
  const password = textOf(own, 'password')
  const allowsIpv6 = isOn(textOf(values, 'allow-ipv6'))
  const isIpv6Name = name.startsWith('ipv6@')
  const authorities = textOf(values, 'ca-trust-file')
  return [
    {
      place: { file: context.file, line },
      label: name,
      service: service.address,
      username: textOf(own, 'username'),
      password: password === undefined ? undefined : new Secret(password),
      hostnames: inadynHostnames(own, remarks),
      ipv4: !isIpv6Name,
      ipv6: isIpv6Name || allowsIpv6,
      lookup: inadynLookup(values, remarks),
      settings: { ...service.settings, ...(authorities !== undefined && { ca_file: authorities }) },
    },
  ]
}

/** Files that a section includes, often for the password; `~` is the home folder. */
function withIncludes(section: InadynSection, context: ImportContext, remarks: Remarks): Values {
  const included = section.includes.flatMap(({ line, values: [path = ''] }) => {
    const found = context.include(path)
    if ('problem' in found) {
      remarks.add('lost', line, `include("${path}"): ${found.problem}`)
      return []
    }
    return [...parseInadyn(found.text, context.variable).top.settings].map(
      ([key, { values }]) => [key, { line, values }] as const,
    )
  })
  return new Map([...included, ...section.settings])
}

/** Why an account stays with inadyn. */
function refusalOf(values: Values, kind: string, name: string): string | undefined {
  if (isOn(textOf(values, 'fake-address'))) return 'fake-address publishes a false address for a moment'
  if (kind !== 'provider' || providerOfInadyn(name.replace(/:.*$/, '')) !== undefined) return undefined
  return endedAt(name) ?? `${name} is not a service of this protocol; leave inadyn in use for it`
}

interface FoundService {
  readonly address: ServiceAddress
  readonly settings: DraftSettings
}

/** The service of a section; a text says why it is not taken. */
function serviceOf(kind: string, name: string, values: Values): FoundService | string {
  if (kind === 'provider')
    return { address: { provider: providerOfInadyn(name.replace(/:.*$/, '')) }, settings: {} }
  const server = textOf(values, 'ddns-server')
  if (server === undefined) return 'ddns-server is missing'
  const path = textOf(values, 'ddns-path') ?? '/'
  if (!/%[uphi]/.test(path)) return appended(server, path, isOn(textOf(values, 'append-myip')))
  const template = readUrlTemplate(`${server.replace(/\/+$/, '')}${path.startsWith('/') ? '' : '/'}${path}`)
  if (!template.ok) return `its URL ${template.error}`
  return { address: template.value.service, settings: template.value.settings }
}

/** Without specifiers, inadyn appends the hostname, or the address, to the path. */
function appended(server: string, path: string, isAddress: boolean): FoundService | string {
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

function inadynHostnames(values: Values, remarks: Remarks): readonly string[] {
  const written = values.get('hostname') ?? values.get('alias')
  return validHostnames((written?.values ?? []).flatMap(listedNames), written?.line ?? 0, remarks)
}

function inadynLookup(values: Values, remarks: Remarks): Lookup {
  const command = textOf(values, 'checkip-command')
  if (command !== undefined) return commandLookup(command)
  const page = textOf(values, 'checkip-server')
  if (page !== undefined && page !== 'default' && !isAddressPage(page))
    remarks.once(
      'changed',
      lineOf(values, 'checkip-server'),
      `the page ${shownPage(page)}: the default sources are used; a page with other text around the address cannot be used`,
    )
  const name = textOf(values, 'iface')
  return name === undefined ? DEFAULT_LOOKUP : interfaceLookup(name)
}

function clientSettings(values: Values, remarks: Remarks): DraftSettings {
  const period = textOf(values, 'period')
  const forced = textOf(values, 'forced-update')
  if (textOf(values, 'iterations') === '1')
    remarks.add(
      'changed',
      lineOf(values, 'iterations'),
      'iterations = 1: use holdfast update, or its timer, instead of the daemon',
    )
  if (isOff(textOf(values, 'verify-address')))
    remarks.add(
      'lost',
      lineOf(values, 'verify-address'),
      'verify-address = false; to publish private addresses, write allow = ["private"]',
    )
  return {
    ...(period !== undefined && intervalOf({ value: period, line: lineOf(values, 'period') }, remarks)),
    ...(forced !== undefined && refreshOf({ value: forced, line: lineOf(values, 'forced-update') }, remarks)),
  }
}

function remarkOnCertificates(values: Values, remarks: Remarks): void {
  const isUnchecked = isOff(textOf(values, 'secure-ssl'))
  if (isUnchecked)
    remarks.once('changed', lineOf(values, 'secure-ssl'), `secure-ssl = false: ${CHECKED_CERTIFICATE}`)
  if (isOn(textOf(values, 'broken-rtc')))
    remarks.once('changed', lineOf(values, 'broken-rtc'), `broken-rtc: ${CHECKED_CERTIFICATE}`)
}

/** What has no counterpart, by its own name. */
function remarkOnRest(values: Values, remarks: Remarks): void {
  const agent = values.get('user-agent')
  if (agent !== undefined)
    remarks.once(
      'dropped',
      agent.line,
      'user-agent: services ask for an honest one, which Holdfast sends; write contact to add your e-mail address',
    )
  if (isOn(textOf(values, 'wildcard')))
    remarks.once('lost', lineOf(values, 'wildcard'), 'wildcard has no counterpart; set it up at the service')
  for (const [name, { line }] of values)
    if (!READ.has(name))
      remarks.once(
        DROPPED.has(name) ? 'dropped' : 'lost',
        line,
        DROPPED.has(name) ? `${name} is not needed` : `${name} has no counterpart`,
      )
}
