import { Secret } from '../../../../shared/base/secret.ts'
import type { DraftSettings } from '../../draft.ts'
import { environmentOf, type VariableMap } from '../environment.ts'
import { listedNames, validHostnames } from '../hostnames.ts'
import { type FormatRow, type ImportContext, type Imported, type Lookup, Remarks } from '../imported.ts'
import { DEFAULT_LOOKUP, fixedLookup, isAddressPage, shownPage } from '../lookup.ts'
import { intervalOf, periodOf } from '../periods.ts'
import { formatDuration, milliseconds } from '../../../../shared/base/time.ts'
import { LEVELS } from '../../../../shared/base/level.ts'

/** Options of the program by the variable that has the same meaning. */
// biome-ignore format: a table
const OPTIONS: Readonly<Record<string, string>> = {
  '--username': 'NOIP_USERNAME', '-u': 'NOIP_USERNAME', '--password': 'NOIP_PASSWORD', '-p': 'NOIP_PASSWORD', '--hostnames': 'NOIP_HOSTNAMES', '-g': 'NOIP_HOSTNAMES',
  '--check-interval': 'NOIP_CHECK_INTERVAL', '--http-timeout': 'NOIP_HTTP_TIMEOUT', '--ip-method': 'NOIP_IP_METHOD', '--exec-on-change': 'NOIP_EXEC_ON_CHANGE', '-e': 'NOIP_EXEC_ON_CHANGE',
  '--log-level': 'NOIP_LOG_LEVEL', '-l': 'NOIP_LOG_LEVEL',
}

/** `noip-duc -g a -u b`, as in the unit of a service. `-e` of docker is another option. */
function optionsOf(words: readonly string[]): readonly { readonly name: string; readonly value: string }[] {
  const start = words.findIndex((word) => /(?:^|\/)noip-duc(?::\S+)?$/.test(word))
  if (start < 0) return []
  return words.slice(start).flatMap((word, at, own) => {
    const [option = '', joined] = word.split('=', 2)
    const name = OPTIONS[option]
    return name === undefined ? [] : [{ name, value: joined ?? own[at + 1] ?? '' }]
  })
}

/** Reads the environment of noip-duc 3. */
function importNoipDuc(text: string, { file, variable }: ImportContext): Imported {
  const remarks = new Remarks(file)
  const all = environmentOf(text, variable, optionsOf)
  for (const [name, { unset, line }] of all)
    if (unset !== undefined)
      remarks.add(
        'lost',
        line,
        `${name}: the variable ${unset} is not set here; run the import with it, or correct the value`,
      )
  const line = all.get('NOIP_USERNAME')?.line ?? 1
  const password = all.get('NOIP_PASSWORD')?.value
  const update = {
    place: { file, line },
    label: '',
    service: { provider: 'no-ip' },
    username: all.get('NOIP_USERNAME')?.value,
    password: password === undefined ? undefined : new Secret(password),
    hostnames: noIpHostnames(all, remarks),
    ipv4: true,
    ipv6: false,
    lookup: noIpLookup(all, remarks),
    settings: {},
  }
  remarkOnRest(all, remarks)
  return { settings: clientSettings(all, remarks), updates: [update], remarks: remarks.all }
}

/** Every hostname of the key, at No-IP. */
const ALL_HOSTNAMES = 'all.ddnskey.com'

function noIpHostnames(all: VariableMap, remarks: Remarks): readonly string[] {
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

/** The methods in their order: the first one counts, the others are for when it fails. */
function noIpLookup(all: VariableMap, remarks: Remarks): Lookup {
  const written = all.get('NOIP_IP_METHOD')
  if (written === undefined) return DEFAULT_LOOKUP
  const methods = listedNames(written.value)
  const [first = '', ...others] = methods
  const fixed = first.startsWith('static:') ? fixedLookup(first.slice('static:'.length)) : undefined
  if (fixed !== undefined && others.length > 0)
    remarks.add(
      'changed',
      written.line,
      'NOIP_IP_METHOD has a fixed address, which never fails: the others are not used',
    )
  if (fixed !== undefined) return fixed
  if (others.some((method) => method.startsWith('static:')))
    remarks.add(
      'changed',
      written.line,
      'NOIP_IP_METHOD has a fixed address for when the others fail; here the hostnames stay as they are then',
    )
  const page = methods.find((method) => method.includes('://') && !isAddressPage(method))
  if (page === undefined)
    remarks.once(
      'dropped',
      written.line,
      `NOIP_IP_METHOD=${methods.map(shownPage).join(',')}: the default sources are used`,
    )
  else
    remarks.once(
      'changed',
      written.line,
      `the page ${shownPage(page)}: the default sources are used; to use it, ` +
        `write sources = ["${shownPage(page)}"] and agreement = "one"`,
    )
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

const READ_VARIABLES: ReadonlySet<string> = new Set(Object.values(OPTIONS))

function remarkOnRest(all: VariableMap, remarks: Remarks): void {
  const hook = all.get('NOIP_EXEC_ON_CHANGE')
  if (hook !== undefined)
    remarks.add('lost', hook.line, 'NOIP_EXEC_ON_CHANGE: see on_change in docs/settings.md')
  for (const [name, { line }] of all)
    if (name.startsWith('NOIP_DAEMON_')) remarks.once('dropped', line, `${name} is not needed`)
    else if (/^NOIP_[A-Z_]+$/.test(name) && !READ_VARIABLES.has(name))
      remarks.once('lost', line, `${name} has no counterpart`)
  const timeout = all.get('NOIP_HTTP_TIMEOUT')
  const span = timeout === undefined ? undefined : periodOf(timeout.value)
  if (timeout !== undefined && (span === undefined || span < 1000))
    remarks.add(
      'changed',
      timeout.line,
      `NOIP_HTTP_TIMEOUT: response_timeout is at least 1s; the default is used`,
    )
}

export const NOIP_DUC: FormatRow = {
  read: importNoipDuc,
  variables: ['NOIP_USERNAME', 'NOIP_PASSWORD', 'NOIP_HOSTNAMES', 'NOIP_IP_METHOD'],
  matches: (text) =>
    /\bNOIP_[A-Z]+["']?[ \t]*[=:]/.test(text) ||
    /^(?:[^#\n]*[ \t/])?noip-duc(?::[\w.-]{1,50})?[ \t]+-/m.test(text),
  files: ['/etc/default/noip-duc', '/etc/sysconfig/noip-duc', '/etc/noip-duc.env'],
  stop: 'systemctl disable --now noip-duc',
}
