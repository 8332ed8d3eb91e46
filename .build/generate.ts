/** npm run generate: writes what is generated from the tables. A test fails when it is out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generated } from './generated.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

for (const [path, text] of await generated(read)) writeFileSync(join(ROOT, path), text)
