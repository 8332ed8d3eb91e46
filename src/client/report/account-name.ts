/** How an account is named to the user. */
interface AccountName {
  /** The account key: `username@host`. */
  readonly account: string
  /** The name in the configuration. */
  readonly name?: string | null | undefined
}

/** Whether the user means this account: by its name, its key, or the username of the key. */
export const isNamedBy = (subject: string, { account, name }: AccountName): boolean =>
  subject === name || subject === account || account.startsWith(`${subject}@`)

/** `name (key)`, or the key of an account without a name. */
export const labelOf = ({ account, name }: AccountName): string =>
  name === undefined || name === null || name === account ? account : `${name} (${account})`

/** The accounts that exist, for an error about one that does not. */
export const listAccounts = (accounts: readonly AccountName[]): string =>
  accounts.map(({ account, name }) => name ?? account).join(', ')
