/**
 * The package's export `holdfast/api`: the client of the management API, and its types, both from the OpenAPI document of these
 * sources. One CommonJS file, which `import` and `require` load alike: an error has the same class in both.
 */
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** The one chunk of an entry, as text. */
async function bundled(options, output) {
  const bundle = await rolldown({ platform: 'node', logLevel: 'warn', ...options })
  const { output: chunks } = await bundle.generate(output)
  await bundle.close()
  if (chunks.length !== 1) throw new Error(`${chunks.length} files instead of one`)
  return chunks[0].code
}

/** The generator as a module: the oldest Node that builds this package does not run TypeScript. */
async function generatorOf(root) {
  const code = await bundled({ cwd: root, input: join(root, '.build/api-client.ts') }, { format: 'esm' })
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}

const ENTRY = '\0holdfast-api'

/** The files of the client, by their names in dist/. */
export async function apiLibrary(root) {
  const { API_DOCUMENT, callTable, declarations } = await generatorOf(root)
  const entry = {
    name: 'holdfast-api',
    resolveId: (id) => (id === ENTRY ? id : null),
    load: (id) =>
      id === ENTRY
        ? `import { apiClientMaker } from ${JSON.stringify(join(root, 'src/service/api/library/api-client.ts'))}
           export { each } from ${JSON.stringify(join(root, 'src/service/api/library/api-client.ts'))}
           export { HoldfastApiError } from ${JSON.stringify(join(root, 'src/service/api/library/api-error.ts'))}
           export const holdfastApi = apiClientMaker(${JSON.stringify(callTable(API_DOCUMENT))})`
        : null,
  }
  return {
    'holdfast-api.cjs': await bundled(
      { cwd: root, input: ENTRY, plugins: [entry] },
      { format: 'cjs', minify: true, exports: 'named' },
    ),
    'holdfast-api.d.cts': declarations(API_DOCUMENT),
  }
}
