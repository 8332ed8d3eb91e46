import type { Imported, ImportContext, Remark } from '../../imported.ts'
import { importInadyn } from './inadyn2.ts'

/** The names of inadyn 1 for settings of inadyn 2. */
// biome-ignore format: a table
const INADYN2_NAMES: Readonly<Record<string, string>> = {
  username: 'username', password: 'password', alias: 'hostname', hostname: 'hostname', period: 'period', update_period: 'period', update_period_sec: 'period',
  forced_update: 'forced-update', forced_update_period: 'forced-update', iface: 'iface', bind_interface: 'iface', 'bind-interface': 'iface', ssl: 'ssl', enable_ssl: 'ssl',
  'enable-ssl': 'ssl', wildcard: 'wildcard', iterations: 'iterations', server_name: 'ddns-server', dyndns_server_name: 'ddns-server', server_url: 'ddns-path', dyndns_server_url: 'ddns-path',
  ip_server_name: 'checkip-server', 'checkip-url': 'checkip-server', user_agent: 'user-agent', 'user-agent': 'user-agent',
}
/** What systemd and the state folder do here. */
const NOT_NEEDED: ReadonlySet<string> = new Set([
  'background',
  'cache_file',
  'cache_dir',
  'log_file',
  'logfile',
  'pidfile',
  'syslog',
  'verbose',
  'change_persona',
  'startup_delay',
])
/** A word that is none of these may be a part of a password, so it is not shown. */
const WITHOUT_COUNTERPART: ReadonlySet<string> = new Set([
  'exec',
  'proxy_server',
  'fake_address',
  'allow_ipv6',
  'verify_address',
  'normal_mode_priority',
  'foreground',
  'once',
])
const SYSTEM = /^(?:--)?(?:system|dyndns_system|dyndns-system)$/
const SECTION_NAMES: ReadonlySet<string> = new Set([
  'username',
  'password',
  'hostname',
  'ssl',
  'wildcard',
  'ddns-server',
  'ddns-path',
])

/** Whether a line of the text is one of inadyn 1: a name and a value without "=". */
export const isInadyn1 = (text: string): boolean =>
  /^[ \t]*(?:--)?(?:dyndns[_-])?system[ \t]+[^\s={]+[ \t]*\r?$/m.test(text)

const requoted = (text: string): string => JSON.stringify(text.replace(/^(["'])(.*)\1$/, '$2'))

/** Reads inadyn.conf of inadyn 1, line by line, as the text of inadyn 2 with the same number of lines. */
export function importInadyn1(text: string, context: ImportContext): Imported {
  const lines = text.split('\n').map((raw) => {
    const line = raw.replace(/(?:^|\s)#.*$/, '').trim()
    const [, name = '', value = ''] = /^(\S+)(?:\s+(.*))?$/.exec(line) ?? []
    return { name, value }
  })
  // What stands before the first system belongs to it too.
  const systems = lines.flatMap(({ name }, at) => (SYSTEM.test(name) ? [at] : []))
  const global: string[] = []
  const early: string[] = []
  const output = lines.map(({ name, value }, at) => {
    if (SYSTEM.test(name)) {
      const isCustom = value.startsWith('custom@')
      const first = at === systems[0] ? ` ${early.join(' ')}` : ''
      const opened = `${isCustom ? 'custom' : 'provider'} ${requoted(value)} {${first}`
      return at === systems[0] ? opened : `} ${opened}`
    }
    const known = INADYN2_NAMES[name.replace(/^--/, '')]
    if (name === '' || known === undefined) return ''
    const setting = `${known} ${known === 'hostname' ? '+=' : '='} ${
      known === 'hostname'
        ? `{ ${value
            .split(/[,\s]+/)
            .filter((one) => one !== '')
            .map(requoted)
            .join(', ')} }`
        : requoted(value === '' ? 'true' : value)
    }`
    if (!SECTION_NAMES.has(known)) {
      global.push(setting)
      return ''
    }
    if (systems[0] === undefined || at > systems[0]) return setting
    early.push(setting)
    return ''
  })
  const read = importInadyn(
    `${output.join('\n')}${systems.length > 0 ? ' }' : ''}\n${global.join('\n')}`,
    context,
  )
  const lost = lines.flatMap(({ name }, at): readonly Remark[] => {
    const bare = name.replace(/^--/, '')
    if (bare === '' || SYSTEM.test(name) || INADYN2_NAMES[bare] !== undefined) return []
    const known = bare.replaceAll('-', '_')
    const isDropped = NOT_NEEDED.has(known)
    const isLost = WITHOUT_COUNTERPART.has(known)
    const text = isDropped
      ? `${bare} is not needed`
      : isLost
        ? `${bare} has no counterpart`
        : 'this line is not one of inadyn 1'
    return [{ kind: isDropped ? 'dropped' : 'lost', place: { file: context.file, line: at + 1 }, text }]
  })
  return { ...read, remarks: [...read.remarks, ...lost] }
}
