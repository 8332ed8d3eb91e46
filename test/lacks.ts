import { spawnSync } from 'node:child_process'
import { isProgram } from './lab/run.ts'

/** Tests that cannot run here are skipped, and loudly. */
function skipped(why: string): true {
  console.error(`\n!!! ${why}: the tests that need it are SKIPPED\n`)
  return true
}

/** Whether a program is missing here. */
export const lacks = (program: string): boolean =>
  !isProgram(program) && skipped(`${program} is not installed`)

/** Whether this process may not make a mount namespace. */
export const lacksNamespaces = (): boolean =>
  (process.getuid?.() !== 0 || spawnSync('unshare', ['--mount', 'true']).status !== 0) &&
  skipped('no mount namespace can be made here (root is needed, and a root that is a mount)')
