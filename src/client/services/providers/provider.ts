/**
 * How sure the facts are. A: the service's own pages, or dated reports since 2024. B: clients that are maintained. C: only
 * lists, which are no proof that the service lives.
 */
export type Grade = 'A' | 'B' | 'C'

/** Services that manage records: one file each, or a row of `../protocols/rows` by the name of the preset. */
export type ProtocolName = 'cloudflare' | 'netcup' | 'rfc2136' | 'row'

/** Each answer and its source are in `test/client/services/protocols/dumps`. */
export interface ReplyLists {
  readonly success: readonly string[]
  readonly unchanged?: readonly string[]
  readonly wait?: readonly string[]
  readonly stop?: readonly string[]
}

/** Which hostnames a service takes. */
export interface PresetNames {
  /** Domains of the service in which it gives names away, the most used first. */
  readonly suffixes?: readonly string[]
  /** It has no names in other domains. */
  readonly isClosed?: true
  /** A name without a dot: a network, a tunnel, or a group of hostnames. */
  readonly label?: 'network' | 'tunnel' | 'group'
  /** Its username or token is that of one hostname, so an account has one. */
  readonly isSingle?: true
  /** It takes no `*.home.example.com`. */
  readonly wildcard?: false
}

/** A service, with the settings that an account for it needs. */
export interface Provider {
  readonly name: string
  readonly grade: Grade
  /** Setting texts by key, as in a file. Without `server` it must be given: the program runs on a user's own host. */
  readonly settings: Readonly<Record<string, string>>
  /** It has its own protocol: a file or a row of `client/services/protocols`. */
  readonly protocol?: ProtocolName
  /** It takes no username. */
  readonly hasNoUsername?: true
  /** Patterns of its answers, where it does not speak the update protocol: the settings of these names. */
  readonly replies?: ReplyLists
  /** The setting of this name. */
  readonly headers?: readonly string[]
  /** What to enter as username. */
  readonly username: string
  /** What to enter as password. */
  readonly password: string
  /** What to enter as API key; without it, the service needs only the password. */
  readonly apiKey?: string
  /** Without an API key, the password is another kind of secret. */
  readonly isApiKeyOptional?: true
  /** The username is the hostname, or its domain. */
  readonly userIs?: 'hostname' | 'domain'
  readonly names?: PresetNames
  /** A source says that it knows the parameter offline=YES. Others may take the address of the connection instead. */
  readonly hasOffline?: true
  /** What may help if the service is not reached. */
  readonly ifUnreached?: string
  /** What else a user must know. */
  readonly note?: string
}

/** A service that has ended, or that is not served. */
export interface UnservedService {
  readonly name: string
  /** Why, as the end of a sentence that begins with its name. */
  readonly what: string
  /** What to do. */
  readonly instead?: string
  /** Its hosts, and its names in other clients. */
  readonly aliases?: readonly string[]
}

/** The month of the last check of all rows. */
export const CHECKED = '2026-11'
