import type { DraftSettings } from '../../../draft.ts'
import {
  CHECKED_CERTIFICATE,
  type ImportContext,
  type Imported,
  type ImportedUpdate,
  type Lookup,
  Remarks,
} from '../../imported.ts'
import {
  type InadynValues,
  inadynLine,
  inadynService,
  inadynText,
  isInadynOff,
  isInadynOn,
} from './services.ts'
import { type InadynSection, parseInadyn } from './syntax.ts'
import { commandLookup, DEFAULT_LOOKUP, interfaceLookup, isAddressPage, shownPage } from '../../lookup.ts'
import { intervalOf, refreshOf } from '../../periods.ts'
import { inadynServiceName, noService } from '../../services/service-names.ts'
import { usesHttps } from '../../services/own-template.ts'

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

/** Reads inadyn.conf of inadyn 2. */
export function importInadyn(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  const { top, sections } = wholeFile(text, { context, remarks })
  const updates = sections.flatMap((section) => sectionUpdate(section, { top, context, remarks }))
  remarkOnRest(top, remarks)
  return { settings: clientSettings(top, remarks), updates, remarks: remarks.all }
}

interface WholeFile {
  readonly top: InadynValues
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
  readonly top: InadynValues
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
  const values: InadynValues = new Map([...top, ...own])
  const refused = refusalOf(values, kind, name)
  if (refused !== undefined) {
    remarks.add('not taken', line, `${label}: ${refused}`)
    return []
  }
  const service = inadynService({ kind, name, line }, own, remarks)
  if (typeof service === 'string') {
    remarks.add('not taken', line, `${label}: ${service}`)
    return []
  }
  if (isInadynOff(inadynText(own, 'ssl')))
    remarks.add(
      'changed',
      inadynLine(own, 'ssl'),
      `${label}: ${usesHttps(`server = "${(service.service.server ?? 'http://…').replace('https:', 'http:')}"`)}`,
    )
  remarkOnCertificates(values, remarks)
  remarkOnRest(new Map([...own].filter(([key]) => !service.read.has(key))), remarks)
  const allowsIpv6 = isInadynOn(inadynText(values, 'allow-ipv6'))
  const isIpv6Name = name.startsWith('ipv6@')
  const authorities = inadynText(values, 'ca-trust-file')
  return [
    {
      place: { file: context.file, line },
      label: name,
      service: service.service,
      username: service.username,
      password: service.password,
      apiKey: service.apiKey,
      hostnames: service.hostnames,
      ipv4: !isIpv6Name,
      ipv6: isIpv6Name || allowsIpv6,
      lookup: inadynLookup(values, remarks),
      settings: { ...service.settings, ...(authorities !== undefined && { ca_file: authorities }) },
    },
  ]
}

/** Files that a section includes, often for the password; `~` is the home folder. */
function withIncludes(section: InadynSection, context: ImportContext, remarks: Remarks): InadynValues {
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
function refusalOf(values: InadynValues, kind: string, name: string): string | undefined {
  if (isInadynOn(inadynText(values, 'fake-address')))
    return 'fake-address publishes a false address for a moment'
  const service = inadynServiceName(name.replace(/:.*$/, ''))
  return kind !== 'provider' || service !== undefined ? undefined : noService('inadyn', name)
}

function inadynLookup(values: InadynValues, remarks: Remarks): Lookup {
  const command = inadynText(values, 'checkip-command')
  if (command !== undefined) return commandLookup(command)
  const page = inadynText(values, 'checkip-server')
  if (page !== undefined && page !== 'default' && !isAddressPage(page))
    remarks.once(
      'changed',
      inadynLine(values, 'checkip-server'),
      `the page ${shownPage(page)}: the default sources are used; a page with other text around the address cannot be used`,
    )
  const name = inadynText(values, 'iface')
  return name === undefined ? DEFAULT_LOOKUP : interfaceLookup(name)
}

function clientSettings(values: InadynValues, remarks: Remarks): DraftSettings {
  const period = inadynText(values, 'period')
  const forced = inadynText(values, 'forced-update')
  if (inadynText(values, 'iterations') === '1')
    remarks.add(
      'changed',
      inadynLine(values, 'iterations'),
      'iterations = 1: use holdfast update, or its timer, instead of the daemon',
    )
  if (isInadynOff(inadynText(values, 'verify-address')))
    remarks.add(
      'lost',
      inadynLine(values, 'verify-address'),
      'verify-address = false; to publish private addresses, write allow = ["private"]',
    )
  return {
    ...(period !== undefined && intervalOf({ value: period, line: inadynLine(values, 'period') }, remarks)),
    ...(forced !== undefined &&
      refreshOf({ value: forced, line: inadynLine(values, 'forced-update') }, remarks)),
  }
}

function remarkOnCertificates(values: InadynValues, remarks: Remarks): void {
  const isUnchecked = isInadynOff(inadynText(values, 'secure-ssl'))
  if (isUnchecked)
    remarks.once('changed', inadynLine(values, 'secure-ssl'), `secure-ssl = false: ${CHECKED_CERTIFICATE}`)
  if (isInadynOn(inadynText(values, 'broken-rtc')))
    remarks.once('changed', inadynLine(values, 'broken-rtc'), `broken-rtc: ${CHECKED_CERTIFICATE}`)
}

/** What has no counterpart, by its own name. */
function remarkOnRest(values: InadynValues, remarks: Remarks): void {
  const agent = values.get('user-agent')
  if (agent !== undefined)
    remarks.once(
      'dropped',
      agent.line,
      'user-agent: services ask for an honest one, which Holdfast sends; write contact to add your e-mail address',
    )
  if (isInadynOn(inadynText(values, 'wildcard')))
    remarks.once(
      'lost',
      inadynLine(values, 'wildcard'),
      'wildcard has no counterpart; set it up at the service',
    )
  for (const [name, { line }] of values)
    if (!READ.has(name))
      remarks.once(
        DROPPED.has(name) ? 'dropped' : 'lost',
        line,
        DROPPED.has(name) ? `${name} is not needed` : `${name} has no counterpart`,
      )
}
