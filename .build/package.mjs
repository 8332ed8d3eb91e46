/**
 * Makes the packages in out/: for npm, Debian and OpenWrt, with checksums and a bill of materials. The same commit gives the
 * same octets, in any folder and with any Node. `--only NAME` makes one of them, `--image` a container image too.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { clientDeb, serviceDeb } from './package/debian.mjs'
import { makeNpm } from './package/npm.mjs'
import { makeOpenwrt } from './package/openwrt.mjs'
import { makeSbom } from './package/sbom.mjs'
import { strippedNode } from './package/node.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'out') },
    // Of an older version, for tests of upgrades.
    root: { type: 'string', default: ROOT },
    version: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    image: { type: 'boolean', default: false },
  },
})

const root = resolve(values.root)
const out = resolve(values.out)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { name, email } = manifest.author
const about = {
  root,
  version: values.version ?? manifest.version,
  maintainer: `${name} <${email}>`,
  // https://reproducible-builds.org/specs/source-date-epoch/: the time of the commit, so that a copy without history needs the variable.
  epoch: Number(
    process.env['SOURCE_DATE_EPOCH'] ??
      execFileSync('git', ['-C', ROOT, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }),
  ),
}
const holdfast = (...words) =>
  execFileSync(process.execPath, [join(root, 'bin/holdfast.js'), ...words], { encoding: 'utf8' })
const { version } = about

/** By the name for --only: the file, and what makes it. */
const PACKAGES = {
  npm: [`holdfast-${version}.tgz`, (to) => makeNpm(to, about)],
  deb: [
    `holdfast_${version}_all.deb`,
    (to) =>
      clientDeb(to, {
        ...about,
        completions: Object.fromEntries(
          ['bash', 'zsh', 'fish'].map((shell) => [shell, holdfast('completion', shell)]),
        ),
      }),
  ],
  'service-amd64': [
    `holdfast-service_${version}_amd64.deb`,
    (to) => serviceDeb(to, { ...about, architecture: 'amd64', ...strippedNode(ROOT, 'x64') }),
  ],
  'service-arm64': [
    `holdfast-service_${version}_arm64.deb`,
    (to) => serviceDeb(to, { ...about, architecture: 'arm64', ...strippedNode(ROOT, 'arm64') }),
  ],
  openwrt: [`holdfast-openwrt-${version}.tar.gz`, (to) => makeOpenwrt(to, about)],
  sbom: [`holdfast-${version}.cdx.json`, (to) => makeSbom(to, { ...about, root: ROOT })],
}

const wanted = values.only.length > 0 ? values.only : Object.keys(PACKAGES)
const unknown = wanted.filter((one) => !Object.hasOwn(PACKAGES, one))
if (unknown.length > 0)
  throw new Error(`--only ${unknown.join(', ')}: the packages are ${Object.keys(PACKAGES).join(', ')}`)
if (!existsSync(join(root, 'dist/holdfast.cjs'))) throw new Error('there is no build; run: npm run build')

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const one of wanted) {
  const [file, make] = PACKAGES[one]
  const start = performance.now()
  await make(join(out, file))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${file}  ${statSync(join(out, file)).size.toLocaleString('en')} octets, ${seconds} s`)
}
if (values.image) {
  const { makeImage } = await import('./package/image.mjs')
  await makeImage(join(out, `holdfast-${version}.oci.tar`), { ...about, ...strippedNode(ROOT, 'x64') })
}
const sums = readdirSync(out)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')}  ${file}\n`,
  )
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
