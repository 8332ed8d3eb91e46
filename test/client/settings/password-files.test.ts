import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { passwordFiles } from '../../../src/client/settings/password-files.ts'

/** A folder of credentials, as systemd passes it to a unit. */
function credentialFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-credentials-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const [OFFICE, SHARED, LOADED] = ['holdfast.password.office', 'holdfast.password', 'password']
const ALL = { [OFFICE]: 'a\n', 'holdfast.password.abc': 'b\n', [SHARED]: 'c\n', [LOADED]: 'd\n' }

// biome-ignore format: a table
it.each([
  ['the credential of its name',      ALL,                                    { name: 'office', username: 'abc' }, OFFICE],
  ['the credential of its username',  ALL,                                    { name: 'home', username: 'abc' },   'holdfast.password.abc'],
  ['the credential for all accounts', ALL,                                    { name: 'home', username: 'x' },     SHARED],
  ['the credential of the unit',      { [OFFICE]: 'a', [LOADED]: 'd\n' },     { username: 'x' },                   LOADED],
  ['none if that is one empty line',   { [LOADED]: '\n' },                   { username: 'x' },                   undefined],
  ['no credential of another account',{ [OFFICE]: 'a\n' },                    { name: 'home', username: 'abc' },   undefined],
  ['no file outside of the folder',   ALL,                                    { name: '../program/x', username: '../program/y' },  SHARED],
])('an account without a password takes %s', async (_, files, account, expected) => {
  const credentials = credentialFolder(files)
  const fileFor = await passwordFiles({ credentials, isRoot: false })

  expect(fileFor(account)).toBe(expected === undefined ? undefined : join(credentials, expected))
})

// biome-ignore format: a table
it.each([
  ['/etc/holdfast/password',              LOADED],
  ['/etc/credstore/holdfast.password.abc', 'holdfast.password.abc'],
  ['/etc/credstore/holdfast.password.none', undefined],
  ['/home/me/password',                   undefined],
])('a password file %s is read as its credential, if systemd passed one', async (passwordFile, expected) => {
  const credentials = credentialFolder(ALL)
  const fileFor = await passwordFiles({ credentials, isRoot: false })

  expect(fileFor({ name: 'office', passwordFile })).toBe(
    expected === undefined ? passwordFile : join(credentials, expected),
  )
})

it('without systemd an account without a password file has none', async () =>
  expect((await passwordFiles({ credentials: undefined, isRoot: false }))({ username: 'x' })).toBeUndefined())
