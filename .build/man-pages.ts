import { ABOUT } from '../src/shared/program/about.ts'
import { EXITS } from '../src/shared/program/exit-codes.ts'
import { COMMANDS } from '../src/main.ts'
import type { Command } from '../src/shared/program/parse/command.ts'
import type { Options } from '../src/shared/program/parse/flags.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from '../src/client/settings/client-settings.ts'
import { SERVICE_SETTINGS } from '../src/service/settings/service-settings.ts'
import { type SettingTable, envOf, fileKeyOf } from '../src/shared/settings/setting.ts'
import { RELEASED } from '../src/shared/platform/clock/release-date.ts'
import { REPLIES, remedyFor } from '../src/shared/protocol/reply.ts'
import { STORE_OPERATIONS } from '../src/service/admin/store-operations.ts'
import { ADMIN_OPERATIONS } from '../src/service/admin/operations.ts'
import { formatDuration, milliseconds } from '../src/shared/base/time.ts'

const FOLDER = 'docs/man'
const SERVICE_COMMANDS: readonly string[] = ['serve', 'admin']

/** The manual pages, by path, in the macros of man(7). */
export async function manPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    [`${FOLDER}/holdfast.1`, await clientPage()],
    [`${FOLDER}/holdfast.toml.5`, settingsPage()],
    [`${FOLDER}/holdfast-service.8`, await servicePage()],
  ])
}

/** Text in roff: a backslash and a hyphen are escaped, and no line begins with a control character. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
const bold = (text: string): string => `\\fB${escaped(text)}\\fR`

/** Of the release. */
const DATE = new Date(RELEASED).toISOString().slice(0, 10)
const title = (name: string, section: number): string =>
  `.TH ${name.toUpperCase()} ${section} "${DATE}" "Holdfast ${ABOUT.version}"`
/** A paragraph needs no macro after the heading. */
const section = (name: string, ...lines: readonly string[]): readonly string[] => [
  `.SH ${name}`,
  ...(lines[0] === '.PP' ? lines.slice(1) : lines),
]
const item = (term: string, ...lines: readonly string[]): readonly string[] => [
  '.TP',
  term,
  ...lines.map(escaped),
]
const paragraph = (...lines: readonly string[]): readonly string[] => ['.PP', ...lines.map(escaped)]
const example = (lines: readonly string[]): readonly string[] => [
  '.PP',
  '.nf',
  '.RS',
  ...lines.map(escaped),
  '.RE',
  '.fi',
]
const page = (...parts: readonly (readonly string[])[]): string => `${parts.flat().join('\n')}\n`

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

async function clientPage(): Promise<string> {
  const commands = COMMANDS.filter(({ name }) => !SERVICE_COMMANDS.includes(name))
  return page(
    [title('holdfast', 1)],
    section('NAME', 'holdfast \\- keep hostnames on a changing address (dynamic DNS)'),
    section('SYNOPSIS', '.B holdfast', '.I command', '[\\fIoptions\\fR]'),
    section(
      'DESCRIPTION',
      ...[
        'Finds the public IPv4 and IPv6 address of this host, and sends an update to a dynamic DNS service when it changes.',
        'Every setting of holdfast.toml is also an option: log_level = "debug" is --log-level debug.',
      ].map(escaped),
    ),
    section('COMMANDS', ...(await Promise.all(commands.map(commandItem))).flat()),
    section(
      'OPTIONS',
      ...item(`${bold('-c')}, ${bold('--config')} \\fIFILE\\fR`, 'Reads this configuration file.'),
      ...item(bold('-v'), 'The same as --log-level debug.'),
      ...item(`${bold('-h')}, ${bold('--help')}`, 'Shows the options of a command.'),
      ...item(`${bold('-V')}, ${bold('--version')}`, 'Shows the version.'),
    ),
    section(
      'REPLIES',
      ...paragraph('What a service answers, and what Holdfast does:'),
      ...Object.keys(REPLIES).flatMap(replyItem),
    ),
    section(
      'EXIT STATUS',
      ...Object.values(EXITS).flatMap(({ code, meaning }) => item(bold(String(code)), sentence(meaning))),
    ),
    section(
      'ENVIRONMENT',
      ...paragraph(
        'Each setting has a variable, such as HOLDFAST_SERVER. Options win over variables, and variables over the file.',
      ),
    ),
    section(
      'FILES',
      ...item('\\fI/etc/holdfast/holdfast.toml\\fR', 'The configuration of the system.'),
      ...item('\\fI~/.config/holdfast/holdfast.toml\\fR', 'The configuration of a user.'),
      ...item('\\fI/var/lib/holdfast\\fR', 'Confirmed addresses, stops and waits of the daemon.'),
    ),
    section('SEE ALSO', '.BR holdfast.toml (5),', '.BR holdfast\\-service (8)'),
  )
}

const replyItem = (word: string): readonly string[] => {
  const { meaning } = REPLIES[word as keyof typeof REPLIES]
  const remedy = remedyFor(word)
  return item(
    bold(word),
    sentence(meaning),
    ...(remedy === undefined ? [] : [sentence(`what to do: ${remedy}`)]),
  )
}

async function commandItem({
  name,
  summary,
  details,
  examples,
  positional,
  options,
}: Command): Promise<readonly string[]> {
  const own = ownOptions(await options())
  return [
    ...item(
      `${bold(name)}${positional === undefined ? '' : ` [\\fI${escaped(positional.name)}\\fR]`}`,
      sentence(summary),
      ...details,
    ),
    ...(own.length === 0 ? [] : ['.RS', ...own, '.RE']),
    '.RS',
    ...example(examples),
    '.RE',
  ]
}

/** Those that are no settings. */
const ownOptions = (options: Options): readonly string[] =>
  Object.entries(options)
    .filter(([flag, { group }]) => group === undefined && flag !== 'config')
    .flatMap(([flag, { describe, kind }]) =>
      item(`${bold(`--${flag}`)}${kind === 'switch' ? '' : ' \\fIVALUE\\fR'}`, sentence(describe)),
    )

const settingsPage = (): string =>
  page(
    [title('holdfast.toml', 5)],
    section('NAME', 'holdfast.toml \\- configuration of the client holdfast'),
    section(
      'DESCRIPTION',
      ...[
        'A file in the format TOML; with the name holdfast.json in the format JSON. Settings of an account may stand at the top of the file,',
        'for all accounts, or in tables [[account]].',
      ].map(escaped),
      ...paragraph('The smallest file:'),
      ...example([
        'provider = "no-ip"',
        'username = "abc1234"',
        'password_file = "/etc/holdfast/password"',
        'hostnames = ["home.example.test"]',
      ]),
    ),
    section('SETTINGS OF AN ACCOUNT', ...settingItems(ACCOUNT_SETTINGS)),
    section(
      'SETTINGS OF A HOSTNAME',
      ...paragraph('In tables [[account.host]].'),
      ...settingItems(HOST_SETTINGS, false),
    ),
    section('SETTINGS OF THE PROGRAM', ...settingItems(CLIENT_SETTINGS)),
    section('SEE ALSO', '.BR holdfast (1)'),
  )

const settingItems = (table: SettingTable, hasVariable = true): readonly string[] =>
  Object.entries(table).flatMap(([key, { help, fallback, reader }]) =>
    item(
      bold(fileKeyOf(key)),
      sentence(help),
      ...(formatFallback(fallback, reader.shape) === ''
        ? []
        : [`Default: ${formatFallback(fallback, reader.shape)}.`]),
      ...(hasVariable ? [`Variable: ${envOf(key)}.`] : []),
    ),
  )

function formatFallback(fallback: unknown, shape: string): string {
  if (typeof fallback === 'boolean' || typeof fallback === 'string') return String(fallback)
  if (typeof fallback !== 'number') return ''
  return shape === 'number' ? String(fallback) : formatDuration(milliseconds(fallback))
}

async function servicePage(): Promise<string> {
  const commands = COMMANDS.filter(({ name }) => SERVICE_COMMANDS.includes(name))
  return page(
    [title('holdfast-service', 8)],
    section(
      'NAME',
      'holdfast\\-service \\- dynamic DNS service: update protocol, management API, name server',
    ),
    section(
      'SYNOPSIS',
      '.B holdfast serve',
      '[\\fIoptions\\fR]',
      '.br',
      '.B holdfast admin',
      '.I operation',
      '[\\fIarguments\\fR]',
    ),
    section(
      'DESCRIPTION',
      ...[
        'Answers update requests at /nic/update and a JSON API at /v1, and publishes the zones to name servers.',
        'holdfast admin changes its database, also while it runs.',
      ].map(escaped),
    ),
    section('COMMANDS', ...(await Promise.all(commands.map(commandItem))).flat()),
    section(
      'OPERATIONS',
      ...Object.entries({ ...STORE_OPERATIONS, ...ADMIN_OPERATIONS }).flatMap(
        ([name, { parameters, summary }]) => item(bold(`${name} ${parameters}`.trim()), sentence(summary)),
      ),
    ),
    section(
      'SETTINGS',
      ...paragraph('In service.toml, as options of serve and admin, and as variables.'),
      ...settingItems(SERVICE_SETTINGS),
    ),
    section(
      'FILES',
      ...item('\\fI/etc/holdfast/service.toml\\fR', 'The configuration.'),
      ...item('\\fI/var/lib/holdfast\\-service\\fR', 'The store.'),
    ),
    section('SEE ALSO', '.BR holdfast (1)'),
  )
}
