/** The package for npm: what users need of the manifest, and no scripts, so that npm warns of nothing. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { makeTar } from './tar.mjs'
import { file, folder } from './tree.mjs'
import { apiLibraryFiles, isForUsers, wholeFiles } from './parts.mjs'

/** Of the maintainers alone. */
const PRIVATE = ['scripts', 'devDependencies', 'workspaces', 'allowScripts']

export function makeNpm(to, { root, version, epoch }) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const shown = Object.fromEntries(Object.entries(manifest).filter(([key]) => !PRIVATE.includes(key)))
  const prefix = 'package'
  makeTar(
    to,
    {
      ...wholeFiles(root, prefix),
      ...apiLibraryFiles(root, prefix),
      ...folder(join(root, 'docs'), `${prefix}/docs`, isForUsers),
      ...Object.fromEntries(
        ['README.md', 'CHANGELOG.md', 'LICENSE'].map((name) => [
          `${prefix}/${basename(name)}`,
          file(readFileSync(join(root, name))),
        ]),
      ),
      [`${prefix}/package.json`]: file(`${JSON.stringify({ ...shown, version }, null, 2)}\n`),
    },
    { epoch },
  )
}
