import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where the files are that the unit of the service passes on (`LoadCredential=` in systemd/holdfast-service.service). */
const SOURCE = '/etc/holdfast'

/**
 * The path where this process can read a file. Under systemd the service runs as a user of its own, which may not read
 * what belongs to root: systemd passes a copy of such files. An empty one stands for a file that is not there.
 */
export function credentialFor(path: string): string {
  const folder = process.env['CREDENTIALS_DIRECTORY']
  if (folder === undefined || dirname(path) !== SOURCE) return path
  const passed = join(folder, basename(path))
  try {
    return readFileSync(passed, 'utf8').trim() === '' ? path : passed
  } catch {
    return path
  }
}
