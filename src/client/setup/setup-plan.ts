import type { NewFile } from './new-files.ts'

/** What a setup writes. */
export interface SetupPlan {
  readonly config: string
  readonly files: readonly NewFile[]
  /** The change of a configuration that exists; empty where it is new. */
  readonly diff: readonly string[]
  /** Settings that the configuration has with another value. */
  readonly remarks: readonly string[]
  /** The names of the new or changed accounts in the file. */
  readonly accounts: readonly string[]
}
