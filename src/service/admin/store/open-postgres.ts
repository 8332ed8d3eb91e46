import { err, ok, type Result } from '../../../shared/base/result.ts'
import { secretText } from '../../../shared/program/config-file.ts'
import { steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import { later } from '../../../shared/platform/clock/timer.ts'
import { readNamedFile } from '../../../shared/platform/files/named-file.ts'
import { fingerprintOf } from '../../auth/hashes.ts'
import {
  codeOf,
  type DatabaseCredentials,
  isAway,
  type PostgresPlace,
} from '../../store/postgres/connection.ts'
import {
  clockAhead,
  migratePostgres,
  POSTGRES_VERSION,
  postgresVersion,
} from '../../store/postgres/migrations.ts'
import { postgresStore } from '../../store/postgres/store.ts'
import { openPostgresStore } from '../../store/postgres/open.ts'
import type { Store } from '../../store/store.ts'
import { isPassing, StoreRefused } from '../../store/errors.ts'
import { configurationFailure, type Failure } from '../../../shared/program/exit-codes.ts'
import { programName } from '../../../shared/program/about.ts'
import { adviceOnPooler } from './advice.ts'
import { credentialFor } from './credentials.ts'
import { makeHashKeyIn } from './hash-key.ts'
import { hashKeyOf } from './offered-hash-key.ts'
import type { OpenOptions, OpenStore } from './opened-store.ts'
import { placeName, type SharedPlace } from './place.ts'

/** The fact with the fingerprint of the hash key. */
const HASH_KEY = 'hash_key'
/** In octets. */
const MAX_PASSWORD = 4096
const MAX_AUTHORITIES = 1024 * 1024
/** In milliseconds, between this host and the database. */
const MAX_SKEW = 30_000
/** In milliseconds: what a slow start of a connection does not explain. */
const SKEW_TO_TELL = 2000

/**
 * Opens the store in a database. Its schema is made only when that is asked
 * for, and the hash key must be the one of its hashes.
 */
export async function openPostgres(
  place: SharedPlace,
  { mayMake = false, mayUpgrade = false, mayLack = false, warn = () => undefined }: OpenOptions,
): Promise<Result<OpenStore, Failure>> {
  const found = await databaseOf(place)
  if (!found.ok) return configurationFailure(found.error)
  const at = { ...found.value, onOldPrimary: oncePerHost(warn) }
  try {
    const version = await postgresVersion(at)
    if (version === 0 && !mayMake)
      return configurationFailure(
        `there is no store in ${placeName(place)}. To make one, run: ${programName()} admin init`,
      )
    if (version > 0 && version < POSTGRES_VERSION && !mayUpgrade)
      return configurationFailure(
        `the store in ${placeName(place)} is of an older version of Holdfast: restart a service, ` +
          'which upgrades it, then try again',
      )
    const ahead = await clockAhead(at, () => systemClock.now())
    const fault = clockFault(ahead)
    // A host that has just started may correct its clock soon.
    if (fault !== undefined) return err({ exit: 'waiting', messages: [fault] })
    if (version === 0) await makeHashKeyIn(place.hashKeyFile)
    // Refuses a newer schema, too.
    await migratePostgres(at)
    const opened = await withHashKey(
      place,
      mayLack ? postgresStore(at, steadyClock) : await openPostgresStore(at, steadyClock),
    )
    if (!opened.ok) return opened
    if (Math.abs(ahead) > SKEW_TO_TELL) warn(`${skewOf(ahead)}; at ${MAX_SKEW / 1000} no node starts`)
    return ok({ ...opened.value, renew: at.renew })
  } catch (error) {
    return err(databaseFailure(place, error))
  }
}

/** Each host once, however often it is asked. */
function oncePerHost(warn: (message: string) => void): (host: string) => void {
  const told = new Set<string>()
  return (host) => {
    if (told.has(host)) return
    told.add(host)
    warn(
      `the database at ${host} takes writes although another host has taken over from it: stop it; nothing is written there`,
    )
  }
}

/** Why a clock that is so many milliseconds ahead, or behind, cannot be used; undefined if it can. */
export const clockFault = (ahead: number): string | undefined =>
  Math.abs(ahead) <= MAX_SKEW
    ? undefined
    : `${skewOf(ahead)}: blocks and limits would end at wrong times; set it, for example with chrony`

const skewOf = (ahead: number): string =>
  `the clock of this host differs from that of the database by ${Math.round(Math.abs(ahead) / 1000)} seconds`

/** With another key every password is wrong, and clients that obey `badauth` stop for good. */
async function withHashKey(place: SharedPlace, store: Store): Promise<Result<OpenStore, Failure>> {
  const opened = await withKeyOf(store, place)
  if (!opened.ok) await store.close()
  return opened
}

async function withKeyOf(store: Store, place: SharedPlace): Promise<Result<OpenStore, Failure>> {
  const file = credentialFor(place.hashKeyFile)
  const known = await store.read(async (r) => r.fact(HASH_KEY))
  const pepper = await hashKeyOf(file, known, systemClock.now())
  if (!pepper.ok) return configurationFailure(pepper.error)
  const fingerprint = fingerprintOf(pepper.value)
  // If two processes make the store at once, only one succeeds.
  const stored = known ?? (await store.write(async (w) => w.factOr(HASH_KEY, fingerprint)))
  return stored === fingerprint
    ? ok({ store, pepper: pepper.value, folder: placeName(place), identity: undefined })
    : configurationFailure(
        `${place.hashKeyFile} is not the hash key of the store in ${placeName(place)}: copy the file from another node`,
      )
}

interface Database extends PostgresPlace {
  /** Reads the credentials again; what it returns makes them those of the place. */
  readonly renew: () => Promise<Result<() => void, string>>
}

/** With the password and the authorities from their files. */
export async function databaseOf(place: SharedPlace): Promise<Result<Database, string>> {
  const { hosts, user, database, isPrepared } = place.url
  const { connections, wait } = place
  const first = await credentialsOf(place)
  if (!first.ok) return first
  let credentials = first.value
  return ok({
    hosts,
    user,
    database,
    isPrepared,
    connections,
    wait,
    credentials: () => credentials,
    pause: async (duration) => new Promise((done) => later(duration, done)),
    renew: async () => {
      const next = await credentialsOf(place)
      return next.ok ? ok(() => void (credentials = next.value)) : next
    },
  })
}

async function credentialsOf({
  url,
  passwordFile,
}: SharedPlace): Promise<Result<DatabaseCredentials, string>> {
  const { isTls, authoritiesFile } = url
  const password =
    passwordFile === undefined ? ok(url.password?.reveal()) : await fileText(credentialFor(passwordFile))
  if (!password.ok) return err(`store_password_file ${passwordFile}: ${password.error}`)
  const authorities =
    authoritiesFile === undefined ? ok(undefined) : await readNamedFile(authoritiesFile, MAX_AUTHORITIES)
  if (!authorities.ok) return err(`sslrootcert ${authoritiesFile}: ${authorities.error}`)
  return ok({
    ...(password.value !== undefined && { password: password.value }),
    ...(isTls && { tls: authorities.value === undefined ? {} : { authorities: authorities.value } }),
  })
}

async function fileText(path: string): Promise<Result<string, string>> {
  const text = await readNamedFile(path, MAX_PASSWORD)
  if (!text.ok) return text
  const line = secretText(text.value)
  return line === '' ? err('it is empty') : ok(line)
}

/**
 * PostgreSQL, appendix A: a missing database, a schema that is not that of a store. And errors of TLS, such as a certificate
 * that is not trusted; a server without TLS has no code.
 */
const WRONG = /^(?:3D000|3F000|42|22021|ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_|UNABLE_TO_|SELF_SIGNED)/
/** A login that the server refuses: its operator may mend it while this service tries again. */
const REFUSED = /^28/
const REFUSED_ADVICE = 'check its user and store_password_file, and pg_hba.conf of the server'
const NO_TLS = /does not support SSL/

/**
 * A wrong configuration needs the operator; a database that is unreachable,
 * full or busy recovers. Every other error is a bug.
 */
export function databaseFailure(place: SharedPlace, error: unknown): Failure {
  const { message } = error as Error
  if (error instanceof StoreRefused) return { exit: 'configuration', messages: [message] }
  const messages = [
    `the store in ${placeName(place)} cannot be opened: ${message}${adviceOnPooler(message) ?? ''}`,
  ]
  const isOfFile = (error as NodeJS.ErrnoException).path !== undefined
  if (isOfFile || WRONG.test(codeOf(error)) || NO_TLS.test(message))
    return { exit: 'configuration', messages }
  if (REFUSED.test(codeOf(error)))
    return { exit: 'waiting', messages: messages.map((one) => `${one}; ${REFUSED_ADVICE}`) }
  if (isPassing(error) || isAway(error) || codeOf(error) !== '') return { exit: 'waiting', messages }
  throw error
}
