import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { ABOUT } from './shared/program/about.ts'
import { bug, crash } from './shared/program/crash.ts'
import { writeOut } from './shared/program/streams.ts'
import { later } from './shared/platform/clock/timer.ts'
import { cacheCode } from './shared/platform/process/code-cache.ts'
import { codeCacheFolder } from './shared/platform/process/code-cache-folder.ts'
import { dropRelativeFolders } from './shared/platform/files/environment-folders.ts'
import { stopSignal } from './shared/program/signals.ts'

/** In milliseconds: after the command, the process has this time to flush its output and to end by itself. */
const EXIT_DELAY = 250

/** Called by the launcher. Sets process.exitCode and does not call process.exit(), so that pending output is written. */
export function start(argv: readonly string[]): void {
  ensureHome()
  // Holdfast always checks certificates; Node's warning about this variable would be wrong.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  // Also receives unhandled rejections.
  process.on('uncaughtException', (error) => void crash(error))
  // Skips the teardown of the heap, which takes milliseconds.
  process.on('beforeExit', () => process.exit())
  if (asksForVersion(argv)) writeOut(`${ABOUT.version}\n`)
  else void run(argv)
}

/** Only this line needs no other code. In a longer line, the word may be the value of a flag. */
const asksForVersion = ([word = '', ...more]: readonly string[]): boolean =>
  more.length === 0 && (word === '--version' || word === '-V')

/**
 * os.homedir() throws for a user without a passwd entry: systemd's DynamicUser= without libnss-systemd, and many
 * containers. Packages call it while they load.
 */
function ensureHome(): void {
  dropRelativeFolders(process.env)
  try {
    if (isAbsolute(homedir())) return
  } catch {
    // Same as a relative home: HOME is set below.
  }
  process.env['HOME'] = '/'
}

async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await load(argv)
    .then(async (main) => main(argv))
    .catch(bug)
  later(EXIT_DELAY, forceExit)
}

/** These commands set V8 flags, and V8 refuses cached code that was compiled under other flags. */
const WITHOUT_CACHE = ['run', 'serve']

type Main = (argv: readonly string[]) => Promise<number>

async function load(argv: readonly string[]): Promise<Main> {
  const uid = process.getuid?.()
  const folder = codeCacheFolder(process.env, uid)
  if (uid !== undefined && folder !== undefined && !argv.some((word) => WITHOUT_CACHE.includes(word)))
    cacheCode(folder, uid)
  return (await import('./main.ts')).main
}

/**
 * All work is done, but getaddrinfo(3) with a silent name server keeps the process alive for ten seconds and more, and
 * queued lookups for minutes. process.exit() drops queued lookups but waits for running ones: only a signal ends such a
 * process immediately.
 */
function forceExit(): void {
  const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
  const signal = stopSignal()
  if (isLookingUp && signal !== undefined) process.kill(process.pid, signal)
  else later(EXIT_DELAY, exitWhenWritten)
}

/** Open handles such as timers must not keep the process alive. */
function exitWhenWritten(): void {
  if (process.stdout.writableLength === 0) process.exit()
  else later(EXIT_DELAY, exitWhenWritten)
}
