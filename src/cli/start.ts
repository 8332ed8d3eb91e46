import { bug, crash } from './crash.ts'
import { main } from './main.ts'
import { endingAsked } from './signals.ts'

/** For what was written to get out. */
const LINGER = 250

/** Called by the launcher. The exit code is set, not forced: what was written gets out. */
export function start(argv: readonly string[]): void {
  // A rejection that nothing handles comes here too.
  process.on('uncaughtException', (error) => void crash(error))
  void run(argv)
}

async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await main(argv).catch(bug)
  setTimeout(endAtOnce, LINGER).unref()
}

/**
 * A name server that says nothing keeps getaddrinfo(3), and with it the process, for ten seconds and more; those that
 * wait for a thread keep it for minutes. All work is done by now. Only a signal ends a process at once; process.exit()
 * waits for what is under way and drops what waits.
 */
function endAtOnce(): void {
  // Whatever else is still open closes by itself, and then the exit code is told.
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) return
  const signal = endingAsked()
  if (signal !== undefined) process.kill(process.pid, signal)
  else if (process.stdout.writableLength === 0) process.exit()
  else setTimeout(endAtOnce, LINGER).unref()
}
