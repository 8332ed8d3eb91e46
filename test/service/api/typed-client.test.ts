import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTypescript from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { oneIn } from '../../large.ts'
import { DOCUMENT } from './document.ts'
import { apiWorld } from './world.ts'

const TYPED = join(import.meta.dirname, 'typed')
const TSC = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
const OPTIONS = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'ES2023',
  lib: ['ES2023', 'DOM'],
  types: [],
  module: 'NodeNext',
  allowImportingTsExtensions: true,
}

// openapi-typescript 6 writes text; version 7 needs the JavaScript API of TypeScript 5, which this TypeScript does not have.

/** The folder with the generated types, the client, and the program that uses it. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-typed-'))
beforeAll(async () => {
  writeFileSync(join(folder, 'types.ts'), await openapiTypescript(structuredClone(DOCUMENT) as never))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }),
  )
  copyFileSync(join(TYPED, 'client.ts'), join(folder, 'client.ts'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The messages of the compiler for a program in place of smoke.ts. */
async function compiled(program: string): Promise<string> {
  writeFileSync(join(folder, 'smoke.ts'), program)
  const run = promisify(execFile)(TSC, ['--project', folder])
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  )
}

describe('a client with types generated from the OpenAPI document', () => {
  const program = readFileSync(join(TYPED, 'smoke.ts'), 'utf8')

  it('compiles', async () => expect(await compiled(program)).toBe(''), 60_000)

  const MISTAKES = [
    ['a parameter', 'limit: 2', 'limits: 2'],
    ['a sort key', 'sort: { name:', 'sort: { colour:'],
    ['a filter', 'filter: { zone_name:', 'filter: { colour:'],
    ['a field of a response', 'read.body.data.rrsets', 'read.body.data.rrset'],
    ['a DNS type', "'A' as const", "'B' as const"],
    ['a header', "'If-Match':", "'If-Matched':"],
  ] as const
  it.each(oneIn(3, MISTAKES))(
    'does not compile with %s that is not in the document: %s as %s',
    async (_, right, wrong) => {
      expect(program).toContain(right)
      expect(await compiled(program.replace(right, wrong))).toContain('error TS')
    },
    60_000,
  )

  it('drives the service', async () => {
    const world = await apiWorld()
    onTestFinished(world.close)
    // A name that the compiler does not follow: the types exist in the other folder.
    const { smoke } = (await import(join(TYPED, 'smoke.ts'))) as {
      readonly smoke: (url: string, key: string) => Promise<readonly unknown[]>
    }
    expect(await smoke(world.url, 'key-of-a')).toEqual([
      [201, 201, 200, 202, 412, 202, 201, 201, 403],
      [['A', 60, '192.0.2.1']],
      [{ zone_name: 'typed.test', name: 'www' }],
      ['www', 'c', 'b', 'a'],
    ])
  })
})
