import { CLIENT_COMMANDS } from './client/program/commands/commands.ts'
import type { Command } from './shared/program/parse/command.ts'
import { SERVICE_COMMANDS } from './service/program/commands/commands.ts'

/** Every command, in the order of --help. */
export const COMMANDS: readonly Command[] = [...CLIENT_COMMANDS, ...SERVICE_COMMANDS]
