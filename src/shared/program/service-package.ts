import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { EXITS, type Exit } from './exit-codes.ts'
import { fail } from './output.ts'

/** The command of the package of the service. */
const SERVICE_PROGRAM = '/usr/sbin/holdfast-service'
export const NO_SERVICE =
  'this package is the client; the update service is the package holdfast-service: install it, and run the command again'

const isAsked = (signal: NodeJS.Signals | null): boolean => signal === 'SIGTERM' || signal === 'SIGINT'

/** Gives the command line to the installed service; without one, says what to install. */
export async function handOver({ asJson }: { readonly asJson: boolean }): Promise<Exit> {
  if (!existsSync(SERVICE_PROGRAM))
    return fail(
      {
        exit: 'configuration',
        messages: [NO_SERVICE],
      },
      asJson,
    )
  const child = spawn(SERVICE_PROGRAM, process.argv.slice(2), { stdio: 'inherit' })
  // The terminal sends its signals to both; a supervisor only to this process.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT')
  })
  const code = await new Promise<number>((done) => {
    child.once('error', () => done(EXITS.bug.code))
    // It was asked to end; any other signal, such as one of a lack of memory, is no success.
    child.once('close', (ended, signal) =>
      done(ended ?? (isAsked(signal) ? EXITS.settled.code : EXITS.bug.code)),
    )
  })
  const known = Object.entries(EXITS).find(([, row]) => row.code === code)
  return (known?.[0] ?? 'bug') as Exit
}
