/**
 * Bundles src/ to dist/: one entry, one chunk per command, CommonJS because it starts faster (decision 0001), the client of
 * `/v1` for other programs, and the licences of the bundled packages.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { apiLibrary } from './library.mjs'
import { licences } from './licences.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

/** The parts of undici that make one request; its main module also brings fetch, WebSocket, caches and mocks. */
const SLIM_UNDICI = '\0slim-undici'
/** HTTP/2 of undici, which is never used and would load that of Node. */
const UNUSED = '\0unused'
const slimUndici = {
  name: 'slim-undici',
  resolveId(id) {
    if (id === 'undici') return SLIM_UNDICI
    return id.endsWith('/client-h2.js') ? UNUSED : null
  },
  load: (id) => {
    if (id === UNUSED) return 'export default undefined'
    return id === SLIM_UNDICI
      ? `import Client from 'undici/lib/dispatcher/client.js'
         import request from 'undici/lib/api/api-request.js'
         import buildConnector from 'undici/lib/core/connect.js'
         import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
         Dispatcher.prototype.request = request
         export { buildConnector, Client }`
      : null
  },
}

/**
 * Parts of pg that are never used: a library in C, the sockets of a cloud, the password file of libpq, and the types of all values
 * (`PARSERS` in postgres/connection.ts has those that the store reads).
 */
const NO_TYPES = '\0no-types'
const NO_PART = '\0no-part'
const slimPg = {
  name: 'slim-pg',
  resolveId(id) {
    if (id === 'pg-types') return NO_TYPES
    return ['pg-native', 'pg-cloudflare', 'pgpass'].includes(id) ? NO_PART : null
  },
  load: (id) => {
    if (id === NO_PART) return 'export default undefined'
    return id === NO_TYPES
      ? `export const builtins = {}
         export const getTypeParser = () => String
         export const setTypeParser = () => undefined`
      : null
  },
}

const bundle = await rolldown({
  // The second one is the file of a thread.
  input: {
    holdfast: join(ROOT, 'src/start.ts'),
    'listing-worker': join(ROOT, 'src/service/store/sqlite/listing-worker.ts'),
  },
  platform: 'node',
  cwd: ROOT,
  plugins: [slimUndici, slimPg],
  // Only used for `extends` in a yargs configuration, which this program does not have.
  transform: { define: { 'import.meta.resolve': 'undefined' } },
  // Some packages have a second build for require() that cannot be bundled: prefer their ES modules.
  resolve: { mainFields: ['module', 'main'] },
  logLevel: 'warn',
})
const { output } = await bundle.generate({
  format: 'cjs',
  minify: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  codeSplitting: {
    groups: [
      // What --version needs, and every other line.
      {
        name: 'start',
        test: /src\/shared\/program\/(about|crash|exit-codes|signals|streams)\.ts$|^(?!.*node_modules).*package\.json$/,
      },
      // What every command needs.
      {
        name: 'tables',
        test: /src\/shared\/(base|protocol)\/|src\/shared\/settings\/(?!document|syntax|toml-statements)|src\/client\/services\/(providers\/|template\.ts)|src\/client\/detect\/sources\/spec\.ts|src\/client\/settings\/(client-(checks|file|settings)|hostname|notify-settings|page-settings|parameter|protocol-(checks|settings)|read-client)\.ts|src\/client\/setup\/migration\/formats\.ts|src\/client\/program\/commands\/starts\.ts/,
      },
      // Modules of commands that read settings.
      {
        name: 'console',
        test: /src\/shared\/program\/(output|config-file|log|paths)|src\/client\/settings\/(settings|account-files|password-files|system-config)|src\/client\/decide\/file-name|src\/shared\/platform\/(log\/log|files\/(files|named-file|paths|promises)|clock\/clock)\.ts/,
      },
      // Modules of one update; address detection is separate.
      {
        name: 'client',
        test: /src\/client\/(agent\/|decide\/(?!file-name)|report\/(cause|report|control-requests|resume-state)|detect\/(sources\/(provider|source)|address-detection)|program\/((system|compose|jobs|one-shot|state\/single-instance)\.ts|commands\/update\.ts))|src\/shared\/platform\/(http\/(outcome|plain|proxy|service)|process\/lock|sockets\/control|clock\/release-date)\.ts/,
      },
    ],
  },
})
await bundle.close()
/** One character beyond Latin-1 doubles the memory of the source of a file, each time that it is copied. */
const inAscii = (code) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

put({
  ...Object.fromEntries(
    output.map((one) => [one.fileName, one.type === 'chunk' ? inAscii(one.code) : one.source]),
  ),
  ...(await apiLibrary(ROOT)),
  'package.json': '{ "type": "commonjs" }\n',
  'LICENSES.txt': licences(packagesIn(output)),
})

/**
 * Replaces only files that changed, each atomically: tests, a benchmark and a daemon may run from the same checkout during a
 * build.
 */
function put(files) {
  const fresh = join(ROOT, `.dist-${process.pid}`)
  for (const folder of [DIST, fresh]) mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    const path = join(DIST, name)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    writeFileSync(join(fresh, name), text)
    renameSync(join(fresh, name), path)
  }
  rmSync(fresh, { recursive: true })
  for (const name of readdirSync(DIST))
    if (!Object.hasOwn(files, name)) rmSync(join(DIST, name), { recursive: true, force: true })
}

/** The folders of all packages in the bundle. */
function packagesIn(chunks) {
  const modules = chunks.flatMap((chunk) => Object.keys(chunk.modules ?? {}))
  const folders = new Set(
    modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  )
  if (modules.some((id) => id.includes('undici'))) folders.add(join(ROOT, 'node_modules/undici'))
  return [...folders]
}
