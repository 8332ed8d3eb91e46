import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const { licences } = (await import(join(import.meta.dirname, '../../.build/licences.mjs'))) as {
  licences: (folders: readonly string[]) => string
}

/** A package with these files. */
function packageOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-licences-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'package.json'), '{"name":"a","version":"1.0.0","license":"MIT"}')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

it.each(['LICENSE', 'license.md', 'LICENSE-MIT.txt', 'LICENCE', 'COPYING'])(
  'the licence of a package is inside: %s',
  (name) => expect(licences([packageOf({ [name]: 'as is\n' })])).toBe('a 1.0.0 (MIT)\n\nas is'),
)

it('a package that is there twice is named once, whatever its folders are called', () => {
  const [one, other] = [packageOf({ LICENSE: 'as is' }), packageOf({ LICENSE: 'as is' })]

  expect(licences([one, other])).toBe('a 1.0.0 (MIT)\n\nas is')
  expect(licences([other, one])).toBe(licences([one, other]))
})

it('a package without a licence is not bundled', () =>
  expect(() => licences([packageOf({ 'README.md': 'MIT' })])).toThrow(/has no licence file/))
