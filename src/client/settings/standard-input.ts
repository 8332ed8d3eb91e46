import { text } from 'node:stream/consumers'

/** Standard input can be read once; accounts with password_file = "-" share its content. */
let stdin: Promise<string> | undefined
export const readStdin = async (): Promise<string> => (stdin ??= text(process.stdin))
