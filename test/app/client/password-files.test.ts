import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { passwordFiles } from '../../../src/app/client/password-files.ts'

/** A folder of credentials as systemd hands it over. */
function handedOver(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-credentials-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const [OFFICE, SHARED, LOADED] = ['holdfast.password.office', 'holdfast.password', 'password']
const ALL = { [OFFICE]: 'a\n', 'holdfast.password.abc': 'b\n', [SHARED]: 'c\n', [LOADED]: 'd\n' }

// biome-ignore format: a table
it.each([
  ['that of its name',                ALL,                                    { name: 'office', username: 'abc' }, OFFICE],
  ['that of its username',            ALL,                                    { name: 'home', username: 'abc' },   'holdfast.password.abc'],
  ['the one for all',                 ALL,                                    { name: 'home', username: 'x' },     SHARED],
  ['the one that the unit loads',     { [OFFICE]: 'a', [LOADED]: 'd\n' },     { username: 'x' },                   LOADED],
  ['none where that is one empty line', { [LOADED]: '\n' },                   { username: 'x' },                   undefined],
  ['none of another account',         { [OFFICE]: 'a\n' },                    { name: 'home', username: 'abc' },   undefined],
  ['none outside the folder',         ALL,                                    { name: '../x', username: '../y' },  SHARED],
])('an account without a password takes %s', async (_, files, account, expected) => {
  const credentials = handedOver(files)
  const fileFor = await passwordFiles({ credentials, isRoot: false })

  expect(fileFor(account)).toBe(expected === undefined ? undefined : join(credentials, expected))
})

// biome-ignore format: a table
it.each([
  ['/etc/holdfast/password',              LOADED],
  ['/etc/credstore/holdfast.password.abc', 'holdfast.password.abc'],
  ['/etc/credstore/holdfast.password.none', undefined],
  ['/home/me/password',                   undefined],
])('a password file %s is read as its credential, if it was handed over', async (passwordFile, expected) => {
  const credentials = handedOver(ALL)
  const fileFor = await passwordFiles({ credentials, isRoot: false })

  expect(fileFor({ name: 'office', passwordFile })).toBe(
    expected === undefined ? passwordFile : join(credentials, expected),
  )
})

it('without systemd there is none', async () =>
  expect((await passwordFiles({ credentials: undefined, isRoot: false }))({ username: 'x' })).toBeUndefined())
