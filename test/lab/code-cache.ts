import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One folder of compiled code for the programs that all files start. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-code-'))
  process.env['HOLDFAST_TEST_CODE'] = folder
  return () => {
    delete process.env['HOLDFAST_TEST_CODE']
    rmSync(folder, { recursive: true, force: true })
  }
}
