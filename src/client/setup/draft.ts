import type { Secret } from '../../shared/base/secret.ts'

/** The value of a setting as it stands in a file. */
export type DraftValue = string | boolean | number | readonly string[]
/** Values by the key in the file, such as `ipv6_parameter`. */
export type DraftSettings = Readonly<Record<string, DraftValue>>

/** An account that is about to be written into a configuration file. */
export interface DraftAccount {
  /** Names the account among several, and its password file. */
  readonly name: string
  readonly settings: DraftSettings
  /** Written into a file of its own; undefined where it is not known. */
  readonly password: Secret | undefined
  /** At services that need one in addition to the password; also in a file of its own. */
  readonly apiKey?: Secret | undefined
  /** Settings of single hostnames, as [[account.host]]; each has a name. */
  readonly hosts?: readonly DraftSettings[]
  /** What the reader of the file must know. */
  readonly comments: readonly string[]
}

/** A configuration file that is about to be written. */
export interface ConfigDraft {
  /** Settings of the program as a whole. */
  readonly settings: DraftSettings
  readonly accounts: readonly DraftAccount[]
}

/** The name of an account in a file name: no slash, no blank. */
export const accountSlug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '') || 'account'
