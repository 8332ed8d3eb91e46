import { bug } from './shared/program/crash.ts'
import { EXITS } from './shared/program/exit-codes.ts'
import { withOutput, writeError } from './shared/program/streams.ts'
import { normalizeSwitches, type ParsedCommand, parseFast } from './shared/program/parse/fast.ts'
import { CLIENT_COMMANDS } from './client/program/commands/commands.ts'
import type { Command } from './shared/program/parse/command.ts'
import { SERVICE_COMMANDS } from './service/program/commands/commands.ts'

/** Every command, in the order of --help. */
export const COMMANDS: readonly Command[] = [...CLIENT_COMMANDS, ...SERVICE_COMMANDS]

/** Runs one command line; resolves with the exit code. Only the chosen command is loaded. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const line = await normalizeSwitches(COMMANDS, argv)
    if (!line.ok) return reportUsage(line.error)
    const words = line.value
    const parsed = (await parseFast(COMMANDS, words)) ?? (await parseSlow(words))
    if (typeof parsed === 'number') return parsed
    const handle = await parsed.command.load(COMMANDS)
    const exit = await handle(parsed.flags)
    return EXITS[parsed.command.isReport === true ? await withOutput(exit) : exit].code
  } catch (error) {
    return bug(error)
  }
}

/** A line with --help, --version or a mistake. */
async function parseSlow(words: readonly string[]): Promise<ParsedCommand | number> {
  leaveDeletedFolder()
  const { UsageError, parseWithYargs } = await import('./shared/program/parse/yargs.ts')
  try {
    return (await parseWithYargs(COMMANDS, words)) ?? EXITS[await withOutput('settled')].code
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return reportUsage([error.message])
  }
}

/** yargs reads the working folder while it loads, and Node throws if that folder is deleted. */
function leaveDeletedFolder(): void {
  try {
    process.cwd()
  } catch {
    process.chdir('/')
  }
}

function reportUsage(messages: readonly string[]): number {
  for (const message of messages) writeError(`holdfast: ${message}; see holdfast --help\n`)
  return EXITS.usage.code
}
