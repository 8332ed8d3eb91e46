import { execFileSync } from 'node:child_process'

/** Whether a program of the system is installed. Where it is not, its tests are skipped, and loudly. */
export function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`], {
      stdio: 'pipe',
      env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    })
    return true
  } catch {
    console.error(
      `\n!!! ${program} is not installed: its system tests are SKIPPED. On Debian: apt-get install ${program}\n`,
    )
    return false
  }
}
