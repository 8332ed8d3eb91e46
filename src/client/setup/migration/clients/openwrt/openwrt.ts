import {
  CHECKED_CERTIFICATE,
  type FormatRow,
  type ImportContext,
  type Imported,
  type ImportedUpdate,
  type Lookup,
  Remarks,
} from '../../imported.ts'
import { commandLookup, DEFAULT_LOOKUP, interfaceLookup, isAddressPage, shownPage } from '../../lookup.ts'
import { openwrtService } from './services.ts'
import { intervalOf, type PeriodSettings, refreshOf } from '../../periods.ts'
import { type UciSection, uciSections } from './uci.ts'

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
function importOpenwrt(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  const sections = uciSections(text)
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

function sectionUpdate(section: UciSection, file: string, remarks: Remarks): readonly ImportedUpdate[] {
  const { name, line, options } = section
  const text = (key: string): string | undefined => options.get(key)?.value
  const service = openwrtService(section, remarks)
  if (typeof service === 'string') {
    remarks.add('not taken', line, `service ${name}: ${service}`)
    return []
  }
  const isIpv6 = text('use_ipv6') === '1'
  const authorities = text('cacert')
  remarkOnRest(
    { ...section, options: new Map([...options].filter(([key]) => !service.read.has(key))) },
    remarks,
  )
  const { interval, refresh } = periodSettings(section, remarks)
  return [
    {
      place: { file, line },
      label: name,
      service: service.service,
      username: service.username,
      password: service.password,
      apiKey: service.apiKey,
      hostnames: service.hostnames,
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

function openwrtLookup({ options, line: section }: UciSection, remarks: Remarks): Lookup {
  const source = options.get('ip_source')
  const line = source?.line ?? section
  const text = (key: string): string => options.get(key)?.value ?? ''
  // The default of ddns-scripts.
  switch (source?.value ?? 'network') {
    case 'interface':
      return interfaceLookup(text('ip_interface'))
    case 'network': {
      const network = text('ip_network') || (text('use_ipv6') === '1' ? 'wan6' : 'wan')
      remarks.once(
        'changed',
        line,
        `ip_source network ${network}: the addresses of all interfaces are used; ` +
          'for one of them, write sources = ["interface:DEVICE"] with the device that "ubus call ' +
          `network.interface.${network} status" shows`,
      )
      return { kind: 'sources', sources: ['interfaces'], network: network.replace(/_?6$/, '') }
    }
    case 'script':
      return commandLookup(text('ip_script'))
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
function periodSettings({ options, line: top }: UciSection, remarks: Remarks): PeriodSettings {
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

function remarkOnRest({ options }: UciSection, remarks: Remarks): void {
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
function remarkOnGlobal({ options }: UciSection, remarks: Remarks): void {
  const authorities = options.get('cacert')
  if (authorities !== undefined && !/^(?:IGNORE)?$/.test(authorities.value))
    remarks.add('lost', authorities.line, 'cacert of all services: see ca_file in docs/settings.md')
}

export const OPENWRT: FormatRow = {
  read: importOpenwrt,
  matches: (text) => /^[ \t]*config[ \t]+(?:service|ddns)\b/m.test(text) || /^ddns\.[^.=]+=/m.test(text),
  files: ['/etc/config/ddns'],
  stop: '/etc/init.d/ddns disable; /etc/init.d/ddns stop',
}
