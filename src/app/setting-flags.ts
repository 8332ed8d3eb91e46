import type { SettingLayer } from '../config/setting.ts'

/** The part of a command line that concerns the settings. */
export interface SettingFlags {
  /** The settings that are given as flags. */
  readonly layer: SettingLayer
  /** --config. */
  readonly configFile: string | undefined
}

/** The same for a command of the client. */
export interface ClientSettingFlags extends SettingFlags {
  /** --account: only these accounts of the file; an empty list stands for all. */
  readonly accounts: readonly string[]
}
