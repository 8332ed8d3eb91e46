import type { Format } from '../../../../src/client/setup/migration/formats.ts'
import type { RemarkKind } from '../../../../src/client/setup/migration/imported.ts'

export interface ImportCase {
  readonly name: string
  readonly format: Format
  readonly text: string
  /** What is written, without the password file. */
  readonly toml: string
  readonly passwords: readonly string[]
  /** Remarks that must be there, by kind and a part of their text. */
  readonly remarks?: readonly (readonly [RemarkKind, number, string])[]
  readonly variables?: Readonly<Record<string, string>>
  readonly includes?: Readonly<Record<string, string>>
  /** What the user must add before the configuration is valid. */
  readonly isIncomplete?: true
}

export const lines = (...all: readonly string[]): string => all.join('\n')
