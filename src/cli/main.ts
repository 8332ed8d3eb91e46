import { ABOUT } from './about.ts'
import { EXITS } from './exit-codes.ts'
import { type Chosen, readPlainLine } from './plain-line.ts'

/** Runs one command line; resolves with the exit code. Nothing but the chosen command is loaded. */
export async function main(words: readonly string[]): Promise<number> {
  try {
    const chosen = (await readPlainLine(words)) ?? (await explained(words))
    if (typeof chosen === 'number') return chosen
    const handle = await chosen.command.load()
    return EXITS[await handle(chosen.flags)].code
  } catch (error) {
    return bug(error)
  }
}

/** A line that asks for help, or has something wrong in it. */
async function explained(words: readonly string[]): Promise<Chosen | number> {
  const { UsageError, readWholeLine } = await import('./whole-line.ts')
  try {
    return (await readWholeLine(words)) ?? EXITS.settled.code
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`holdfast: ${error.message}; see holdfast --help\n`)
    return EXITS.usage.code
  }
}

/** Nothing of ours may fail in a way that we did not think of; where it does, say so and give the trace. */
export function bug(error: unknown): number {
  const trace = error instanceof Error ? error.stack : String(error)
  process.stderr.write(
    `holdfast: this is a bug in Holdfast ${ABOUT.version}; please report it with these lines\n${trace}\n`,
  )
  return EXITS.bug.code
}
