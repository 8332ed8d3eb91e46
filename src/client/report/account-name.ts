/** An account, as far as it can be named. */
export interface AccountName {
  /** `username@host`. */
  readonly account: string
  /** What the user calls it. */
  readonly name?: string | null | undefined
}

/** Whether a word of the user means this account: its name, its key, or the username in that. */
export const isNamedBy = (subject: string, { account, name }: AccountName): boolean =>
  subject === name || subject === account || account.startsWith(`${subject}@`)

/** By its name, with its key, where it has one. */
export const labelOf = ({ account, name }: AccountName): string =>
  name === undefined || name === null || name === account ? account : `${name} (${account})`

/** Every account, for who named another. */
export const listAccounts = (all: readonly AccountName[]): string =>
  all.map((one) => one.name ?? one.account).join(', ')
