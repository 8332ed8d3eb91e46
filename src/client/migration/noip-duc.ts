import { Secret } from '../../net/secret.ts'
import type { DraftSettings } from '../setup/draft.ts'
import { listedNames, validHostnames } from './hostnames.ts'
import { type Imported, type ImportContext, type Lookup, Remarks } from './imported.ts'
import { DEFAULT_LOOKUP, fixedLookup, isAddressPage, shownPage } from './lookup.ts'
import { intervalOf, periodOf } from './periods.ts'
import { formatDuration, milliseconds } from '../../base/time.ts'
import { LEVELS } from '../../base/level.ts'

/** Options of the program by the variable that has the same meaning. */
// biome-ignore format: a table
const OPTIONS: Readonly<Record<string, string>> = {
  '--username': 'NOIP_USERNAME', '-u': 'NOIP_USERNAME', '--password': 'NOIP_PASSWORD', '-p': 'NOIP_PASSWORD', '--hostnames': 'NOIP_HOSTNAMES', '-g': 'NOIP_HOSTNAMES',
  '--check-interval': 'NOIP_CHECK_INTERVAL', '--http-timeout': 'NOIP_HTTP_TIMEOUT', '--ip-method': 'NOIP_IP_METHOD', '--exec-on-change': 'NOIP_EXEC_ON_CHANGE', '-e': 'NOIP_EXEC_ON_CHANGE',
  '--log-level': 'NOIP_LOG_LEVEL', '-l': 'NOIP_LOG_LEVEL',
}

interface Variable {
  readonly value: string
  readonly line: number
}
export type VariableMap = ReadonlyMap<string, Variable>

/** systemd.exec(5), EnvironmentFile=: quotes, and backslashes outside of single quotes. */
function unquoted(text: string): string {
  const single = /^'([^']*)'/.exec(text)?.[1]
  if (single !== undefined) return single
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  if (double !== undefined) return double.replaceAll(/\\(.)/g, '$1')
  return text
    .replace(/\s+#.*$/, '')
    .trimEnd()
    .replaceAll(/\\(.)/g, '$1')
}

/**
 * Variables of an environment file, of the environment in a compose file, of the output of docker inspect, or of a command
 * line of the program.
 */
export const environmentOf = (text: string): VariableMap =>
  new Map(
    text
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .flatMap((raw, at) =>
        variablesIn(raw).map(([name, value]) => [name, { value, line: at + 1 }] as const),
      ),
  )

function variablesIn(line: string): readonly (readonly [name: string, value: string])[] {
  const [, inspected, shown = ''] = /^\s*"([A-Z][A-Z0-9_]*)=((?:[^"\\]|\\.)*)",?\s*$/.exec(line) ?? []
  if (inspected !== undefined) return [[inspected, unquoted(`"${shown}"`)]]
  const [, name, value = ''] =
    /^\s*(?:-\s+)?(?:export\s+|Environment=)?["']?([A-Z][A-Z0-9_]*)\s*[=:]\s*(.*)$/.exec(line) ?? []
  if (name !== undefined) return [[name, unquoted(value.trim())]]
  return /^[^#]*(?:^|[\s/])noip-duc\s/.test(line) ? optionsOf(line) : []
}

/** `noip-duc -g a -u b`, as in the unit of a service. */
function optionsOf(line: string): readonly (readonly [string, string])[] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
  return words.flatMap((word, at) => {
    const [name = '', joined] = word.split('=', 2)
    const variable = OPTIONS[name]
    return variable === undefined ? [] : [[variable, joined ?? words[at + 1] ?? ''] as const]
  })
}

/** Reads the environment of noip-duc 3. */
export function importNoipDuc(text: string, { file }: ImportContext): Imported {
  const remarks = new Remarks(file)
  const all = environmentOf(text)
  const line = all.get('NOIP_USERNAME')?.line ?? 1
  const password = all.get('NOIP_PASSWORD')?.value
  const update = {
    place: { file, line },
    label: '',
    service: { provider: 'no-ip' },
    username: all.get('NOIP_USERNAME')?.value,
    password: password === undefined ? undefined : new Secret(password),
    hostnames: hostnamesOf(all, remarks),
    ipv4: true,
    ipv6: false,
    lookup: lookupOf(all, remarks),
    settings: {},
  }
  remarkOnRest(all, remarks)
  return { settings: clientSettings(all, remarks), updates: [update], remarks: remarks.all }
}

/** Every hostname of the key, at No-IP. */
const ALL_HOSTNAMES = 'all.ddnskey.com'

function hostnamesOf(all: VariableMap, remarks: Remarks): readonly string[] {
  const written = all.get('NOIP_HOSTNAMES')
  const names = listedNames(written?.value ?? '')
  if (names.length === 0) {
    remarks.add(
      'changed',
      written?.line ?? 1,
      `no hostnames are named, which means all of the login; ${ALL_HOSTNAMES} is written, which means all of a DDNS key`,
    )
    return [ALL_HOSTNAMES]
  }
  return validHostnames(names, written?.line ?? 1, remarks)
}

function lookupOf(all: VariableMap, remarks: Remarks): Lookup {
  const written = all.get('NOIP_IP_METHOD')
  for (const method of (written?.value ?? '').split(',').map((one) => one.trim())) {
    const fixed = method.startsWith('static:') ? fixedLookup(method.slice('static:'.length)) : undefined
    if (fixed !== undefined) return fixed
    if (method.includes('://') && !isAddressPage(method))
      remarks.once(
        'changed',
        written?.line ?? 1,
        `the page ${shownPage(method)}: the default sources are used; to use it, write sources = ["${shownPage(method)}"] and agreement = "one"`,
      )
  }
  if (written !== undefined)
    remarks.once('dropped', written.line, `NOIP_IP_METHOD=${written.value}: the default sources are used`)
  return DEFAULT_LOOKUP
}

function clientSettings(all: VariableMap, remarks: Remarks): DraftSettings {
  const interval = all.get('NOIP_CHECK_INTERVAL')
  const timeout = all.get('NOIP_HTTP_TIMEOUT')
  const span = timeout === undefined ? undefined : periodOf(timeout.value)
  const level = all.get('NOIP_LOG_LEVEL')?.value.toLowerCase()
  return {
    ...(interval !== undefined && intervalOf(interval, remarks)),
    ...(span !== undefined &&
      span >= 1000 && { response_timeout: formatDuration(milliseconds(Math.min(span, 600_000))) }),
    ...(level !== undefined && LEVELS.some((one) => one === level) && { log_level: level }),
  }
}

function remarkOnRest(all: VariableMap, remarks: Remarks): void {
  const hook = all.get('NOIP_EXEC_ON_CHANGE')
  if (hook !== undefined)
    remarks.add('lost', hook.line, 'NOIP_EXEC_ON_CHANGE: see on_change in docs/settings.md')
  for (const [name, { line }] of all)
    if (name.startsWith('NOIP_DAEMON_')) remarks.once('dropped', line, `${name} is not needed`)
}
