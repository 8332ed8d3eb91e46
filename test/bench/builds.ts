import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { fill } from './fill.ts'
import { ROOT, type startService } from './service.ts'

/** A commit that was built in a folder of its own, with its own functions: its schema and its flags are others. */
export interface Build {
  readonly commit: string
  readonly fill: typeof fill
  readonly startService: typeof startService
}

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' }).trim()

/** What stands for this commit in tables. */
export const shortHash = (commit: string): string => git('rev-parse', '--short', `${commit}^{commit}`)

/** Kept in the user's cache folder, since a build takes half a minute. */
function folderOf(commit: string): string {
  const hash = git('rev-parse', `${commit}^{commit}`)
  const builds = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast-bench')
  const folder = join(builds, hash)
  if (existsSync(join(folder, 'dist'))) return folder
  mkdirSync(builds, { recursive: true })
  if (!existsSync(folder)) execFileSync('git', ['clone', '--quiet', '--no-checkout', ROOT, folder])
  const steps = [
    ['git', 'checkout', '--quiet', hash],
    ['npm', 'ci', '--no-audit', '--silent'],
    ['npm', 'run', '--silent', 'build'],
  ] as const
  for (const [program, ...args] of steps)
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return folder
}

/** Builds a commit, where that was not done before. Throws where there is no such commit, or it cannot be built. */
export async function buildOf(commit: string): Promise<Build> {
  const bench = join(folderOf(commit), 'test/bench')
  const [store, service] = (await Promise.all([
    import(join(bench, 'fill.ts')),
    import(join(bench, 'service.ts')),
  ])) as [{ readonly fill: typeof fill }, { readonly startService: typeof startService }]
  return { commit: shortHash(commit), fill: store.fill, startService: service.startService }
}
