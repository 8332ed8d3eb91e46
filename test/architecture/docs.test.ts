import { NO_DETAILS } from '../../src/client/notify/notification.ts'
import { hookVariables } from '../../src/client/notify/receivers/hook.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/main.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../src/client/settings/client-settings.ts'
import { parseDocument } from '../../src/shared/settings/document.ts'
import { readClientConfig } from '../../src/client/settings/read-client.ts'
import { readServiceConfig } from '../../src/service/settings/read-service.ts'
import { SERVICE_SETTINGS } from '../../src/service/settings/service-settings.ts'
import { envOf, type SettingLayer } from '../../src/shared/settings/setting.ts'
import { STORE_OPERATIONS } from '../../src/service/admin/store-operations.ts'
import { ADMIN_OPERATIONS } from '../../src/service/admin/operations.ts'
import { ACCOUNT_KEYS, PLAN_KEYS, ZONE_KEYS } from '../../src/service/admin/policy.ts'
import type { Route } from '../../src/service/api/route.ts'
import { ROUTES } from '../../src/service/api/routes.ts'
import { lineAt, placeOf, type TextFile } from './sources.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

const pages = (paths: readonly string[]): readonly TextFile[] =>
  paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

const FOR_USERS = pages(['README.md', ...inFolder('docs')])
/** They may name what there is no more, or what only the tests have. */
const OTHERS = pages(['CHANGELOG.md', ...inFolder('bench')])
const FOR_DEVELOPERS = pages([
  'src/ARCHITECTURE.md',
  ...['client', 'service', 'shared'].map((house) => `src/${house}/ARCHITECTURE.md`),
  ...inFolder('docs/decisions'),
])

interface Code {
  /** The language of a fenced block, empty without one; `inline` for a span. */
  readonly kind: string
  readonly text: string
  /** The line on which it begins. */
  readonly line: number
}

const BLOCK = /^ *```(\w*)\n([^]*?)^ *```$/gm
const SPAN = /`([^`]+)`/g

/** The text with blanks instead of what the pattern matches: every line is where it was. */
const blanked = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (found) => found.replace(/[^\n]/g, ' '))

/** The fenced blocks and the code spans of a page. */
const codeIn = (text: string): readonly Code[] => [
  ...[...text.matchAll(BLOCK)].map(({ 1: kind = '', 2: body = '', index }) => ({
    kind,
    text: body,
    line: lineAt(text, index) + 1,
  })),
  ...[...blanked(text, BLOCK).matchAll(SPAN)].map(({ 1: body = '', index }) => ({
    kind: 'inline',
    text: body,
    line: lineAt(text, index),
  })),
]

interface Line {
  readonly line: number
  readonly text: string
}

/** The lines of a piece of code; a continued line is one with those that continue it. */
function joined(code: Code): readonly Line[] {
  const lines: Line[] = []
  let isContinued = false
  for (const [at, text] of code.text.split('\n').entries()) {
    const last: Line | undefined = isContinued ? lines.pop() : undefined
    const whole: string = last === undefined ? text : `${last.text} ${text.trimStart()}`
    isContinued = whole.endsWith('\\')
    lines.push({ line: last?.line ?? code.line + at, text: isContinued ? whole.slice(0, -1) : whole })
  }
  return lines
}

/** One command per entry: continued lines joined, comments removed. Other blocks than shell show output. */
const commandsIn = (text: string): readonly Line[] =>
  codeIn(text)
    .filter(({ kind }) => kind === 'sh' || kind === 'inline')
    .flatMap(joined)
    .map((one) => ({ ...one, text: one.text.replace(/\s#.*$/, '').trim() }))
    .filter((one) => one.text !== '' && !one.text.startsWith('#'))

/** What is wrong in these pages, as "path:line: fault". */
const faultsIn = (list: readonly TextFile[], check: (page: TextFile) => readonly Line[]): readonly string[] =>
  list.flatMap((page) => check(page).map(({ line, text }) => `${page.path}:${line}: ${text}`))

describe('every page', () => {
  const ALL = [...FOR_USERS, ...FOR_DEVELOPERS, ...OTHERS]

  it('is there', () => expect(ALL.length).toBeGreaterThan(20))

  it('links only to files that exist', () =>
    expect(
      ALL.flatMap((page) =>
        [...page.text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
          .filter(([, to = '']) => !/^[a-z]+:/.test(to) && !existsSync(join(ROOT, dirname(page.path), to)))
          .map(({ index }) => placeOf(page, index)),
      ),
    ).toEqual([]))

  it('links only to headings that exist', () => {
    const anchorsOf = (path: string): readonly string[] =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      )
    const dead = ALL.flatMap((page) =>
      [...page.text.matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)]
        .filter(([, to = '', anchor = '']) => {
          const path = to === '' ? page.path : join(dirname(page.path), to)
          return !anchorsOf(path).includes(anchor)
        })
        .map(({ index }) => placeOf(page, index)),
    )

    expect(dead).toEqual([])
  })
})

describe('paths of the sources', () => {
  const NOT_SOURCES = ['node_modules', '.git', 'dist']
  const tree = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_SOURCES.includes(entry.name))
    .flatMap(({ name }) =>
      readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })
        .filter((below) => !below.includes('node_modules'))
        .map((below) => `${name}/${below}`),
    )
  const rooms = readdirSync(join(ROOT, 'src'))
  const tops = readdirSync(ROOT).filter((name) => !NOT_SOURCES.includes(name))

  /** `src/shared/base/time.ts`, `shared/base/time.ts`, `.ci/run`, `src/client/detect/sources/*-codec.ts`. */
  const isPath = (span: string): boolean =>
    /^[\w.*/-]+$/.test(span) &&
    ((span.includes('/') && [...rooms, ...tops].includes(span.split('/')[0] ?? '')) || span.endsWith('.ts'))

  const exists = (span: string): boolean => {
    const pattern = new RegExp(
      `^(src/(.+/)?)?${span.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replace(/\/$/, '')}$`,
    )
    return tree.some((path) => pattern.test(path))
  }

  it('in the pages for developers are those of files that exist', () =>
    expect(
      FOR_DEVELOPERS.flatMap((page) =>
        [...page.text.matchAll(/`([^`\s]+)`/g)]
          .filter(([, span = '']) => isPath(span) && !exists(span))
          .map(({ index }) => placeOf(page, index)),
      ),
    ).toEqual([]))

  it('are found in the decisions at all', () => {
    const found = FOR_DEVELOPERS.flatMap(({ text }) => [...text.matchAll(/`(src\/[^`\s]+)`/g)])

    expect(found.length).toBeGreaterThan(30)
  })
})

describe('commands of the pages for users', async () => {
  const flagsOf = new Map<string, readonly string[]>()
  for (const { name, options } of COMMANDS) flagsOf.set(name, Object.keys(await options()))
  const everyFlag = new Set([...flagsOf.values()].flat())
  const GLOBAL = ['help', 'version']
  /** Other programs that the pages show with flags of their own. */
  const FOREIGN =
    /^(npm|systemctl|systemd-creds|loginctl|useradd|curl|podman|certbot|lego|dehydrated|acme\.sh) /
  /** Before the program. */
  const PREFIX = /^(sudo |(\w+=\S+ +)+)/

  const flagsIn = (text: string): readonly string[] =>
    [...text.matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)].map(([, flag = '']) => flag)
  const isFlag = (known: Iterable<string>, flag: string): boolean => {
    const all = [...known, ...GLOBAL]
    return all.includes(flag) || all.includes(flag.replace(/^no-/, ''))
  }

  it('are those of holdfast, each with its own flags', () => {
    const wrong = faultsIn(FOR_USERS, ({ text: page }) =>
      commandsIn(page).flatMap(({ line, text }) => {
        const [, call, words = ''] =
          /(?:^|\s)(holdfast(?:\.js)?|\S*bin\/holdfast(?:\.js)?) (.*)$/.exec(text) ?? []
        const [name = ''] = words.split(/[\s,;]/)
        const isCall = call !== undefined && !name.startsWith('/') && name !== '…'
        if (!isCall) return []
        const flags = name.startsWith('-') ? GLOBAL : flagsOf.get(name)
        if (flags === undefined) return [{ line, text }]
        return flagsIn(words)
          .filter((flag) => !isFlag(flags, flag))
          .map((flag) => ({ line, text: `${name} has no --${flag}` }))
      }),
    )

    expect(wrong).toEqual([])
  })

  it('and texts have only flags that exist', () => {
    const wrong = faultsIn(FOR_USERS, ({ text: page }) => {
      const own = commandsIn(page).filter(({ text }) => !FOREIGN.test(text.replace(PREFIX, '')))
      const prose = blanked(blanked(page, BLOCK), SPAN)
        .split('\n')
        .map((text, at) => ({ line: at + 1, text }))
      return [...own, ...prose].filter(({ text }) => flagsIn(text).some((flag) => !isFlag(everyFlag, flag)))
    })

    expect(wrong).toEqual([])
  })

  it('of holdfast admin have only operations and keys that exist', () => {
    const keys = [
      ...Object.keys({ ...PLAN_KEYS, ...ZONE_KEYS, ...ACCOUNT_KEYS }),
      'plan',
      'expires',
      'keep',
      'from',
      'to',
      'export',
      'account',
      'zone',
      'name',
    ]
    const wrong = faultsIn(FOR_USERS, ({ text: page }) =>
      commandsIn(page).filter(({ text }) => {
        const [, words] = /(?:^|\s)holdfast admin (?:--config \S+ )?(.+)$/.exec(text) ?? []
        if (words === undefined) return false
        const assigned = [...words.matchAll(/ ([a-z-]+)=/g)].map(([, key = '']) => key)
        const isKnown = Object.keys({ ...STORE_OPERATIONS, ...ADMIN_OPERATIONS }).some((name) =>
          `${words} `.startsWith(`${name} `),
        )
        return !isKnown || assigned.some((key) => !keys.includes(key))
      }),
    )

    expect(wrong).toEqual([])
  })

  it('have only environment variables that are read, or given to programs', () => {
    const settings = Object.keys({ ...ACCOUNT_SETTINGS, ...CLIENT_SETTINGS, ...SERVICE_SETTINGS })
    const notification = { ...NOTIFICATION, event: 'changed' } as const
    const given = Object.keys(hookVariables(notification, ''))
    const known = [...settings.map(envOf), 'HOLDFAST_CONFIG', ...given]
    const wrong = FOR_USERS.flatMap((page) =>
      [...page.text.matchAll(/\bHOLDFAST_[A-Z0-9_]*[A-Z0-9]\b/g)]
        .filter(([name]) => !known.includes(name))
        .map(({ index }) => placeOf(page, index)),
    )

    expect(wrong).toEqual([])
  })
})

const NOTIFICATION = {
  account: '',
  ...NO_DETAILS,
}

describe('configuration examples', () => {
  const given = (value: unknown): { readonly value: unknown; readonly where: string } => ({
    value,
    where: '',
  })
  /** What a part of a file takes from the rest of that file. */
  const REST: SettingLayer = { server: given('https://dynupdate.example'), username: given('abc1234') }

  const examples = FOR_USERS.flatMap(({ path, text }) =>
    codeIn(text)
      .filter(({ kind }) => kind === 'toml')
      .map(({ line, text: example }) => ({ place: `${path}:${line}`, path, text: example })),
  )

  const ON_SERVICE: readonly string[] = ['docs/service.md', 'docs/publishing.md']
  const isOfService = ({ path, text }: (typeof examples)[number]): boolean =>
    ON_SERVICE.includes(path) || text.startsWith('# /etc/holdfast/service.toml')
  const client = (text: string) => {
    const isWhole = /^server = /m.test(text)
    const isWithCredentials = /^#.*credentials/m.test(text)
    return readClientConfig({
      flags: isWhole
        ? {}
        : { ...REST, ...(!/^hostnames = /m.test(text) && { hostnames: given('home.example.test') }) },
      environment: {},
      chosen: [],
      file: { name: 'example', document: parseDocument(text, 'example.toml') },
      ...((!isWhole || isWithCredentials) && { passwordFileFor: () => '/etc/credstore/holdfast.password' }),
    })
  }
  const service = (text: string) =>
    readServiceConfig({
      flags: {},
      environment: {},
      file: { name: 'example', document: parseDocument(text, 'example.toml') },
    })

  it.each([
    ['client', client, examples.filter((one) => !isOfService(one))],
    ['service', service, examples.filter(isOfService)],
  ] as const)('of the %s are accepted', (_, read, list) => {
    expect(list).not.toEqual([])
    const wrong = list.flatMap(({ place, text }) => {
      const config = read(text)
      return config.ok ? [] : [{ place, faults: config.error }]
    })

    expect(wrong).toEqual([])
  })
})

it('docs/api.md lists the operations that the service has', () => {
  const { text } = FOR_USERS.find(({ path }) => path === 'docs/api.md') ?? { text: '' }
  const listed = [...text.matchAll(/^\| `\/v1(\/[^`]+)` \| ([A-Z, ]+) \|$/gm)].flatMap(
    ([, path = '', methods = '']) => methods.split(', ').map((method) => `${method} ${path}`),
  )
  const served = Object.values<Pick<Route, 'method' | 'path'>>(ROUTES).map(
    ({ method, path }) => `${method} ${path}`,
  )

  expect(listed.toSorted()).toEqual(served.toSorted())
})
