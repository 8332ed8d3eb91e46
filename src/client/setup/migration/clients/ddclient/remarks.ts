import type { DraftSettings } from '../../../draft.ts'
import type { DdclientSettings } from './lines.ts'
import type { Remarks } from '../../imported.ts'
import { refreshOf } from '../../periods.ts'

/** Settings without a counterpart that a user may miss. */
// biome-ignore format: a table
const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  proxy: 'set the variable HTTPS_PROXY instead', 'mail': 'see on_problem in docs/settings.md', 'mail-failure': 'see on_problem in docs/settings.md',
  'mail-from': 'see on_problem in docs/settings.md', postscript: 'see on_change in docs/settings.md', 'ssl_ca_dir': 'set ca_file to one file', 'fw-login': 'the source router needs no login',
  'fw-password': 'the source router needs no login', 'max-warn': '', 'use-personal-dns': '', 'mx': '', 'backupmx': '', 'wildcard': '', 'static': '', 'custom': '',
}

// biome-ignore format: a list
const DROPPED: ReadonlySet<string> = new Set([
  'min-interval', 'min-error-interval', 'retry', 'timeout', 'jitter', 'syslog', 'facility', 'priority', 'pid', 'cache', 'foreground', 'exec', 'test',
  'quiet', 'geturl', 'query', 'options', 'force', 'file', 'help', 'curl', 'postscript-on-error', 'web-ssl-validate', 'fw-ssl-validate', 'ttl', 'warned-min-interval',
])

/** Settings that are read below. */
// biome-ignore format: a list
const READ: ReadonlySet<string> = new Set([
  'protocol', 'server', 'script', 'login', 'login_env', 'password', 'password_env', 'host', 'daemon', 'max-interval', 'zone', 'domain',
  'ssl', 'ssl_ca_file', 'debug', 'verbose',
])
/** Settings that say how the address is looked up; lookup.ts reads them. */
const READ_ELSEWHERE = /^(?:use|web|if|ip|cmd|fw)(?:v4|v6)?(?:-skip|-ssl-validate)?$/

/** Settings that mean the same for every protocol. */
export function commonSettings(all: DdclientSettings, remarks: Remarks): DraftSettings {
  const authorities = all.get('ssl_ca_file')?.value
  const refresh = all.get('max-interval')
  return {
    ...(authorities !== undefined && { ca_file: authorities }),
    ...(refresh !== undefined && refreshOf(refresh, remarks)),
  }
}

export function remarkOnHttp(
  all: DdclientSettings,
  { line, remarks }: { readonly line: number; readonly remarks: Remarks },
): void {
  const written = all.get('server')
  if (all.get('ssl') === undefined && !/^https?:/i.test(written?.value ?? ''))
    remarks.once(
      'changed',
      written?.line ?? line,
      'ssl is not set, so ddclient 3 sends over http; here https is used',
    )
}

export function remarkOnUnknown(
  settings: DdclientSettings,
  remarks: Remarks,
  read: ReadonlySet<string>,
): void {
  for (const [name, { value, line }] of settings) {
    const isOff = /^(?:no|false|0|)$/i.test(value)
    const lost = WITHOUT_COUNTERPART[name]
    if (READ.has(name) || read.has(name) || READ_ELSEWHERE.test(name)) continue
    if (DROPPED.has(name) || (lost !== undefined && isOff))
      remarks.once('dropped', line, `${name} is not needed`)
    else
      remarks.once(
        'lost',
        line,
        lost === undefined || lost === '' ? `${name} has no counterpart` : `${name}: ${lost}`,
      )
  }
}
