import type { SettingLayer } from '../settings/setting.ts'

/** The part of a command line that concerns the settings. */
export interface SettingFlags {
  /** The settings that are given as flags. */
  readonly layer: SettingLayer
  /** --config. */
  readonly configFile: string | undefined
}
