import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/service/api/routes.ts'
import { oneIn } from '../large.ts'
import { NODE, ROOT, type Service, startService } from './processes.ts'

const TSC = join(ROOT, 'node_modules/.bin/tsc')
/** The code, in octets. The types are of all operations, which do not fit. */
const MAX_CODE = 10_000

/** A project of another person, in which the packed file is installed. */
const project = mkdtempSync(join(tmpdir(), 'holdfast-api-'))
let at: Service & { readonly end: () => Promise<void> }
beforeAll(async () => {
  const npm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--pack-destination', project)) as [
    { readonly filename: string },
  ]
  writeFileSync(join(project, 'package.json'), '{"private":true}')
  npm(project, 'install', join(project, packed.filename))
  at = await startService({})
})
afterAll(async () => {
  await at.end()
  rmSync(project, { recursive: true, force: true })
})

/** A file of the project. */
function put(name: string, text: string): string {
  writeFileSync(join(project, name), text)
  return join(project, name)
}

/** Runs a file with the URL of the service and the API key; its output is JSON. */
function run(path: string, node = NODE): unknown {
  const { stdout, stderr } = spawnSync(node, [path, at.url, at.apiKey], { cwd: project, encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const BASE = { strict: true, noEmit: true, target: 'ES2022', lib: ['ES2022'], types: [], skipLibCheck: false }
/** What the compiler says of a file of the project. */
function compiled(path: string, options: object): string {
  const folder = join(project, 'options')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...BASE, ...options }, files: [path] }),
  )
  return spawnSync(TSC, ['--project', folder], { encoding: 'utf8' }).stdout
}

/** Prints [what was read, statuses, refusal]. */
const JAVASCRIPT = `
async function main([server, token]) {
  const api = holdfastApi({ server, token })
  const zone_name = 'js-' + process.pid + '.test'
  const made = await api.createZone({}, { zone_name })
  await api.createName({ zone_name }, { name: 'www', rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }] })
  const { data } = await api.getName({ zone_name, name: 'www' })
  const names = []
  for await (const { name } of each(api.listZoneNames, { zone_name, limit: 1, sort: { name: 'asc' } })) names.push(name)
  const refused = await api
    .replaceRRSet({ zone_name, name: 'www', dns_type: 'A' }, { rdata: [{ value: '300.0.2.10' }] })
    .catch((error) => error)
  const { status, errors: [{ code, title, pointer }] } = refused
  const isOne = refused instanceof HoldfastApiError
  console.log(JSON.stringify([made.status, data.rrsets[0].rdata[0].value, names, [isOne, status, code, title, pointer], Object.keys(api)]))
}
main(process.argv.slice(2))
`
const SEEN = [
  201,
  '192.0.2.1',
  ['@', 'www'],
  [true, 400, '2839', 'invalid format for Rdata', '/rdata/0/value'],
  expect.any(Array) as unknown,
]

describe('the client that the package exports as holdfast/api', () => {
  const library = (ending: string): string =>
    join(project, 'node_modules/holdfast/dist', `holdfast-api.${ending}`)

  it('is small, and loads nothing', () => {
    const code = readFileSync(library('cjs'), 'utf8')
    expect(statSync(library('cjs')).size).toBeLessThan(MAX_CODE)
    expect(code).not.toMatch(/require\(|import\(/)
  })

  it.each([
    ['use.mjs', "import { each, holdfastApi, HoldfastApiError } from 'holdfast/api'"],
    ['use.cjs', "const { each, holdfastApi, HoldfastApiError } = require('holdfast/api')"],
  ])('works in %s, with a call for each operation', (name, head) => {
    const seen = run(put(name, `${head}\n${JAVASCRIPT}`)) as readonly unknown[]
    expect(seen).toEqual(SEEN)
    expect((seen.at(-1) as string[]).toSorted()).toEqual(Object.keys(ROUTES).toSorted())
  })

  it('is one for import and require: an error of one is an error of the other', () => {
    const path = put(
      'both.mjs',
      `import { createRequire } from 'node:module'
       import { HoldfastApiError } from 'holdfast/api'
       console.log(JSON.stringify(createRequire(import.meta.url)('holdfast/api').HoldfastApiError === HoldfastApiError))`,
    )
    expect(run(path)).toBe(true)
  })

  it('leaves the program of the package and its manifest where they were', () => {
    const path = put('manifest.cjs', "console.log(JSON.stringify(require('holdfast/package.json').bin))")
    expect(run(path)).toEqual({ holdfast: 'bin/holdfast.js' })
  })
})

const TYPED = `
import { each, holdfastApi, HoldfastApiError, type ApiError, type HoldfastApi, type Zone } from 'holdfast/api'

export async function use(server: string, token: string) {
  const api: HoldfastApi = holdfastApi({ server, token })
  const zone_name = 'typed.test'
  const { warnings } = await api.createZone({}, { zone_name, metadata: { owner: 'me' } })
  const made = await api.createName(
    { zone_name },
    { name: 'www', rrsets: [{ dns_type: 'A', ttl: 300, rdata: [{ value: '192.0.2.1' }] }] },
  )
  const labels: string | null = made.headers.get('Created-Labels')
  const zone: Zone = (await api.getZone({ zone_name })).data
  const read = async () => api.getName({ zone_name, name: 'www', 'expand[]': ['offline_settings'] })
  let { data, headers } = await read()
  // Publishing changes the entity tag.
  while (data.published_at === null) ({ data, headers } = await read())
  const etag = headers.get('ETag') ?? ''
  const same = await api.getName({ zone_name, name: 'www' }, { headers: { 'If-None-Match': etag } })
  const changed = await api.changeRRSets({ zone_name }, [{ name: 'www', dns_type: 'TXT', rdata: [{ value: 'x' }] }])
  const stale = await api
    .deleteName({ zone_name, name: 'www' }, { headers: { 'If-Match': etag } })
    .then(() => undefined, (error: unknown) => (error instanceof HoldfastApiError ? error : undefined))
  const first: ApiError | undefined = stale?.errors[0]
  const names: string[] = []
  const wanted = { filter: { zone_name: [zone_name] }, sort: { name: 'desc' }, limit: 1 } as const
  for await (const { name } of each(api.listNames, wanted)) names.push(name)
  for await (const one of each(api.listZoneNames, { zone_name })) names.push(one.rrsets.length + one.name)
  const { page } = await api.listZones({ limit: 1, filter: { is_shared: false } })
  const about = await api.about()
  return {
    data: [zone.name, data.rrsets[0]?.rdata[0]?.value, names, page.limit, about.data.version, labels],
    statuses: [same.status, changed.status, stale?.status],
    refusal: [first?.code, first?.pointer, stale?.retryAfter],
    warnings: warnings.map(({ code }) => code),
  }
}
`

const WRONG = `
import { each, holdfastApi, HoldfastApiError } from 'holdfast/api'

export async function wrong(api: ReturnType<typeof holdfastApi>) {
  const zone_name = 'a.test'
`
/** Each is a mistake that only the types find. */
const MISTAKES: readonly (readonly [what: string, line: string])[] = [
  ['a field of a body', "await api.createZone({}, { zone: 'a.test' })"],
  ['another field of a body', "await api.createZone({}, { zone_name, colour: 'red' })"],
  ['the type of a field', "await api.replaceRRSet({ zone_name, name: 'x', dns_type: 'A' }, { ttl: '300' })"],
  ['a missing body', 'await api.createZone({})'],
  ['a body in the place of the parameters', 'await api.createZone({ zone_name }, { zone_name })'],
  ['a missing parameter', 'await api.getZone({})'],
  ['a parameter of the query', 'await api.listZoneNames({ zone_name, limits: 2 })'],
  ['a filter', 'await api.listNames({ filter: { colour: ["red"] } })'],
  ['a sort order', "await api.listNames({ sort: { name: 'up' } })"],
  ['a DNS type', "await api.getRRSet({ zone_name, name: 'x', dns_type: 'B' })"],
  ['a header', "await api.deleteZone({ zone_name }, { headers: { 'If-Match': 'x' } })"],
  ['a field of an answer', 'void (await api.getZone({ zone_name })).data.owner'],
  ['the page of one object', 'void (await api.getZone({ zone_name })).page'],
  ['data of a change', 'void (await api.publishZone({ zone_name })).data.x'],
  ['an operation', 'await api.getZones({ zone_name })'],
  ['a list', 'for await (const _ of each(api.getZone, { zone_name })) break'],
  ['options', "holdfastApi({ token: 'x' })"],
  ['a field of an error', 'void new HoldfastApiError().code'],
]

describe('its types', () => {
  const ENVIRONMENTS: readonly (readonly [name: string, options: object])[] = [
    ['nodenext', { module: 'nodenext' }],
    ['node16', { module: 'node16', exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }],
    ['a browser', { module: 'preserve', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'] }],
    ['Node', { module: 'nodenext', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }],
  ]
  const FETCHES = `
import { holdfastApi } from 'holdfast/api'
holdfastApi({ server: '', fetch, signal: new AbortController().signal })
`

  it.each(oneIn(2, ENVIRONMENTS))(
    'compile with the options of %s, as ES module and as CommonJS',
    (_, options) => {
      for (const name of ['typed.mts', 'typed.cts']) expect(compiled(put(name, TYPED), options)).toBe('')
      if (JSON.stringify(options).includes('DOM') || JSON.stringify(options).includes('"node"'))
        expect(compiled(put('fetches.mts', FETCHES), options)).toBe('')
    },
  )

  it('refuse each mistake', () => {
    const lines = MISTAKES.flatMap(([what, line]) => [`  // @ts-expect-error: ${what}`, `  ${line}`])
    expect(compiled(put('wrong.mts', `${WRONG}${lines.join('\n')}\n}\n`), { module: 'nodenext' })).toBe('')
  })

  it('are those of the service', () => {
    put('typed.mts', TYPED)
    const main = put(
      'main.mts',
      "import { use } from './typed.mts'\nconsole.log(JSON.stringify(await use(process.argv[2] ?? '', process.argv[3] ?? '')))\n",
    )
    expect(run(main, process.execPath)).toEqual({
      data: [
        'typed.test',
        '192.0.2.1',
        ['www', '@', expect.any(String), expect.any(String)],
        1,
        '1.0.0',
        '"_1";type="A"',
      ],
      statuses: [304, 202, 412],
      refusal: ['412', null, null],
      warnings: [],
    })
  })
})

it('the example of docs/api.md compiles, and does what the page says', () => {
  const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')
  const [, example = ''] = /^```ts\n([^]*?)^```$/m.exec(page) ?? []
  const own = example.replace(/server: '[^']+', token: '[^']+'/, `server: '${at.url}', token: '${at.apiKey}'`)
  const path = put('example.mts', own)

  expect(own).toContain(at.apiKey)
  expect(compiled(path, { module: 'nodenext', lib: ['ES2022', 'DOM'], noUncheckedIndexedAccess: true })).toBe(
    '',
  )
  const { stdout, stderr } = spawnSync(process.execPath, [path], { cwd: project, encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['@\ncabin\nhome\noffice\nwww\n400 2839 /rdata/0/value\n', ''])
})
