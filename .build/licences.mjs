/** The licences of the bundled packages, which ship with the bundle. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the packages in these folders, without duplicates, in an order independent of the paths. */
export const licences = (folders) =>
  [...new Set(folders.map(section))].sort((a, b) => (a < b ? -1 : 1)).join(`\n\n${'-'.repeat(78)}\n\n`)

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return `${name} ${version} (${license})\n\n${licenceText(folder)}`
}

/** LICENSE, license.md, LICENSE-MIT.txt, COPYING …: all of them, because a package may have two. */
function licenceText(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying)([-.]|$)/i.test(name))
  if (names.length === 0) throw new Error(`${folder} has no licence file; it cannot be bundled`)
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n')
}
