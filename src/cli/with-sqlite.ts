import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import type { CommandHandler } from './command.ts'
import { fail } from './output.ts'

/** The first Node whose node:sqlite needs no flag and does what the store asks of it. */
const LEAST = [22, 16] as const

/** A command that opens the store. Nothing of it is loaded before it is known that this Node can. */
export const withSqlite =
  (subject: string, load: () => Promise<CommandHandler>): CommandHandler =>
  async (flags: Flags): Promise<Exit> => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
      const says = `${subject} needs Node ${LEAST.join('.')} or newer, for its embedded database; this is Node ${process.versions.node}`
      return fail({ exit: 'configuration', messages: [says] }, flags['json'] === true)
    }
    withoutSqliteWarning()
    const handle = await load()
    return handle(flags)
  }

/** Node 22 calls its SQLite experimental at every start; we know, and the operator cannot do anything about it. */
function withoutSqliteWarning(): void {
  const emit = process.emitWarning.bind(process)
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite is an experimental feature')) emit(warning, ...rest)
  }
}
