import type { CommandHandler } from '../../../shared/program/parse/command.ts'
import { fail } from '../../../shared/program/output.ts'

/** The first Node with node:sqlite that needs no flag and has every function that the store uses. */
const MIN_VERSION = [22, 16] as const

/** A command that opens the store. Its chunk, which imports node:sqlite, loads only on a Node that has that module. */
export const withSqlite =
  <Flags extends { readonly asJson: boolean }>(
    subject: string,
    load: () => Promise<CommandHandler<Flags>>,
  ): CommandHandler<Flags> =>
  async (flags) => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
      const message =
        `${subject} needs Node ${MIN_VERSION.join('.')} or newer for its embedded database; ` +
        `this is Node ${process.versions.node}`
      return fail({ exit: 'configuration', messages: [message] }, flags.asJson)
    }
    suppressSqliteWarning()
    if (process.getBuiltinModule('node:sqlite') === undefined) {
      const message =
        `${subject} needs node:sqlite, and this Node was built without it; ` +
        'use a Node from nodejs.org or from your distribution'
      return fail({ exit: 'configuration', messages: [message] }, flags.asJson)
    }
    const handle = await load()
    return handle(flags)
  }

/** Node 22 warns at every start that its SQLite is experimental. The operator cannot act on it. */
function suppressSqliteWarning(): void {
  const emit = process.emitWarning.bind(process)
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite is an experimental feature')) emit(warning, ...rest)
  }
}
