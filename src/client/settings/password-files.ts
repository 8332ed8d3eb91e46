import { basename, dirname, join } from 'node:path'
import type { PasswordFileFor } from './read-client.ts'
import { readAll, readdir, stat } from '../../shared/platform/files/promises.ts'
import { secretText } from '../../shared/program/config-file.ts'

/** systemd.exec(5), CREDENTIALS: the credentials of root, from which a unit imports its own. */
export const CREDENTIAL_STORE = '/etc/credstore'
/** The unit loads this file as the credential `password`. */
export const ROOT_PASSWORD_FILE = '/etc/holdfast/password'
const UNIT_CREDENTIAL = 'password'
/** The credential for all accounts; with a suffix, for one of them. */
export const PASSWORD_CREDENTIAL = 'holdfast.password'

interface CredentialContext {
  /** The folder of the credentials that systemd passed to this unit. */
  readonly credentials: string | undefined
  readonly isRoot: boolean
}

/**
 * Finds the password file of an account: a credential with the name of the account, or one for all accounts. For root
 * outside of a unit, the files that these credentials are loaded from. A file that the settings name is that file, or the
 * credential that the unit loads from it.
 */
export async function passwordFiles({ credentials, isRoot }: CredentialContext): Promise<PasswordFileFor> {
  const passed = await nonEmpty(await filesIn(credentials))
  // The store is shared by all units.
  const stored = isRoot ? (await filesIn(CREDENTIAL_STORE)).filter(isPassword) : []
  const ofRoot = isRoot ? await nonEmpty([...stored, ROOT_PASSWORD_FILE]) : []
  const credential = (name: string): string | undefined =>
    passed.find((path) => basename(path) === name) ?? ofRoot.find((path) => basename(path) === name)
  return ({ name, username, passwordFile }) => {
    if (passwordFile !== undefined) {
      const loaded = credentialOf(passwordFile)
      return passed.find((path) => basename(path) === loaded) ?? passwordFile
    }
    const names = [name, username].flatMap((one) =>
      one === undefined ? [] : [`${PASSWORD_CREDENTIAL}.${one}`],
    )
    for (const one of [...names, PASSWORD_CREDENTIAL, UNIT_CREDENTIAL]) {
      const path = credential(one)
      if (path !== undefined) return path
    }
    return undefined
  }
}

/** The credential that the unit loads from a file, because its user cannot read the file. */
function credentialOf(path: string): string | undefined {
  if (path === ROOT_PASSWORD_FILE) return UNIT_CREDENTIAL
  return dirname(path) === CREDENTIAL_STORE ? basename(path) : undefined
}

/** Whether the files of root are others by now than systemd passed to this unit; what cannot be compared is. */
export async function hasOtherPasswords(unit: string): Promise<boolean> {
  const [passed, now] = await Promise.all([
    passwordsIn(await filesIn(`/run/credentials/${unit}`)),
    passwordsIn([...(await filesIn(CREDENTIAL_STORE)), ROOT_PASSWORD_FILE]),
  ])
  return passed !== now
}

async function passwordsIn(paths: readonly string[]): Promise<string> {
  const own = paths.filter((path) => basename(path) === UNIT_CREDENTIAL || isPassword(path))
  const texts = await Promise.all(own.map(async (path) => readAll(path, 'utf8').catch(() => '')))
  const found = own.map((path, at) => [basename(path), secretText(texts[at] ?? '')] as const)
  return JSON.stringify(found.filter(([, text]) => text !== '').toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const isPassword = (path: string): boolean => basename(path).startsWith(PASSWORD_CREDENTIAL)

async function filesIn(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined || folder === '') return []
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
}

/** Without a password file, the credential `password` of the unit is one empty line. */
async function nonEmpty(paths: readonly string[]): Promise<readonly string[]> {
  const sizes = await Promise.all(
    paths.map(async (path) =>
      stat(path)
        .then((found) => (found.isFile() ? found.size : 0))
        .catch(() => 0),
    ),
  )
  return paths.filter((_, at) => (sizes[at] ?? 0) > 1)
}
