import { Secret } from '../../../../../shared/base/secret.ts'
import { ABSENT_FAMILY } from '../../../../../shared/protocol/request.ts'
import type { DraftSettings } from '../../../draft.ts'
import { rowOf } from '../../services/client-services.ts'
import { type DdclientLine, type DdclientSettings, ddclientLines } from './lines.ts'
import { ddclientLookups } from './lookup.ts'
import { commonSettings, remarkOnHttp, remarkOnUnknown } from './remarks.ts'
import { type HostLine, type DdclientUpdate, rowUpdates } from './rows.ts'
import { shownNames, validHostnames } from '../../hostnames.ts'
import {
  type FormatRow,
  type ImportContext,
  type Imported,
  type ImportedUpdate,
  Remarks,
  type ServiceAddress,
} from '../../imported.ts'
import { intervalOf } from '../../periods.ts'
import { readUrlTemplate } from '../../services/url-template.ts'
import { providerOfDdclient, providerOfServer, splitServer, noService } from '../../services/service-names.ts'

/** Protocols with a fixed server, where only `dyndns2` leaves it open. */
const DEFAULT_SERVER = 'members.dyndns.org'

const PASSWORD_ADVICE = ', or give Holdfast the password as HOLDFAST_PASSWORD'

/** Reads ddclient.conf, of ddclient 3 and 4. */
function importDdclient(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  let globals: DdclientSettings = new Map()
  const entries: (readonly DdclientUpdate[])[] = []
  /** A line for all hosts below it that could not be read. */
  let unread: number | undefined
  for (const one of ddclientLines(text, remarks)) {
    if (one.fault !== undefined) {
      remarks.add('not taken', one.line, `the line is not read, because ${one.fault.text}`)
      unread = one.fault.isOfHost ? unread : one.line
      continue
    }
    const own = withEnvironment(one, context, remarks)
    const host = own.get('host')?.value
    const [first, login, password] = one.rest
    const hosts = host ?? first
    if (hosts === undefined) {
      globals = new Map([...globals, ...own])
      continue
    }
    if (unread !== undefined) {
      const names = shownNames(hosts.split(','))
      remarks.add('not taken', one.line, `${names}: line ${unread}, which applies to it, is not read`)
      continue
    }
    const all = new Map([...globals, ...own, ...positional(one.line, login, password)])
    entries.push(updatesOf({ hosts, all, line: one.line, context, remarks, own }))
  }
  const updates = entries.flat()
  remarkOnUnknown(globals, remarks, new Set(updates.flatMap(({ read }) => [...read])))
  remarkOnRepeated(
    entries.flatMap((families) => families.slice(0, 1)),
    remarks,
  )
  return { settings: clientSettings(globals, remarks), updates, remarks: remarks.all }
}

const positional = (
  line: number,
  login: string | undefined,
  password: string | undefined,
): DdclientSettings =>
  new Map([
    ...(login === undefined ? [] : [['login', { value: login, line }] as const]),
    ...(password === undefined ? [] : [['password', { value: password, line }] as const]),
  ])

/** `NAME_env=VARIABLE` of ddclient 4. */
function withEnvironment(one: DdclientLine, { variable }: ImportContext, remarks: Remarks): DdclientSettings {
  return new Map(
    one.settings.flatMap(([name, value]) => {
      if (!name.endsWith('_env')) return [[name, { value, line: one.line }] as const]
      const found = variable(value)
      if (found === undefined) {
        remarks.add(
          'lost',
          one.line,
          `${name}: the environment variable ${value} is not set, so its value is missing; ` +
            `run the import with it${name === 'password_env' ? PASSWORD_ADVICE : ''}`,
        )
        return []
      }
      remarks.add(
        'changed',
        one.line,
        `${name}: the value of the environment variable ${value} is written instead`,
      )
      return [[name.slice(0, -'_env'.length), { value: found, line: one.line }] as const]
    }),
  )
}

/** One update for each way to an address. */
function updatesOf({ hosts, all, own, line, context, remarks }: HostLine): readonly DdclientUpdate[] {
  const { file } = context
  const protocol = all.get('protocol')?.value.toLowerCase() ?? 'dyndns2'
  const names = hosts.split(',').filter((name) => name !== '')
  const ofProtocol = providerOfDdclient(protocol)
  const row = rowOf('ddclient', protocol)
  if (typeof row === 'object') return rowUpdates(row, names, { all, own, line, context, remarks })
  if (protocol !== 'dyndns2' && ofProtocol === undefined) {
    const why = row ?? noService('ddclient', protocol)
    remarks.add('not taken', line, `protocol=${protocol} for ${shownNames(names)}: ${why}`)
    return []
  }
  remarkOnHttp(all, { line, remarks })
  const query = queryOf(all)
  if (query?.ok === false) {
    remarks.add('not taken', line, `${shownNames(names)}: the URL of server ${query.error}`)
    return []
  }
  const service = serviceOf(all, ofProtocol, remarks)
  if (service === undefined) {
    remarks.add('not taken', line, `${shownNames(names)}: server is not the address of a service`)
    return []
  }
  remarkOnUnknown(own, remarks, new Set())
  const lookups = ddclientLookups(all, line, remarks)
  const zone = all.get('zone') ?? all.get('domain')
  if (zone !== undefined) remarks.once('dropped', zone.line, 'zone and domain: the whole hostname is sent')
  const read = ddclientHostnames(names, line, remarks)
  const password = all.get('password')?.value
  const update = {
    place: { file, line },
    label: '',
    service,
    username: all.get('login')?.value,
    password: password === undefined || password === '' ? undefined : new Secret(password),
    hostnames: read.hostnames,
    settings: { ...query?.value.settings, ...read.settings, ...commonSettings(all, remarks) },
    read: new Set<string>(),
  }
  return lookups.map((lookup) => ({ ...update, ...lookup }))
}

/** Gateways of Ubiquiti have the whole URL as the server: host/update?ip=%i&hostname=%h. */
function queryOf(all: DdclientSettings): ReturnType<typeof readUrlTemplate> | undefined {
  const server = all.get('server')?.value
  return server?.includes('?') === true ? readUrlTemplate(server) : undefined
}

function serviceOf(
  all: DdclientSettings,
  ofProtocol: string | undefined,
  remarks: Remarks,
): ServiceAddress | undefined {
  const written = all.get('server')
  const ssl = all.get('ssl')
  if (written === undefined && ofProtocol !== undefined) return { provider: ofProtocol }
  const split = splitServer((written?.value ?? DEFAULT_SERVER).replace(/\/+$/, ''))
  if (split === undefined) return undefined
  if (split.hasLogin)
    remarks.once('lost', written?.line ?? 0, 'server has a login, which is not used: login and password are')
  const isPlain = split.isPlain || /^(?:no|false|0)$/i.test(ssl?.value ?? '')
  if (isPlain) {
    const line = (split.isPlain ? written?.line : ssl?.line) ?? 0
    remarks.once(
      'changed',
      line,
      `${split.origin.slice('https://'.length)} is asked with https; if it has only http, ` +
        `write server = "${split.origin.replace('https:', 'http:')}"`,
    )
  }
  const path = all.get('script')?.value ?? split.path
  const provider = providerOfServer(split.origin) ?? ofProtocol
  return { provider, server: split.origin, path: path === '' ? undefined : path }
}

/** A name with parameters behind it, such as home.example&myipv6=preserve, is a habit of ddclient's users. */
function ddclientHostnames(
  names: readonly string[],
  line: number,
  remarks: Remarks,
): { readonly hostnames: readonly string[]; readonly settings: DraftSettings } {
  const settings: Record<string, string> = {}
  const bareNames = names.map((name) => {
    const [bare = '', ...parameters] = name.split('&')
    for (const parameter of parameters) {
      const [key = '', value = ''] = parameter.split('=')
      const isAbsent = key.startsWith('myip') && ABSENT_FAMILY.some((word) => word === value)
      if (isAbsent) settings['absent_family'] = value
      else
        remarks.add(
          'lost',
          line,
          `a parameter behind the hostname${/^[a-z0-9_-]+$/i.test(key) ? `: ${key}` : ''}`,
        )
    }
    return bare
  })
  return { hostnames: validHostnames(bareNames, line, remarks), settings }
}

function clientSettings(globals: DdclientSettings, remarks: Remarks): DraftSettings {
  const daemon = globals.get('daemon')
  const isOnce = daemon === undefined || /^0[smhd]?$/.test(daemon.value)
  if (isOnce)
    remarks.add(
      'changed',
      daemon?.line ?? 1,
      'daemon is not set, so ddclient runs once per start; here the daemon checks the address, ' +
        'or holdfast update does it once',
    )
  const isLoud = ['debug', 'verbose'].some((name) => /^(?:yes|true|1)$/i.test(globals.get(name)?.value ?? ''))
  return {
    ...(!isOnce && daemon !== undefined && intervalOf(daemon, remarks)),
    ...(isLoud && { log_level: 'debug' }),
  }
}

/** ddclient 3.10 lets the last entry of a hostname win, 4.0 the first. */
function remarkOnRepeated(updates: readonly ImportedUpdate[], remarks: Remarks): void {
  const seen = new Set<string>()
  for (const { name, line } of updates.flatMap(({ hostnames, place }) =>
    hostnames.map((name) => ({ name, line: place.line })),
  )) {
    if (seen.has(name))
      remarks.add(
        'changed',
        line,
        `${name} is in two entries, and ddclient uses only one of them: 3.x the last, 4.x the first; ` +
          'here each account that has it sends it; keep one',
      )
    seen.add(name)
  }
}

/** Every ddclient file that updates a host has one of these settings. */
const MARKS: ReadonlySet<string> = new Set(['protocol', 'use', 'usev4', 'usev6', 'login', 'login_env'])
/** The longest list of words behind the settings of a line: hosts, login, password. */
const MAX_WORDS = 3
const LIKE_HOSTS = /^[\w*@&=.-]+$/

/**
 * Whether a text is a file of ddclient: every line is settings without blanks around the equals sign, and perhaps hosts. In
 * a script, or a file of another program, some line begins with another word.
 */
function isDdclient(text: string): boolean {
  // Sections, XML, and blocks.
  if (/^[ \t]*[[<]|[{};][ \t]*\r?$/m.test(text.replaceAll(/#.*$/gm, ''))) return false
  const lines = ddclientLines(text, new Remarks('')).filter(({ fault }) => fault === undefined)
  const settings = lines.flatMap((line) => line.settings)
  const protocol = settings.find(([name]) => name === 'protocol')?.[1]
  if (!settings.some(([name]) => MARKS.has(name))) return false
  if (protocol !== undefined && !/^[a-z0-9-]{2,}$/i.test(protocol)) return false
  const isHostLine = (rest: readonly string[]): boolean =>
    rest.length <= MAX_WORDS &&
    (rest[0] ?? '')
      .split(',')
      .every((name) => LIKE_HOSTS.test(name) && (protocol !== undefined || name.includes('.')))
  const hosts = lines.filter(({ rest }) => rest.length > 0)
  const hasHost = hosts.length > 0 || settings.some(([name]) => name === 'host')
  return hosts.every(({ rest }) => isHostLine(rest)) && (hasHost || protocol !== undefined)
}

export const DDCLIENT: FormatRow = {
  read: importDdclient,
  // The marks of all other formats come first.
  matches: isDdclient,
  files: ['/etc/ddclient/ddclient.conf', '/etc/ddclient.conf'],
  stop: 'systemctl disable --now ddclient',
}
