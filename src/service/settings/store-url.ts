import { err, ok, type Result } from '../../shared/base/result.ts'
import { Secret } from '../../shared/base/secret.ts'

/** A database of PostgreSQL, as its address names it. */
export interface StoreUrl {
  /** In the order in which they are tried. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly user: string
  readonly password?: Secret
  readonly database: string
  /** TLS with a verified certificate; without it only where the database is on this host, or the address says so. */
  readonly isTls: boolean
  /** PEM file of the authorities that sign the certificate; those of the system without it. */
  readonly authoritiesFile?: string
  /** Statements are prepared once per connection. */
  readonly isPrepared: boolean
}

const PORT = 5432
const USER = /^[\p{L}\p{N}._$@-]+$/u
/** libpq, "Parameter Key Words": weaker modes encrypt without checking the server. */
const TLS_MODES: Readonly<Record<string, boolean>> = { 'verify-full': true, disable: false }

export const isStoreUrl = (text: string): boolean => /^postgres(?:ql)?:/i.test(text)

/** Parses postgres://USER:PASSWORD@HOST:PORT,HOST/DATABASE?sslmode=…. No error contains the password. */
export function parseStoreUrl(text: string): Result<StoreUrl, string> {
  const [, userinfo, hostList = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/i.exec(text) ?? []
  const hosts = hostList.split(',').map(parseHost)
  const database = decoded(path)
  const [user, ...rest] = (userinfo ?? '').split(':').map(decoded)
  if (
    hosts.includes(undefined) ||
    rest.includes(undefined) ||
    database === undefined ||
    database === '' ||
    user === undefined ||
    user === ''
  )
    return err(
      'is not of the form postgres://USER@HOST:PORT/DATABASE; several hosts are separated by commas, ' +
        'and a character such as @ in a password is written as %40',
    )
  // With another sign than a colon, the password would be a part of the user, which messages show.
  if (!USER.test(user))
    return err(
      'has a user with characters other than letters, digits, ., _, $, @ and -; a password follows after a colon',
    )
  const options = new URLSearchParams(query)
  if ([...options.keys()].some((key) => !['sslmode', 'sslrootcert', 'prepare'].includes(key)))
    return err('has a parameter other than sslmode, sslrootcert and prepare')
  const all = hosts.filter((host) => host !== undefined)
  const isTls = tlsOf(options.get('sslmode'), all)
  if (isTls === undefined) return err('has an sslmode other than verify-full and disable')
  const [password, authoritiesFile] = [rest.join(':'), options.get('sslrootcert')]
  return ok({
    hosts: all,
    user,
    ...(rest.length > 0 && password !== '' && { password: new Secret(password) }),
    database,
    isTls,
    ...(authoritiesFile !== null && { authoritiesFile }),
    isPrepared: options.get('prepare') !== 'off',
  })
}

function parseHost(text: string): StoreUrl['hosts'][number] | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  const number = port === undefined ? PORT : Number(port)
  return host === undefined || number > 65_535 || number === 0 ? undefined : { host, port: number }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const isLoopback = ({ host }: StoreUrl['hosts'][number]): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

const tlsOf = (mode: string | null, hosts: StoreUrl['hosts']): boolean | undefined =>
  mode === null ? !hosts.every(isLoopback) : TLS_MODES[mode]

/** For messages: without the password. */
export function formatStoreUrl({ hosts, user, database }: StoreUrl): string {
  const all = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  return `postgres://${encodeURIComponent(user)}@${all.join(',')}/${encodeURIComponent(database)}`
}
