import type { Secret } from '../../../shared/base/secret.ts'
import type { DraftSettings } from '../draft.ts'

/** A place in a file of another client. */
interface Place {
  readonly file: string
  readonly line: number
}

/**
 * What an import says about its source. `not taken`: an account that stays with the other client; `lost`: a setting without
 * a counterpart; `changed`: the meaning differs; `dropped`: not needed here.
 */
export type RemarkKind = 'not taken' | 'lost' | 'changed' | 'dropped'
export interface Remark {
  readonly kind: RemarkKind
  readonly place: Place
  readonly text: string
}

/** Where the other client looks its address up. */
export type Lookup =
  /** In a way that the default sources replace. */
  | { readonly kind: 'default' }
  | {
      readonly kind: 'sources'
      readonly sources: readonly string[]
      readonly command?: readonly string[]
      /** A network of the other host, whose device is not in its file. */
      readonly network?: string
    }
  | { readonly kind: 'fixed'; readonly addresses: readonly string[] }

/** One update of another client: hostnames at a service, with one login. */
export interface ImportedUpdate {
  readonly place: Place
  /** What the other file calls it; empty where it has no name. */
  readonly label: string
  /** The service by name, or its address. */
  readonly service: ServiceAddress
  readonly username: string | undefined
  readonly password: Secret | undefined
  /** A second secret, of services that need one. */
  readonly apiKey?: Secret | undefined
  readonly hostnames: readonly string[]
  readonly ipv4: boolean
  readonly ipv6: boolean
  readonly lookup: Lookup
  /** Further settings of the account. */
  readonly settings: DraftSettings
  /** The time between checks that this entry alone sets, as a setting. */
  readonly interval?: string | undefined
  /** The interface through which the usual sources are asked. */
  readonly through?: string | undefined
  /** The interface for IPv6, where `lookup` is the way for IPv4 alone. */
  readonly ipv6Interface?: string | undefined
  /** Interfaces of several entries for the same hostname, in their order. */
  readonly lines?: readonly string[] | undefined
  /** The host part of the IPv6 addresses of these hostnames, for another machine of the network. */
  readonly suffix?: string | undefined
}

/** What an entry says about its service. */
export interface ImportedService
  extends Pick<ImportedUpdate, 'service' | 'settings' | 'username' | 'password' | 'apiKey' | 'hostnames'> {
  /** Keys of the entry that only this service has. */
  readonly read: ReadonlySet<string>
}

export interface ServiceAddress {
  readonly provider?: string | undefined
  /** An origin, such as https://dyn.example. */
  readonly server?: string | undefined
  readonly path?: string | undefined
}

/** A file of another client, read. */
export interface Imported {
  /** Settings of the program as a whole. */
  readonly settings: DraftSettings
  readonly updates: readonly ImportedUpdate[]
  readonly remarks: readonly Remark[]
}

/** What a reader needs beyond the text. */
export interface ImportContext {
  readonly file: string
  /** The value of an environment variable. */
  readonly variable: (name: string) => string | undefined
  /** The text of a file that this one includes, or why it cannot be read. */
  readonly include: (path: string) => { readonly text: string } | { readonly problem: string }
  /** The domain of a hostname below its public suffix; undefined without one. */
  readonly domainOf: (hostname: string) => string | undefined
}

type ImportReader = (text: string, context: ImportContext) => Imported

/** A client to import from. */
export interface FormatRow {
  readonly read: ImportReader
  readonly matches: (text: string) => boolean
  /** Of a container: those that are set once for each. */
  readonly variables?: readonly string[]
  /** Where the files usually are. */
  readonly files: readonly string[]
  /** How the other client is stopped. */
  readonly stop: string
}

/** Why no setting switches the check of the certificate off. */
export const CHECKED_CERTIFICATE =
  'the certificate of the service is always checked; for one of your own, set ca_file to its authority'

/** Collects remarks while a file is read. */
export class Remarks {
  readonly #file: string
  readonly #all: Remark[] = []
  constructor(file: string) {
    this.#file = file
  }
  add(kind: RemarkKind, line: number, text: string): void {
    this.#all.push({ kind, place: { file: this.#file, line }, text })
  }
  /** Adds a remark only once. */
  once(kind: RemarkKind, line: number, text: string): void {
    if (!this.#all.some((one) => one.kind === kind && one.text === text)) this.add(kind, line, text)
  }
  get all(): readonly Remark[] {
    return this.#all
  }
}
