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

/** For a page: the account's name; or its service, with a hostname if there are several accounts; or its key. */
export function humanLabel(
  one: AccountName & {
    readonly service?: string
    readonly hostnames: readonly { readonly hostname: string }[]
  },
  all: readonly { readonly service?: string }[],
): string {
  const { account, name, service, hostnames } = one
  if (name !== undefined && name !== null) return name
  if (service === undefined) return account
  const isOne = all.filter((other) => other.service === service).length < 2
  return isOne ? service : `${service}, ${hostnames[0]?.hostname ?? account}`
}

/** The accounts that exist, for an error about one that does not. */
export const listAccounts = (accounts: readonly AccountName[]): string =>
  accounts.map(({ account, name }) => name ?? account).join(', ')
