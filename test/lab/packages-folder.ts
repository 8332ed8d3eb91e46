import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One folder for packages that several files install. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-packages-'))
  process.env['HOLDFAST_TEST_PACKAGES'] = folder
  return () => {
    delete process.env['HOLDFAST_TEST_PACKAGES']
    rmSync(folder, { recursive: true, force: true })
  }
}
