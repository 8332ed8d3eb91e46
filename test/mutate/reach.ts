import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `from './x.ts'`, `import './x.ts'` and `import('./x.ts')`. */
const SPECIFIER = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** The test files that load one of these files, themselves or through others; paths from the root. */
export function testsThatLoad(
  root: string,
  tests: readonly string[],
  files: ReadonlySet<string>,
): readonly string[] {
  const imports = new Map<string, readonly string[]>()
  const importsOf = (file: string): readonly string[] => {
    const known = imports.get(file)
    if (known !== undefined) return known
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
    const found = [...text.matchAll(SPECIFIER)].map(([, path = '']) => join(dirname(file), path))
    imports.set(file, found)
    return found
  }
  const loads = (test: string): boolean => {
    const seen = new Set([test])
    for (const file of seen) for (const one of importsOf(file)) seen.add(one)
    return [...files].some((file) => seen.has(file))
  }
  return tests.filter(loads)
}
