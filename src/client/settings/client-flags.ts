import type { SettingFlags } from '../../shared/program/setting-flags.ts'

/** The same for a command of the client. */
export interface ClientSettingFlags extends SettingFlags {
  /** --account: only these accounts of the file; an empty list stands for all. */
  readonly accounts: readonly string[]
  /** The environment variables of all commands of this program: one environment file may serve client and service. */
  readonly knownVariables: () => Promise<readonly string[]>
}
