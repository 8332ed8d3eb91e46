import type { ImportContext } from './imported.ts'

interface WrittenVariable {
  readonly value: string
  readonly line: number
  /** The variable that the value names, and that is not set here. */
  readonly unset?: string
}
export type VariableMap = ReadonlyMap<string, WrittenVariable>

interface Pair {
  readonly name: string
  readonly value: string
  readonly unset?: string
}

type Reader = (line: string, variable: ImportContext['variable']) => readonly Pair[] | undefined

/** systemd.exec(5), EnvironmentFile=: quotes, and backslashes outside of single quotes. Comments have lines of their own. */
function unquoted(text: string): string {
  const single = /^'([^']*)'/.exec(text)?.[1]
  if (single !== undefined) return single
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  return (double ?? text.trimEnd()).replaceAll(/\\(.)/g, '$1')
}

const COMPOSE_VARIABLE = /\$\$|\$\{[A-Za-z_][^}]{0,1000}\}|\$[A-Za-z_]\w*/g

/** A scalar of YAML 1.2, in which Compose replaces ${NAME} and $NAME; $$ is one dollar sign. */
function composeValue(text: string, variable: ImportContext['variable']): Omit<Pair, 'name'> {
  const single = /^'((?:[^']|'')*)'/.exec(text)?.[1]?.replaceAll("''", "'")
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1')
  const bare = single ?? double ?? text.replace(/(?:^|\s)#.*$/, '').trim()
  let unset: string | undefined
  const value = bare.replaceAll(COMPOSE_VARIABLE, (whole) => {
    if (whole === '$$') return '$'
    const [, name = '', fallback] = /^\$\{?(\w+)(?::?-([^}]*))?/.exec(whole) ?? []
    const found = variable(name) ?? fallback
    if (found === undefined) unset = name
    return found ?? ''
  })
  return { value, ...(unset !== undefined && { unset }) }
}

const pairOf = (text: string): readonly Pair[] => {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=([^]*)$/.exec(text) ?? []
  return name === undefined || value === undefined ? [] : [{ name, value }]
}

/** Words of a command line, without their quotes. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => single ?? (double ?? '').replaceAll(/\\(.)/g, '$1'),
    ),
  )

/** The forms of a line, the first that matches wins. */
const READERS: readonly Reader[] = [
  // docker inspect
  (line) => {
    const shown = /^\s*"((?:[^"\\]|\\.)*)",?\s*$/.exec(line)?.[1]
    return shown === undefined ? undefined : pairOf(shown.replaceAll(/\\(.)/g, '$1'))
  },
  // A unit of systemd: Environment="A=1" "B=2"
  (line) => {
    const rest = /^\s*Environment=(.*)$/.exec(line)?.[1]
    return rest === undefined ? undefined : wordsOf(rest).flatMap(pairOf)
  },
  // docker run -e A=1 --env B=2
  (line) => {
    if (!/(?:^|\s)(?:-e|--env)[ =]["']?[A-Z][A-Z0-9_]*=/.test(line) || line.trimStart().startsWith('#'))
      return undefined
    const words = wordsOf(line)
    return words.flatMap((word, at) => {
      const joined = /^--?e(?:nv)?=(.*)$/s.exec(word)?.[1]
      return joined === undefined
        ? /^(?:-e|--env)$/.test(words[at - 1] ?? '')
          ? pairOf(word)
          : []
        : pairOf(joined)
    })
  },
  // Compose: a list, whose items may be quoted as a whole, or a mapping
  (line, variable) => {
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1]
    if (item === undefined || !/^["']?[A-Z][A-Z0-9_]*=/.test(item)) return undefined
    const { value, ...rest } = composeValue(item, variable)
    return pairOf(value).map((pair) => ({ ...pair, ...rest }))
  },
  (line, variable) => {
    const [, name, value = ''] = /^\s*([A-Z][A-Z0-9_]*)\s*:(?:\s+(.*))?$/.exec(line) ?? []
    return name === undefined ? undefined : [{ name, ...composeValue(value, variable) }]
  },
  // An environment file
  (line) => {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(.*)$/.exec(line) ?? []
    return name === undefined ? undefined : [{ name, value: unquoted(value) }]
  },
]

/** docker inspect and jq may print JSON in one line. */
function withLines(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/**
 * Whether a variable is set more than once, with other values: the file has several containers, and which of the others
 * belong to which of them cannot be told.
 */
export const isOfSeveral = (
  text: string,
  names: readonly string[],
  variable: ImportContext['variable'],
): boolean => {
  const set = new Map<string, string>()
  const pairs = withLines(text)
    .split(/\r?\n/)
    .flatMap((line) => READERS.map((reader) => reader(line, variable)).find((one) => one !== undefined) ?? [])
  for (const { name, value } of pairs.filter((one) => names.includes(one.name))) {
    if (set.has(name) && set.get(name) !== value) return true
    set.set(name, value)
  }
  return false
}

/** What is said of such a file. */
export const SEVERAL =
  'the file has several containers; import each one by itself: docker inspect NAME | holdfast import -'

/**
 * Variables of an environment file, a unit, a compose file, a command line of docker, or the output of docker inspect.
 * `others` reads the lines that are none of these.
 */
export function environmentOf(
  text: string,
  variable: ImportContext['variable'],
  others: (words: readonly string[]) => readonly Pair[] = () => [],
): VariableMap {
  const written = text.replace(/^\uFEFF/, '')
  const count = written.split('\n').length
  const lines = withLines(written).split(/\r?\n/)
  return new Map(
    lines.flatMap((line, at) => {
      const read = READERS.map((reader) => reader(line, variable)).find((pairs) => pairs !== undefined)
      const more = line.trimStart().startsWith('#') ? [] : others(wordsOf(line))
      return [...(read ?? []), ...more].map(
        ({ name, ...rest }) => [name, { ...rest, line: Math.min(at + 1, count) }] as const,
      )
    }),
  )
}
