import { bug } from '../app/crash.ts'
import { EXITS } from '../app/exit-codes.ts'
import { writeError } from '../app/streams.ts'
import { type ParsedCommand, parseFast } from './parse-fast.ts'
import { withEnvironmentSwitches } from './switches.ts'

/** Runs one command line; resolves with the exit code. Nothing but the chosen command is loaded. */
export async function main(given: readonly string[]): Promise<number> {
  try {
    const line = await withEnvironmentSwitches(given)
    if (!line.ok) return misread(line.error)
    const words = line.value
    const chosen = (await parseFast(words)) ?? (await explained(words))
    if (typeof chosen === 'number') return chosen
    const handle = await chosen.command.load()
    return EXITS[await handle(chosen.flags)].code
  } catch (error) {
    return bug(error)
  }
}

/** A line that asks for help, or has something wrong in it. */
async function explained(words: readonly string[]): Promise<ParsedCommand | number> {
  standSomewhere()
  const { UsageError, parseWithYargs } = await import('./parse-yargs.ts')
  try {
    return (await parseWithYargs(words)) ?? EXITS.settled.code
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return misread([error.message])
  }
}

/** yargs asks for the working folder while it is loaded, and Node throws where that was deleted. */
function standSomewhere(): void {
  try {
    process.cwd()
  } catch {
    process.chdir('/')
  }
}

function misread(says: readonly string[]): number {
  for (const one of says) writeError(`holdfast: ${one}; see holdfast --help\n`)
  return EXITS.usage.code
}
