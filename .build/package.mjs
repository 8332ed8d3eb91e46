/**
 * Makes the packages in out/: for npm, Debian and OpenWrt, with checksums and a bill of materials. The same commit gives the
 * same octets, in any folder and with any Node. `--only NAME` makes one of them, `--image` a container image too.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { clientDeb, serviceDeb } from './package/debian.mjs'
import { makeNpm } from './package/npm.mjs'
import { makeOpenwrt } from './package/openwrt.mjs'
import { makeSbom } from './package/sbom.mjs'
import { strippedNode } from './package/node.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const USAGE = `usage: npm run package -- [--only NAME] [--image] [--out FOLDER] [--xz LEVEL]
  --only     npm, deb, service-amd64, service-arm64, openwrt or sbom; several with several --only
  --image    a container image too
  --out      the folder, which has nothing but packages; out/ without it
  --xz       how well the package of the service is compressed: 0, in a tenth of the time, to 9; 6 without it;
             the image is compressed least with 0, and best with another one`

function refuse(problem) {
  console.error(`package: ${problem}`)
  process.exit(64)
}

function parsed() {
  try {
    return parseArgs({ options: OPTIONS })
  } catch (error) {
    return refuse(`${error.message}\n${USAGE}`)
  }
}

const OPTIONS = {
  help: { type: 'boolean', default: false },
  out: { type: 'string', default: join(ROOT, 'out') },
  // Of an older version, for tests of upgrades.
  root: { type: 'string', default: ROOT },
  only: { type: 'string', multiple: true, default: [] },
  image: { type: 'boolean', default: false },
  xz: { type: 'string', default: '6' },
}
const { values } = parsed()
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
if (values.out === '') refuse('--out is empty')
if (!/^[0-9]$/.test(values.xz)) refuse(`--xz ${values.xz}: the level is a number from 0 to 9`)

const root = resolve(values.root)
const out = resolve(values.out)
// Made beside the folder, so that the packages there stay if something fails.
const work = join(dirname(out), `.${basename(out)}.${process.pid}`)
if (existsSync(out)) {
  if (!statSync(out).isDirectory()) refuse(`${out} is a file; name a folder`)
  const other = readdirSync(out).find((file) => !/^(?:holdfast[-_].*|SHA256SUMS)$/.test(file))
  if (other !== undefined)
    refuse(`${out} has ${other}, which is no package; name a folder for packages alone`)
}

/** https://reproducible-builds.org/specs/source-date-epoch/: the time of the commit. */
function timeOfSource() {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined)
    return /^\d+$/.test(given)
      ? Number(given)
      : refuse(`SOURCE_DATE_EPOCH is "${given}"; it must be seconds since 1970`)
  const git = (...words) =>
    execFileSync('git', ['-C', ROOT, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    if (realpathSync(git('rev-parse', '--show-toplevel').trim()) !== realpathSync(ROOT))
      throw new Error('another')
    if (git('status', '--porcelain') !== '')
      console.error(
        'package: the checkout has changes; the packages have the version and the time of its commit',
      )
    return Number(git('log', '-1', '--format=%ct'))
  } catch {
    return refuse(
      'this folder is no git checkout; set SOURCE_DATE_EPOCH to the time of its last change, in seconds since 1970',
    )
  }
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { name, email } = manifest.author
const about = {
  root,
  // As the program in the package says it.
  version: manifest.version,
  maintainer: `${name} <${email}>`,
  epoch: timeOfSource(),
  xzLevel: values.xz,
  gzipLevel: values.xz === '0' ? 1 : 9,
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
  refuse(`--only ${unknown.join(', ')}: the packages are ${Object.keys(PACKAGES).join(', ')}`)
if (!existsSync(join(root, 'dist/holdfast.cjs'))) refuse('there is no build; run: npm run build')

mkdirSync(work, { recursive: true })
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
for (const one of wanted) {
  const [file, make] = PACKAGES[one]
  const start = performance.now()
  await make(join(work, file))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${file}  ${statSync(join(work, file)).size.toLocaleString('en')} octets, ${seconds} s`)
}
if (values.image) {
  const { makeImage } = await import('./package/image.mjs')
  await makeImage(join(work, `holdfast-${version}.oci.tar`), { ...about, ...strippedNode(ROOT, 'x64') })
}
const sums = readdirSync(work)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(work, file)))
        .digest('hex')}  ${file}\n`,
  )
writeFileSync(join(work, 'SHA256SUMS'), sums.join(''))
rmSync(out, { recursive: true, force: true })
renameSync(work, out)
