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
 * A name server that says nothing keeps getaddrinfo(3), and with it even process.exit(), for ten seconds and more. All
 * work is done by now; who asked us to end is obeyed as if we had never listened.
 */
function endAtOnce(): void {
  const signal = endingAsked()
  // Whatever else is still open closes by itself, and then the exit code is told.
  const isLookingUp = process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')
  if (signal !== undefined && isLookingUp) process.kill(process.pid, signal)
}
