import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { ABOUT } from '../app/about.ts'
import { bug, crash } from '../app/crash.ts'
import { writeOut } from '../app/streams.ts'
import { codeCacheFolder } from '../platform/code-cache-folder.ts'
import { forgetRelative } from '../platform/home-folders.ts'
import { endingAsked } from './signals.ts'

/** Time for a process to end by itself when its command is done: for what was written to get out, and for last words. */
const LINGER = 250

/** Called by the launcher. The exit code is set, not forced: what was written gets out. */
export function start(argv: readonly string[]): void {
  haveHome()
  // Certificates are checked all the same, and Node's warning that they are not would be untrue.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  // A rejection that nothing handles comes here too.
  process.on('uncaughtException', (error) => void crash(error))
  // Without this, Node takes its heap apart at the end, which takes time and serves no purpose.
  process.on('beforeExit', () => process.exit())
  if (asksForVersion(argv)) writeOut(`${ABOUT.version}\n`)
  else void run(argv)
}

/** The one line that needs nothing loaded. In any other, the word may be the value of a flag. */
const asksForVersion = ([word = '', ...more]: readonly string[]): boolean =>
  more.length === 0 && (word === '--version' || word === '-V')

/**
 * systemd's DynamicUser= is in no user database unless libnss-systemd is there, and a container's user often in none at
 * all: Node then throws where the home folder is asked for, and packages ask for it while they are loaded.
 */
function haveHome(): void {
  forgetRelative(process.env)
  try {
    if (isAbsolute(homedir())) return
  } catch {
    // As if it had none.
  }
  process.env['HOME'] = '/'
}

async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await load(argv)
    .then(async (main) => main(argv))
    .catch(bug)
  setTimeout(endAtOnce, LINGER).unref()
}

/** Commands that stay set flags of V8, and code is good only under the flags that it was compiled with. */
const STAYING = ['run', 'serve']

type Main = (argv: readonly string[]) => Promise<number>

async function load(argv: readonly string[]): Promise<Main> {
  const uid = process.getuid?.()
  const folder = codeCacheFolder(process.env, uid)
  if (uid !== undefined && folder !== undefined && !argv.some((word) => STAYING.includes(word))) {
    const { cacheCode } = await import('../platform/code-cache.ts')
    cacheCode(folder, uid)
  }
  return (await import('./main.ts')).main
}

/**
 * A name server that says nothing keeps getaddrinfo(3), and with it the process, for ten seconds and more; look-ups
 * that wait for a thread keep it for minutes. All work is done by now. process.exit() drops those that wait, but waits
 * for those under way: only a signal ends such a process at once.
 */
function endAtOnce(): void {
  const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
  const signal = endingAsked()
  if (isLookingUp && signal !== undefined) process.kill(process.pid, signal)
  else setTimeout(exitWhenWritten, LINGER).unref()
}

/** What is still open, a timer above all, is no reason to stay. */
function exitWhenWritten(): void {
  if (process.stdout.writableLength === 0) process.exit()
  else setTimeout(exitWhenWritten, LINGER).unref()
}
