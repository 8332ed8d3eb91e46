import { CLIENT_COMMANDS } from './client-commands.ts'
import type { Command } from './parse/command.ts'
import { SERVICE_COMMANDS } from './service-commands.ts'

/** Every command, in the order of --help. */
export const COMMANDS: readonly Command[] = [...CLIENT_COMMANDS, ...SERVICE_COMMANDS]
