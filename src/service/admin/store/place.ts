import type { ServiceSettings } from '../../settings/service-settings.ts'
import { formatStoreUrl, type StoreUrl } from '../../settings/store-url.ts'
import type { Duration } from '../../../shared/base/time.ts'

/** A database of PostgreSQL, which several nodes share. */
export interface SharedPlace {
  readonly url: StoreUrl
  readonly passwordFile: string | undefined
  /** Of the keyed hashes, the same on every node. */
  readonly hashKeyFile: string
  readonly connections: number
  readonly wait: Duration
}

/** The folder of SQLite, or a shared database. */
export type StorePlace = string | SharedPlace

/** For messages; without the password. */
export const placeName = (place: StorePlace): string =>
  typeof place === 'string' ? place : formatStoreUrl(place.url)

export const sharedPlace = (
  url: StoreUrl,
  { storePasswordFile, hashKeyFile = '', storeConnections, storeWait }: ServiceSettings,
): SharedPlace => ({
  url,
  passwordFile: storePasswordFile,
  hashKeyFile,
  connections: storeConnections,
  wait: storeWait,
})
