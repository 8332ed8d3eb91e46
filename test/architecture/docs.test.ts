import { NO_DETAILS } from '../../src/client/notify/notification.ts'
import { hookVariables } from '../../src/client/notify/payload.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../src/config/client-settings.ts'
import { parseDocument } from '../../src/config/document.ts'
import { readClientConfig } from '../../src/config/read-client.ts'
import { readServiceConfig } from '../../src/config/read-service.ts'
import { SERVICE_SETTINGS } from '../../src/config/service-settings.ts'
import { envOf, type SettingLayer } from '../../src/config/setting.ts'
import { STORE_OPERATIONS } from '../../src/app/service/store-operations.ts'
import { ADMIN_OPERATIONS } from '../../src/server/admin/operations.ts'
import { ACCOUNT_KEYS, PLAN_KEYS, ZONE_KEYS } from '../../src/server/admin/policy.ts'
import { ROUTES, type Route } from '../../src/server/api/routes.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

interface Page {
  readonly path: string
  readonly text: string
}
const pages = (paths: readonly string[]): readonly Page[] =>
  paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

const FOR_USERS = pages(['README.md', ...inFolder('docs')])
/** They may name what there is no more, or what only the tests have. */
const OTHERS = pages(['CHANGELOG.md', ...inFolder('bench')])
const FOR_DEVELOPERS = pages(['src/ARCHITECTURE.md', ...inFolder('docs/decisions')])

interface Code {
  /** The language of a fenced block, empty without one; `inline` for a span. */
  readonly kind: string
  readonly text: string
}

const BLOCK = /^ *```(\w*)\n([^]*?)^ *```$/gm

/** The fenced blocks and the code spans of a page. */
const codeIn = (text: string): readonly Code[] => [
  ...[...text.matchAll(BLOCK)].map(([, kind = '', body = '']) => ({ kind, text: body })),
  ...[...text.replace(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, body = '']) => ({
    kind: 'inline',
    text: body,
  })),
]

/** One command per entry: continued lines joined, comments removed. Other blocks than shell show output. */
const commandsIn = (text: string): readonly string[] =>
  codeIn(text)
    .filter(({ kind }) => kind === 'sh' || kind === 'inline')
    .flatMap((code) => code.text.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(/\s#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

describe.each([...FOR_USERS, ...FOR_DEVELOPERS, ...OTHERS])('$path', ({ path, text }) => {
  it('links only to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, to = '']) => to)
    const local = links.filter((to) => !/^[a-z]+:/.test(to))

    expect(local.filter((to) => !existsSync(join(ROOT, dirname(path), to)))).toEqual([])
  })

  it('links only to headings that exist', () => {
    const anchorsOf = (page: string): readonly string[] =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      )
    const links = [...text.matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)]
    const dead = links.filter(([, to = '', anchor = '']) => {
      const page = to === '' ? path : join(dirname(path), to)
      return !anchorsOf(page).includes(anchor)
    })

    expect(dead.map(([link]) => link)).toEqual([])
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

  /** `src/base/time.ts`, `base/time.ts`, `.ci/run`, `src/client/sources/*-codec.ts`. */
  const isPath = (span: string): boolean =>
    /^[\w.*/-]+$/.test(span) &&
    ((span.includes('/') && [...rooms, ...tops].includes(span.split('/')[0] ?? '')) || span.endsWith('.ts'))

  const exists = (span: string): boolean => {
    const pattern = new RegExp(
      `^(src/(.+/)?)?${span.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replace(/\/$/, '')}$`,
    )
    return tree.some((path) => pattern.test(path))
  }

  it.each(FOR_DEVELOPERS)('$path names only files that exist', ({ text }) => {
    const spans = [...text.matchAll(/`([^`\s]+)`/g)].map(([, span = '']) => span).filter(isPath)

    expect(spans.filter((span) => !exists(span))).toEqual([])
  })

  it('are found in the decisions at all', () => {
    const found = FOR_DEVELOPERS.flatMap(({ text }) => [...text.matchAll(/`(src\/[^`\s]+)`/g)])

    expect(found.length).toBeGreaterThan(30)
  })
})

describe('commands', async () => {
  const flagsOf = new Map<string, readonly string[]>()
  for (const { name, options } of COMMANDS) flagsOf.set(name, Object.keys(await options()))
  const everyFlag = new Set([...flagsOf.values()].flat())
  const GLOBAL = ['help', 'version']
  /** Other programs that the pages show with flags of their own. */
  const FOREIGN = /^(npm|systemctl|systemd-creds|loginctl|useradd|curl|podman) /

  const flagsIn = (text: string): readonly string[] =>
    [...text.matchAll(/(?<![\w-])--([a-z][a-z0-9-]*)/g)].map(([, flag = '']) => flag)
  const isFlag = (known: Iterable<string>, flag: string): boolean => {
    const all = [...known, ...GLOBAL]
    return all.includes(flag) || all.includes(flag.replace(/^no-/, ''))
  }

  it.each(FOR_USERS)('$path names only commands of holdfast, each with its own flags', ({ text }) => {
    const wrong = commandsIn(text).flatMap((line) => {
      const [, call, words = ''] =
        /(?:^|\s)(holdfast(?:\.js)?|\S*bin\/holdfast(?:\.js)?) (.*)$/.exec(line) ?? []
      const [name = ''] = words.split(/[\s,;]/)
      const isCall = call !== undefined && !name.startsWith('/') && name !== '…'
      if (!isCall) return []
      const flags = name.startsWith('-') ? GLOBAL : flagsOf.get(name)
      if (flags === undefined) return [line]
      return flagsIn(words)
        .filter((flag) => !isFlag(flags, flag))
        .map((flag) => `${name} has no --${flag}`)
    })

    expect(wrong).toEqual([])
  })

  it.each(FOR_USERS)('$path names only flags that exist', ({ text }) => {
    const own = commandsIn(text).filter((line) => !FOREIGN.test(line.replace(/^sudo /, '')))
    const prose = text.replace(BLOCK, '').replace(/`[^`]+`/g, '')

    expect([...own, prose].flatMap(flagsIn).filter((flag) => !isFlag(everyFlag, flag))).toEqual([])
  })

  it.each(FOR_USERS)('$path names only operations and keys that holdfast admin has', ({ text }) => {
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
    ]
    const wrong = commandsIn(text).flatMap((line) => {
      const [, words] = /(?:^|\s)holdfast admin (?:--config \S+ )?(.+)$/.exec(line) ?? []
      if (words === undefined) return []
      const assigned = [...words.matchAll(/ ([a-z-]+)=/g)].map(([, key = '']) => key)
      const isKnown = Object.keys({ ...STORE_OPERATIONS, ...ADMIN_OPERATIONS }).some((name) =>
        `${words} `.startsWith(`${name} `),
      )
      return [...(isKnown ? [] : [line]), ...assigned.filter((key) => !keys.includes(key))]
    })

    expect(wrong).toEqual([])
  })

  it.each(FOR_USERS)(
    '$path names only environment variables that are read, or given to programs',
    ({ text }) => {
      const settings = Object.keys({ ...ACCOUNT_SETTINGS, ...CLIENT_SETTINGS, ...SERVICE_SETTINGS })
      const notification = { ...NOTIFICATION, event: 'changed' } as const
      const given = Object.keys(hookVariables(notification, ''))
      const known = [...settings.map(envOf), 'HOLDFAST_CONFIG', ...given]
      const named = [...text.matchAll(/\bHOLDFAST_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)

      expect(named.filter((name) => !known.includes(name))).toEqual([])
    },
  )
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
      .map((code, at) => ({ title: `${path} (${at + 1})`, path, text: code.text })),
  )

  const ON_SERVICE: readonly string[] = ['docs/service.md', 'docs/publishing.md']
  const isOfService = ({ path, text }: (typeof examples)[number]): boolean =>
    ON_SERVICE.includes(path) || text.startsWith('# /etc/holdfast/service.toml')
  it.each(examples.filter((one) => !isOfService(one)))('$title is accepted', ({ text }) => {
    const isWhole = /^server = /m.test(text)
    const isWithCredentials = /^#.*credentials/m.test(text)
    const config = readClientConfig({
      flags: isWhole
        ? {}
        : { ...REST, ...(!/^hostnames = /m.test(text) && { hostnames: given('home.example.test') }) },
      environment: {},
      chosen: [],
      file: { name: 'example', document: parseDocument(text, 'example.toml') },
      ...((!isWhole || isWithCredentials) && { passwordFileFor: () => '/etc/credstore/holdfast.password' }),
    })

    expect(config.ok ? [] : config.error).toEqual([])
  })

  it.each(examples.filter(isOfService))('$title is accepted', ({ text }) => {
    const config = readServiceConfig({
      flags: {},
      environment: {},
      file: { name: 'example', document: parseDocument(text, 'example.toml') },
    })

    expect(config.ok ? [] : config.error).toEqual([])
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
