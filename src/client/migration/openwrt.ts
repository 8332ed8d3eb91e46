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
import { commandLookup, DEFAULT_LOOKUP, interfaceLookup, isAddressPage, shownPage } from './lookup.ts'
import { intervalOf, type PeriodSettings, refreshOf } from './periods.ts'
import { endedAt, providerOfOpenwrt } from './service-names.ts'
import { readUrlTemplate } from './url-template.ts'

interface Option {
  readonly value: string
  readonly line: number
}
interface Section {
  readonly type: string
  readonly name: string
  readonly line: number
  readonly options: Map<string, Option>
}

/** The first word. Outside quotes, "#" begins a comment and ";" another statement. */
const unquoted = (text: string): string =>
  [...(WORD.exec(text)?.[0] ?? '').matchAll(PIECE)]
    .map(
      ([, single, double, escaped, bare]) =>
        single ?? double?.replaceAll(/\\(.)/g, '$1') ?? escaped ?? bare ?? '',
    )
    .join('')

const PIECE = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\#;]+)/g
const WORD = /^\s*(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\#;])*/

/** UCI: `config TYPE 'NAME'`, `option NAME 'VALUE'`, `list NAME 'VALUE'`, or the lines of `uci show`. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = []
  const named = new Map<string, Section>()
  for (const [at, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = at + 1
    const header = /^\s*config\s+(\S+)(?:\s+(.+))?$/.exec(raw)
    if (header?.[1] !== undefined) {
      sections.push({ type: unquoted(header[1]), name: unquoted(header[2] ?? ''), line, options: new Map() })
      continue
    }
    const option = /^\s*(?:option|list)\s+(\S+)\s+(.*)$/.exec(raw)
    if (option?.[1] !== undefined) {
      add(sections.at(-1), unquoted(option[1]), {
        value: unquoted(option[2] ?? ''),
        line,
        isList: /^\s*list/.test(raw),
      })
      continue
    }
    const shown = /^ddns\.([^.=]+)(?:\.([^=]+))?=(.*)$/.exec(raw.trim())
    if (shown?.[1] === undefined) continue
    if (shown[2] === undefined) {
      const section = { type: unquoted(shown[3] ?? ''), name: shown[1], line, options: new Map() }
      named.set(shown[1], section)
      sections.push(section)
    } else add(named.get(shown[1]), shown[2], { value: unquoted(shown[3] ?? ''), line })
  }
  return sections
}

function add(
  section: Section | undefined,
  name: string,
  { isList = false, ...option }: Option & { readonly isList?: boolean },
): void {
  const earlier = isList ? section?.options.get(name) : undefined
  section?.options.set(
    name,
    earlier === undefined ? option : { ...option, value: `${earlier.value},${option.value}` },
  )
}

const DROPPED: ReadonlySet<string> = new Set([
  'use_https',
  'lookup_host',
  'interface',
  'dns_server',
  'force_dnstcp',
  'use_syslog',
  'use_logfile',
  'retry_interval',
  'retry_unit',
  'retry_max_count',
  'retry_count',
  'use_ipv6',
  'is_glue',
  'force_ipversion',
  'param_opt',
  'param_enc',
  'enabled',
])
// biome-ignore format: a list
const READ_OPTIONS: ReadonlySet<string> = new Set([
  'service_name', 'update_url', 'update_script', 'domain', 'username', 'password', 'cacert', 'ip_source', 'ip_interface', 'ip_network', 'ip_url', 'ip_script',
  'check_interval', 'check_unit', 'force_interval', 'force_unit',
])
const LOST: ReadonlySet<string> = new Set(['proxy', 'bind_network', 'ip_script'])

/** Reads /etc/config/ddns of OpenWrt. */
export function importOpenwrt(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  const sections = sectionsOf(text)
  const services = sections.filter(({ type }) => type === 'service')
  const active = services.filter(({ options }) => options.get('enabled')?.value === '1')
  for (const { name, line } of services.filter((one) => !active.includes(one)))
    remarks.add('dropped', line, `service ${name} is not enabled`)
  const updates = active.flatMap((section) => sectionUpdate(section, context.file, remarks))
  for (const section of sections) if (section.type === 'ddns') remarkOnGlobal(section, remarks)
  const isPrivate = sections.some(
    ({ type, options }) => type === 'ddns' && options.get('upd_privateip')?.value === '1',
  )
  return {
    settings: { ...(isPrivate && { allow: ['private'] }), when_stopped: 'idle' },
    updates,
    remarks: remarks.all,
  }
}

interface FoundService {
  readonly address: ServiceAddress
  readonly settings: DraftSettings
  readonly username?: string | undefined
  readonly password?: string | undefined
}

function sectionUpdate(section: Section, file: string, remarks: Remarks): readonly ImportedUpdate[] {
  const { name, line, options } = section
  const text = (key: string): string | undefined => options.get(key)?.value
  const service = serviceOf(section, remarks)
  if (typeof service === 'string') {
    remarks.add('not taken', line, `service ${name}: ${service}`)
    return []
  }
  const isIpv6 = text('use_ipv6') === '1'
  const password = text('password') ?? service.password
  const authorities = text('cacert')
  remarkOnRest(section, remarks)
  const { interval, refresh } = periodSettings(section, remarks)
  return [
    {
      place: { file, line },
      label: name,
      service: service.address,
      username: text('username') ?? service.username,
      password: password === undefined ? undefined : new Secret(password),
      hostnames: openwrtHostnames(section, remarks),
      ipv4: !isIpv6,
      ipv6: isIpv6,
      lookup: openwrtLookup(section, remarks),
      settings: {
        ...service.settings,
        ...(authorities?.endsWith('.pem') === true || authorities?.endsWith('.crt') === true
          ? { ca_file: authorities }
          : {}),
        ...(refresh !== undefined && { refresh }),
      },
      interval,
    },
  ]
}

/** The error is why the section stays with ddns-scripts. */
function serviceOf({ options }: Section, remarks: Remarks): FoundService | string {
  const named = options.get('service_name')
  if (named !== undefined && named.value !== '' && named.value !== '-') {
    const provider = providerOfOpenwrt(named.value)
    return provider === undefined
      ? (endedAt(named.value) ?? `service_name ${named.value} is not a service of this protocol`)
      : { address: { provider }, settings: {} }
  }
  if (options.has('update_script')) return 'update_script is a program of its own'
  const url = options.get('update_url')
  if (url === undefined) return 'neither service_name nor update_url is set'
  const template = readUrlTemplate(withOptions(url.value, options))
  if (!template.ok) return `update_url ${template.error}`
  if (template.value.isPlain && options.get('use_https')?.value !== '1')
    remarks.once(
      'changed',
      url.line,
      'the service is asked with https; if it has only http, ' +
        `write server = "${(template.value.service.server ?? '').replace('https:', 'http:')}"`,
    )
  return { address: template.value.service, ...template.value }
}

/** ddns-scripts puts two options of the section into its URL: one encoded, one as it is. */
const withOptions = (url: string, options: ReadonlyMap<string, Option>): string =>
  url
    .replaceAll('[PARAMENC]', encodeURIComponent(options.get('param_enc')?.value ?? ''))
    .replaceAll('[PARAMOPT]', options.get('param_opt')?.value ?? '')

/** `host@domain` means host.domain. */
function openwrtHostnames({ options }: Section, remarks: Remarks): readonly string[] {
  const written = options.get('domain') ?? options.get('lookup_host')
  const names = listedNames(written?.value ?? '').map((one) => one.replace(/^@/, '').replace('@', '.'))
  return validHostnames(names, written?.line ?? 0, remarks)
}

function openwrtLookup({ options }: Section, remarks: Remarks): Lookup {
  const source = options.get('ip_source')
  const line = source?.line ?? 0
  const text = (key: string): string => options.get(key)?.value ?? ''
  switch (source?.value) {
    case 'interface':
      return interfaceLookup(text('ip_interface'))
    case 'network':
      remarks.once(
        'changed',
        line,
        `ip_source network ${text('ip_network')}: the addresses of all interfaces are used; ` +
          'for one of them, write sources = ["interface:DEVICE"] with the device that "ubus call ' +
          `network.interface.${text('ip_network')} status" shows`,
      )
      return interfaceLookup(undefined)
    case 'script':
      return commandLookup(text('ip_script'))
    case undefined:
    default:
      if (text('ip_url') !== '' && !isAddressPage(text('ip_url')))
        remarks.once(
          'changed',
          options.get('ip_url')?.line ?? line,
          `the page ${shownPage(text('ip_url'))}: the default sources are used`,
        )
      return DEFAULT_LOOKUP
  }
}

const UNITS: Readonly<Record<string, string>> = { seconds: 's', minutes: 'm', hours: 'h', days: 'd' }

/** ddns-scripts checks every 10 minutes and sends again after 72 hours, if nothing is written; 0 means once. */
function periodSettings({ options, line: top }: Section, remarks: Remarks): PeriodSettings {
  const period = (key: string, usual: string, usualUnit: string) => {
    const { value, line } = options.get(`${key}_interval`) ?? { value: usual, line: top }
    const unit = options.get(`${key}_unit`)?.value ?? usualUnit
    return { value: `${value}${UNITS[unit] ?? 'm'}`, line }
  }
  const force = period('force', '72', 'hours')
  const isOnce = /^0[smhd]/.test(force.value)
  if (isOnce)
    remarks.add(
      'changed',
      force.line,
      'force_interval 0 means one update only: use holdfast update instead of the daemon',
    )
  return {
    ...intervalOf(period('check', '10', 'minutes'), remarks),
    ...(!isOnce && refreshOf(force, remarks)),
  }
}

function remarkOnRest({ options }: Section, remarks: Remarks): void {
  const authorities = options.get('cacert')
  if (authorities?.value === 'IGNORE')
    remarks.add('changed', authorities.line, `cacert IGNORE: ${CHECKED_CERTIFICATE}`)
  for (const [name, { value, line }] of options) {
    if (LOST.has(name) && value !== '' && name !== 'ip_script')
      remarks.once(
        'lost',
        line,
        `${name} has no counterpart${name === 'bind_network' ? '; see interface in docs/settings.md' : ''}`,
      )
    else if (name === 'param_opt' && value !== '' && options.get('service_name') !== undefined)
      remarks.once('lost', line, 'param_opt has no counterpart for a service by its name')
    // A word of another form is no option, and may be a part of a value.
    else if (
      !DROPPED.has(name) &&
      !READ_OPTIONS.has(name) &&
      !LOST.has(name) &&
      /^[a-z][a-z0-9_]*$/.test(name)
    )
      remarks.once('lost', line, `${name} has no counterpart`)
  }
}

/** Settings of all sections. */
function remarkOnGlobal({ options }: Section, remarks: Remarks): void {
  const authorities = options.get('cacert')
  if (authorities !== undefined && !/^(?:IGNORE)?$/.test(authorities.value))
    remarks.add('lost', authorities.line, 'cacert of all services: see ca_file in docs/settings.md')
}
