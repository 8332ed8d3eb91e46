import { EXITS } from '../src/shared/program/exit-codes.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from '../src/client/settings/client-settings.ts'
import { clientSchema } from '../src/client/settings/client-schema.ts'
import { serviceSchema } from '../src/service/settings/service-schema.ts'
import { SERVICE_SETTINGS } from '../src/service/settings/service-settings.ts'
import { type Setting, type SettingTable, envOf, fileKeyOf, flagOf } from '../src/shared/settings/setting.ts'
import { formatDuration, milliseconds } from '../src/shared/base/time.ts'
import { formatListener } from '../src/service/settings/service-settings.ts'
import { REQUEST_FAULTS } from '../src/service/api/request/faults.ts'
import { CREDENTIALS, DOOR_STATES, DOOR_WORDS, DOORS, doorAnswer } from '../src/service/rules/doors.ts'
import { ERRORS } from '../src/service/model/errors.ts'
import { manPages } from './man-pages.ts'
import { providerPages } from './provider-pages.ts'
import { liftWording, type RequiredAction, REPLIES, remedyFor } from '../src/shared/protocol/reply.ts'

/** What is generated from the tables, by path: whole files, and the parts of documents between two marks. */
export async function generated(read: (path: string) => string): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['config/holdfast.schema.json', `${JSON.stringify(clientSchema(), null, 2)}\n`],
    ['config/service.schema.json', `${JSON.stringify(serviceSchema(), null, 2)}\n`],
    ['docs/settings.md', settingsPage()],
    ...providerPages(),
    ...(await manPages()),
    ['docs/api.md', apiPage(read('docs/api.md'))],
    ['docs/service.md', replaced(read('docs/service.md'), 'doors', doorsTable())],
    ['README.md', replaced(replaced(read('README.md'), 'replies', repliesTable()), 'exits', exitsTable())],
  ])
}

const replaced = (document: string, mark: string, table: string): string =>
  document.replace(
    new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- /${mark} -->)`),
    (_, open: string, close: string) => `${open}${table}${close}`,
  )

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`

function repliesTable(): string {
  const rows = Object.entries(REPLIES).map(([word, { meaning, action }]) =>
    row(`\`${word}\``, meaning, does(action), remedyFor(word) ?? ''),
  )
  return (
    row('reply', 'meaning', 'what Holdfast does', 'what you do') +
    row('---', '---', '---', '---') +
    rows.join('')
  )
}

function does(action: RequiredAction): string {
  if (action.kind === 'settled') return 'stores the address, and does not send it again'
  if (action.kind === 'wait') return `waits at least ${formatDuration(action.atLeast)}, longer each time`
  const what = {
    account: 'stops',
    hostname: 'stops (or only this hostname, with `nohost_stops = "hostname"`)',
    feature: 'stops using the option, or stops',
  }[action.scope]
  return `${what} until ${liftWording(action.liftedBy)}`
}

const exitsTable = (): string =>
  row('exit', 'meaning') +
  row('---', '---') +
  Object.values(EXITS)
    .map(({ code, meaning }) => row(String(code), meaning))
    .join('')

const DOOR_NAMES = { update: '`/nic/update`', api: '`/v1`', dns: 'UPDATE', website: 'console' } as const
const CREDENTIAL_NAMES = {
  password: 'account password',
  ddnsKey: 'DDNS key',
  apiKey: 'API key',
  tsigKey: 'TSIG key',
  session: 'session by password or passkey',
  keySession: 'session by API key',
} as const
const STATE_NAMES = {
  isExpired: 'key expired',
  needsFactor: 'second factor set or demanded',
  isHalf: 'second factor not given yet',
  isSuspended: 'account suspended',
  isBlocked: 'blocked, for abuse or by the operator',
  lacksFactor: 'second factor demanded, none set',
  isWebsiteOnly: 'website only',
  lacksFeature: 'plan without the feature',
} as const

/** One row for each credential and state that some door answers otherwise. */
function doorsTable(): string {
  const states = [undefined, ...new Set(DOOR_STATES.map(({ state }) => state))]
  const lines = CREDENTIALS.flatMap((credential) => {
    const answers = states.map((state) =>
      DOORS.map((door) => doorAnswer(door, credential, state === undefined ? {} : { [state]: true })),
    )
    return answers.flatMap((own, at) => {
      const state = states[at]
      if (at > 0 && own.every((answer, door) => answer === answers[0]?.[door])) return []
      return row(
        CREDENTIAL_NAMES[credential],
        state === undefined ? 'active' : STATE_NAMES[state],
        ...own.map((answer, door) => DOOR_WORDS[answer][DOORS[door] ?? 'update']),
      )
    })
  })
  return (
    row('credential', 'state', ...DOORS.map((door) => DOOR_NAMES[door])) +
    row(...Array<string>(DOORS.length + 2).fill('---')) +
    lines.join('')
  )
}

const apiPage = (text: string): string =>
  replaced(replaced(text, 'errors', errorsTable()), 'request-faults', faultsTable())

const faultsTable = (): string =>
  row('status', 'code', 'meaning') +
  row('---', '---', '---') +
  Object.values(REQUEST_FAULTS)
    .map(({ status, code, title }) => row(String(status), code, title))
    .join('')

const errorsTable = (): string =>
  row('status', 'code', 'meaning') +
  row('---', '---', '---') +
  Object.values(ERRORS)
    .map(({ status, code, meaning }) => row(String(status), String(code), meaning))
    .join('')

function settingsPage(): string {
  return `# Settings

Every setting can be in the configuration file, in an environment variable or on the command line. The command line takes
precedence over the environment, and the environment over the file.

Durations are written \`90s\`, \`5m\`, \`1h30m\`, \`28d\`, \`2w\`. Paths may begin with \`~/\`. This page is generated from the tables in
the program.

## Account settings

At the top of the file they apply to every account. In an \`[[account]]\` table they apply to that account.

${settingsTable(ACCOUNT_SETTINGS)}
## Client settings

They are at the top of the file.

${settingsTable(CLIENT_SETTINGS)}
## Hostname settings

They are in an \`[[account.host]]\` table, one for each hostname that needs it.

${hostTable()}
## Service settings

They are in \`service.toml\`, for \`holdfast serve\` and \`holdfast admin\`.

${settingsTable(SERVICE_SETTINGS)}`
}

const hostTable = (): string =>
  row('setting', 'meaning', 'default') +
  row('---', '---', '---') +
  Object.entries<Setting<unknown>>(HOST_SETTINGS)
    .map(([key, setting]) => row(`\`${fileKeyOf(key)}\``, setting.help, fallbackOf(setting)))
    .join('')

const settingsTable = (table: SettingTable): string =>
  row('setting', 'flag', 'environment variable', 'meaning', 'default') +
  row('---', '---', '---', '---', '---') +
  Object.entries(table)
    .map(([key, setting]) =>
      row(
        `\`${fileKeyOf(key)}\``,
        `\`--${flagOf(key, setting)}\``,
        `\`${envOf(key)}\``,
        setting.help.replaceAll('|', '\\|'),
        fallbackOf(setting),
      ),
    )
    .join('')

function fallbackOf({ fallback, reader, isNeeded }: Setting<unknown>): string {
  if (isNeeded) return '(required)'
  if (fallback === undefined) return ''
  if (Array.isArray(fallback))
    return fallback.length === 0
      ? 'none'
      : `\`${fallback.map((one) => (typeof one === 'string' ? one : formatListener(one as Parameters<typeof formatListener>[0]))).join(', ')}\``
  if (typeof fallback === 'number' && reader.shape !== 'number')
    return `\`${formatDuration(milliseconds(fallback))}\``
  return `\`${JSON.stringify(fallback)}\``.replaceAll('"', '')
}
