import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacks } from '../lacks.ts'

/** Whether the fast clock can be built here; says so loudly where it cannot. */
export const canBuild = (): boolean => process.platform === 'linux' && !lacks('gcc')

export interface FastClock {
  /** The environment of a process whose time passes `factor` times as fast, from its start or from a common moment. */
  readonly environment: (factor: number, since?: bigint) => Readonly<Record<string, string>>
  readonly remove: () => void
}

export function buildFastClock(): FastClock {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-clock-'))
  const library = join(folder, 'fast-clock.so')
  const source = join(import.meta.dirname, 'fast-clock.c')
  execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-shared', '-fPIC', '-o', library, source])
  return {
    environment: (factor, since) => ({
      LD_PRELOAD: library,
      FAST_CLOCK: String(factor),
      ...(since !== undefined && { FAST_CLOCK_SINCE: String(since) }),
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
