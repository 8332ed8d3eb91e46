import { err, type Result } from '../base/result.ts'

/**
 * Codes of sysexits.h where it has one that fits. `restart` tells a supervisor whether another start can help; it is
 * true for those of commands that no unit runs.
 */
// biome-ignore format: a table
export const EXITS = {
  settled:       { code: 0,  restart: true,  meaning: 'success' },
  usage:         { code: 64, restart: false, meaning: 'the command line is wrong' },
  partial:       { code: 65, restart: true,  meaning: 'some settings of the other client cannot be taken over' },
  unreached:     { code: 69, restart: true,  meaning: 'the service, or every address source, cannot be reached' },
  bug:           { code: 70, restart: true,  meaning: 'a bug in Holdfast' },
  denied:        { code: 71, restart: true,  meaning: 'this user may not read the file, or data of the system daemon; use sudo' },
  unwritten:     { code: 74, restart: true,  meaning: 'not all of the output was written: standard output is full or closed' },
  waiting:       { code: 75, restart: true,  meaning: 'waiting, as the service requires; nothing is sent before the wait ends' },
  stopped:       { code: 77, restart: false, meaning: 'stopped until you act; holdfast explain shows what to do' },
  configuration: { code: 78, restart: false, meaning: 'the configuration is wrong or incomplete' },
  cancelled:     { code: 130, restart: true,  meaning: 'ended by the user before anything was written' },
} as const satisfies Record<string, { readonly code: number; readonly restart: boolean; readonly meaning: string }>

export type Exit = keyof typeof EXITS

/** Why a command cannot start: its exit, and one message for each problem. */
export interface Failure {
  readonly exit: Exit
  readonly messages: readonly string[]
}

/** The operator must change the configuration, the store or the host. */
export const configurationFailure = (...messages: readonly string[]): Result<never, Failure> =>
  err({ exit: 'configuration', messages })

/** The command line is wrong. */
export const usageFailure = (...messages: readonly string[]): Result<never, Failure> =>
  err({ exit: 'usage', messages })
