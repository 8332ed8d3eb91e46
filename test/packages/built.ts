import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../e2e/processes.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
export const VERSION = version

/** The last commit before there were packages, for upgrades. */
const BEFORE = '868ed81'
export const OLD_VERSION = '0.1.9'

interface BuildOptions {
  readonly only?: readonly string[]
  /** Another checkout. */
  readonly root?: string
  /** Another Node makes it. */
  readonly node?: string
  /** The container image too. */
  readonly image?: boolean
  /** A folder that stays. */
  readonly out?: string
}

/** The folder of new packages; they are deleted with the process. */
export function build({
  only = [],
  root,
  node = process.execPath,
  image = false,
  out = deletedAtExit('holdfast-out-'),
}: BuildOptions): string {
  execFileSync(
    node,
    [
      join(ROOT, '.build/package.mjs'),
      '--out',
      out,
      // The files in a package are what is tested; npm run test:long compares those of a release.
      '--xz',
      '0',
      ...only.flatMap((one) => ['--only', one]),
      ...(image ? ['--image'] : []),
      ...(root === undefined ? [] : ['--root', root]),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return out
}

function deletedAtExit(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The folder of the package of the service: made once for all test files, because most of it is Node, which is long compressed. */
export function buildService(): string {
  const out = join(process.env['HOLDFAST_TEST_PACKAGES'] ?? deletedAtExit('holdfast-out-'), 'service')
  return existsSync(out) ? out : build({ only: ['service-amd64'], out })
}

/** The only file with this ending. */
export function fileIn(folder: string, ending: string): string {
  const found = readdirSync(folder).filter((name) => name.endsWith(ending))
  if (found.length !== 1) throw new Error(`${folder} has ${found.length} files that end in ${ending}`)
  return join(folder, found[0] ?? '')
}

/** A built checkout of the program before it had packages, with a version of its own; of the present one where the history does not go so far. */
export function earlierCheckout(): string {
  const folder = deletedAtExit('holdfast-earlier-')
  const known = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', BEFORE]).status === 0
  const archive = execFileSync('git', ['-C', ROOT, 'archive', known ? BEFORE : 'HEAD'], {
    maxBuffer: 1024 ** 3,
  })
  execFileSync('tar', ['x', '-C', folder], { input: archive })
  const manifest = join(folder, 'package.json')
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(/("version": )"[^"]*"/, `$1"${OLD_VERSION}"`),
  )
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  // The name of this one then; it is the same for what that program asks.
  if (!existsSync(join(modules, 'tldts-icann')))
    symlinkSync(join(ROOT, 'node_modules/tldts'), join(modules, 'tldts-icann'))
  execFileSync(process.execPath, [join(folder, '.build/build.mjs')], { stdio: 'pipe' })
  return folder
}

/** How many lines of a .deb's files contain a text, as grep prints it. */
export const linesWith = (text: string, deb: string): string =>
  execFileSync('sh', ['-c', `dpkg-deb --fsys-tarfile ${deb} | grep -c -a -F ${text} || true`], {
    encoding: 'utf8',
  }).trim()
