import { CHECKED, type Grade, type Provider } from '../src/client/services/providers/provider.ts'
import {
  presetServer,
  PROVIDERS,
  UNSERVED_SERVICES,
  unservedText,
} from '../src/client/services/providers/providers.ts'
import { dialectOf, ownReplies } from '../src/shared/protocol/dialect.ts'

const FOLDER = 'docs/providers'

/** The pages of the services by name, by path: one for each of grade A, and the list of all. */
export function providerPages(): ReadonlyMap<string, string> {
  const rows = Object.entries(PROVIDERS)
  const pages = rows
    .filter(([, { grade }]) => grade === 'A')
    .map(([name, provider]) => [`${FOLDER}/${name}.md`, pageOf(name, provider)] as const)
  return new Map([[`${FOLDER}/README.md`, listOf(rows)], ...pages])
}

const GRADES: Readonly<Record<Grade, string>> = {
  A: 'Pages of the service, or reports since 2024, confirm the facts.',
  B: 'The facts are those of maintained clients.',
  C: 'Only lists name these services; they may have ended.',
}

const REMARK = `The facts are of ${CHECKED}; no service was asked. This page is generated from the tables in src/client/services/providers.`

function listOf(rows: readonly (readonly [string, Provider])[]): string {
  const byGrade = Object.entries(GRADES).flatMap(([grade, text]) => [
    `## Grade ${grade}`,
    '',
    text,
    '',
    '| `provider` | service | username | password |',
    '| --- | --- | --- | --- |',
    ...rows.filter(([, one]) => one.grade === grade).map(([name, one]) => rowOf(name, one)),
    '',
  ])
  const ended = Object.values(UNSERVED_SERVICES).map((one) => `- ${sentence(unservedText(one))}`)
  return `${[
    '# Services by name',
    '',
    'Write `provider = "NAME"` in the place of `server`. `holdfast providers NAME` shows the settings of a service.',
    REMARK,
    '',
    ...byGrade,
    '## Not offered',
    '',
    ...ended,
  ].join('\n')}\n`
}

const rowOf = (name: string, { name: title, grade, username, password }: Provider): string =>
  `| ${grade === 'A' ? `[\`${name}\`](${name}.md)` : `\`${name}\``} | ${title} | ${username} | ${password} |`

function pageOf(name: string, provider: Provider): string {
  const { name: title, settings, username, password, apiKey, note, userIs, names } = provider
  const zone = names?.isClosed === true ? names.suffixes?.[0] : 'example.test'
  const hostname = `home.${zone}`
  // A placeholder would be taken for the name itself.
  const user =
    userIs === undefined ? (username === 'none' ? 'none' : '…') : userIs === 'domain' ? zone : hostname
  const config = [
    '# holdfast.toml',
    `provider = "${name}"`,
    '',
    ...(presetServer(provider) === undefined
      ? [`server = "${name === 'rfc2136' ? 'dns://ns1.example.test' : '…'}"`]
      : []),
    ...(provider.hasNoUsername === true ? [] : [`# ${sentence(username)}`, `username = "${user}"`]),
    `# A file that contains ${password}.`,
    'password_file = "/etc/holdfast/password"',
    ...(apiKey === undefined
      ? []
      : [`# A file that contains ${apiKey}.`, 'api_key_file = "/etc/holdfast/api.key"']),
    '',
    `hostnames = ["${hostname}"]`,
  ]
  return `${[
    `# ${title}`,
    '',
    '```toml',
    ...config,
    '```',
    '',
    'Check it, look at the request, and update:',
    '',
    '```sh',
    'holdfast config check',
    'holdfast update --dry-run',
    'holdfast update',
    '```',
    '',
    ...(note === undefined ? [] : [sentence(note), '']),
    'The name stands for these settings; any that you write yourself wins:',
    '',
    '| setting | value |',
    '| --- | --- |',
    ...Object.entries(settings).map(([key, value]) => `| \`${key}\` | \`${value}\` |`),
    '',
    ...replies(name),
    REMARK,
  ].join('\n')}\n`
}

const sentence = (note: string): string => `${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`

function replies(name: string): readonly string[] {
  const dialect = dialectOf(name)
  const own = ownReplies(dialect)
  const rows = own.map(
    ({ reply, like, hasDump }) =>
      `| \`${reply.replaceAll('|', '\\|')}\` | \`${like}\`${hasDump ? '' : ' (no dump)'} |`,
  )
  return [
    ...(dialect.hasOneLine === true ? ['One line answers for all hostnames of a request.', ''] : []),
    ...(rows.length === 0 ? [] : ['| its reply | is handled like |', '| --- | --- |', ...rows, '']),
    ...(own.every(({ hasDump }) => hasDump) ? [] : [NO_DUMP, '']),
  ]
}

const NO_DUMP = 'No dump: no documentation or user report shows this reply; another client looks for it.'
