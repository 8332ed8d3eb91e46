import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PasswordFileFor } from '../../config/read-client.ts'

/** systemd.exec(5), CREDENTIALS: root keeps them here, and systemd hands a unit those that it imports. */
const CREDENTIAL_STORE = '/etc/credstore'
/** What the unit loads as the credential `password`. */
const [ROOTS_OWN, SHARED] = ['/etc/holdfast/password', 'password']
const PREFIX = 'holdfast.password'

interface Keeping {
  /** The folder of the credentials that systemd handed over. */
  readonly credentials: string | undefined
  readonly isRoot: boolean
}

/**
 * The password file of an account: what systemd handed over under the name of the account, or for all of them; for root,
 * who has no unit around, where these come from. A file that is named in the settings is that file, or its credential.
 */
export async function passwordFiles({ credentials, isRoot }: Keeping): Promise<PasswordFileFor> {
  const handedOver = await nonEmpty(await filesIn(credentials))
  // Of what all units share, only what bears our name.
  const ours = isRoot
    ? (await filesIn(CREDENTIAL_STORE)).filter((path) => basename(path).startsWith(PREFIX))
    : []
  const kept = isRoot ? await nonEmpty([...ours, ROOTS_OWN]) : []
  const credential = (name: string): string | undefined =>
    handedOver.find((path) => basename(path) === name) ?? kept.find((path) => basename(path) === name)
  return ({ name, username, passwordFile }) => {
    if (passwordFile !== undefined) {
      const given = credentialOf(passwordFile)
      return handedOver.find((path) => basename(path) === given) ?? passwordFile
    }
    const names = [name, username].flatMap((one) => (one === undefined ? [] : [`${PREFIX}.${one}`]))
    for (const one of [...names, PREFIX, SHARED]) {
      const path = credential(one)
      if (path !== undefined) return path
    }
    return undefined
  }
}

/** The credential that the unit makes of a file, which the unit's user cannot read. */
function credentialOf(path: string): string | undefined {
  if (path === ROOTS_OWN) return SHARED
  return dirname(path) === CREDENTIAL_STORE ? basename(path) : undefined
}

async function filesIn(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined || folder === '') return []
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
}

/** The unit's `password` is one empty line where root keeps none. */
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
