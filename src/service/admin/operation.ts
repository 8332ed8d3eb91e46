import { err, ok, type Result } from '../../shared/base/result.ts'
import type { Instant } from '../../shared/base/time.ts'
import type { Pepper } from '../auth/hashes.ts'
import { canonicalName, relativeTo } from '../model/dns-name.ts'
import type { OutgoingMail } from '../../shared/base/mail.ts'
import type { Name, Zone } from '../model/tree.ts'
import type { DdnsKey } from '../store/records.ts'
import type { StoreWrites } from '../store/store.ts'

/** What an operation needs: the store inside one transaction, and the key of its hashes. */
export interface AdminContext {
  readonly w: StoreWrites
  readonly pepper: Pepper
  readonly nameservers: readonly string[]
  /** Of the list of zones for secondaries: no zone is at or beneath it. */
  readonly catalogZone: string
  readonly now: Instant
  /** The address of the console; undefined: there is none. */
  readonly console?: string | undefined
  /** Where account owners can ask questions. */
  readonly contact?: string | undefined
  /** Whether a mail server is set. */
  readonly canMail?: boolean
}

/** The result as lines of text, and as an object for --json. */
export interface OperationResult {
  readonly lines: readonly string[]
  readonly data: Readonly<Record<string, unknown>>
  /** For the trail: what a zone had that is removed. */
  readonly before?: string
  /** To send when it is stored. */
  readonly mail?: OutgoingMail
}

export type Args = readonly string[]
export interface AdminOperation {
  readonly parameters: string
  readonly summary: string
  readonly run: (context: AdminContext, args: Args) => Promise<Result<OperationResult, string>>
}
export type Operations = Readonly<Record<string, AdminOperation>>

export const finished = (
  line: string,
  data: Readonly<Record<string, unknown>> = {},
): Result<OperationResult, string> => ok({ lines: [line], data })

/** Whether a refusal is that what an operation is for does not exist; all of them begin like those below. */
export const saysMissing = (refusal: string): boolean => refusal.startsWith('there is no ')

export async function accountIdOf(w: StoreWrites, name: string): Promise<Result<number, string>> {
  if (name === '') return err('the name of the account is missing')
  const id = await w.accountNamed(name)
  return id === undefined ? err(`there is no account ${name}`) : ok(id)
}

export async function zoneOf(w: StoreWrites, name: string): Promise<Result<Zone, string>> {
  const zone = await w.zoneNamed(canonicalName(name))
  return zone === undefined ? err(`there is no zone ${name}`) : ok(zone)
}

export async function keyOf(w: StoreWrites, username: string): Promise<Result<DdnsKey, string>> {
  const key = await w.keyNamed(username)
  return key === undefined ? err(`there is no DDNS key ${username}`) : ok(key)
}

/** A stored name with its zone, by its whole name. */
interface FoundName {
  readonly fqdn: string
  readonly id: number
  readonly zone: Zone
  readonly name: Name
}

export async function nameOf(w: StoreWrites, hostname: string): Promise<Result<FoundName, string>> {
  const fqdn = canonicalName(hostname)
  const containing = await w.zoneContaining(fqdn)
  // With its lock: nobody removes the name, or makes it again, until the end of the operation.
  const zone = containing && (await w.zoneNamed(containing.name))
  const relative = zone === undefined ? undefined : relativeTo(fqdn, zone.name)
  const name = zone === undefined || relative === undefined ? undefined : await w.nameAt(zone.id, relative)
  return zone === undefined || name?.id === undefined
    ? err(`there is no name ${hostname}`)
    : ok({ fqdn, id: name.id, zone, name })
}
