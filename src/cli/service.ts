import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isHeard } from '../base/level.ts'
import { type Result, err, ok } from '../base/result.ts'
import { type Listener, type ServiceSettings, formatListener } from '../config/service-settings.ts'
import { makeFolder } from '../platform/folder.ts'
import { systemClock } from '../platform/clock.ts'
import type { Log } from '../ports/log.ts'
import { isApiPath } from '../server/api/handle.ts'
import { authenticator, passwordsBy } from '../server/auth/login.ts'
import { type Listening, listen } from '../server/listen/listen.ts'
import type { Socketry } from '../server/listen/listen.ts'
import { sqliteStore } from '../server/store/sqlite.ts'
import { StoreRefused } from '../server/store/sqlite-open.ts'
import type { Store } from '../server/store/store.ts'
import { type Desk, handleUpdate, isUpdatePath, plain } from '../server/update/handle.ts'
import type { Inbound, Outbound } from '../server/update/inbound.ts'
import { limitsOf } from '../server/update/limits.ts'
import { type Weather, parseWeather } from '../server/update/weather.ts'
import { apiOf } from './api.ts'
import { type DevWorld, makeDevWorld, sayDevWorld } from './dev-world.ts'
import { onCrash } from './crash.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { fail, logFault, logTo, print, printJson } from './output.ts'
import { pepperIn } from './pepper.ts'
import { folderOf, readServiceSettings } from './service-settings.ts'
import { type Failure, textFlag } from './settings.ts'
import { onSignals } from './signals.ts'

/** Time that accepted requests have when we are asked to end. */
const GRACE = 4000

/** `holdfast serve`: listens until it is asked to end. */
export async function serveCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await settingsOf(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const log = await logTo(settings.value.logLevel, asJson)
  // What was answered is on disk already.
  onCrash({ log, save: () => Promise.resolve() })
  const ending = new AbortController()
  const started = await start(flags, settings.value, { log, ending: ending.signal })
  if (!started.ok) return fail(started.error, asJson)
  const { listening, store, dev, folder, idle } = started.value
  const urls = listening.map(({ url }) => url)
  // Before anybody can know that we are here and ask us to go.
  const asked = new Promise<void>((resolve) => onSignals(resolve))
  if (asJson) printJson({ url: urls[0], urls, ...dev })
  else if (dev !== undefined) print(...sayDevWorld(dev, urls[0] ?? ''))
  for (const url of urls) log('info', 'listening', { url }, `listening at ${url}`)
  await asked
  log('info', 'asked to stop; finishing what was accepted')
  setTimeout(() => ending.abort(), GRACE).unref()
  await Promise.all(listening.map((one) => one.close(GRACE)))
  await idle()
  await store.close()
  if (dev !== undefined) rmSync(folder, { recursive: true, force: true })
  return 'settled'
}

async function settingsOf(flags: Flags): Promise<Result<ServiceSettings, Failure>> {
  const isDev = flags['dev'] === true
  const settings = await readServiceSettings(flags)
  if (!settings.ok) return settings
  if (isDev && settings.value.store !== undefined)
    return err({
      exit: 'usage',
      says: ['--store: the store of --dev is thrown away at the end; leave one of the two out'],
    })
  return flags['weather'] !== undefined && !isDev
    ? err({ exit: 'usage', says: ['--weather goes with --dev'] })
    : settings
}

interface Started {
  readonly listening: readonly Listening[]
  readonly store: Store
  readonly folder: string
  readonly dev: DevWorld | undefined
  /** Resolves when no request is under way any more. */
  readonly idle: () => Promise<void>
}

interface Surroundings {
  readonly log: Log
  /** Cuts scripted pauses short. */
  readonly ending: AbortSignal
}

async function start(
  flags: Flags,
  settings: ServiceSettings,
  around: Surroundings,
): Promise<Result<Started, Failure>> {
  const weather =
    flags['weather'] === undefined
      ? ok([])
      : parseWeather(textFlag(flags, 'weather') ?? '', systemClock.now())
  if (!weather.ok) return err({ exit: 'usage', says: [`--weather: ${weather.error}`] })
  const tls = await readTls(settings)
  if (!tls.ok) return tls
  const isDev = flags['dev'] === true
  const folder = isDev ? mkdtempSync(join(tmpdir(), 'holdfast-dev-')) : await folderOf(settings)
  const store = await openStore(folder)
  if (!store.ok) return store
  const kept = await pepperIn(folder, await store.value.read((r) => r.hasKeys()))
  if (!kept.ok) return err({ exit: 'configuration', says: [kept.error] })
  const pepper = kept.value
  const dev = isDev ? await makeDevWorld(store.value, pepper, systemClock.now()) : undefined
  const passwords = passwordsBy(pepper)
  const authenticate = authenticator(store.value, passwords)
  const desk = deskOf(settings, { store: store.value, passwords }, weather.value, around)
  const api = apiOf(settings, { store: store.value, pepper, authenticate, log: around.log })
  const { handle, idle } = counting(
    routed(desk, api, { log: around.log, isLogged: isHeard('debug', settings.logLevel) }),
  )
  const listening = await listenAll(settings, tls.value, handle)
  if (listening.ok) return ok({ listening: listening.value, store: store.value, folder, dev, idle })
  await store.value.close()
  return listening
}

async function openStore(folder: string): Promise<Result<Store, Failure>> {
  try {
    await makeFolder(folder)
    return ok(sqliteStore(folder))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof StoreRefused) return err({ exit: 'configuration', says: [message] })
    if (code === undefined) throw error
    return err({ exit: 'configuration', says: [`the store in ${folder} cannot be opened: ${message}`] })
  }
}

type Pem = Socketry['tls']

async function readTls({ tlsCert, tlsKey }: ServiceSettings): Promise<Result<Pem, Failure>> {
  if (tlsCert === undefined || tlsKey === undefined) return ok(undefined)
  const [cert, key] = await Promise.all(
    [tlsCert, tlsKey].map(async (path) => readFile(path, 'utf8').catch(() => undefined)),
  )
  const missing = cert === undefined ? tlsCert : tlsKey
  return cert === undefined || key === undefined
    ? err({ exit: 'configuration', says: [`${missing} cannot be read`] })
    : ok({ cert, key })
}

function deskOf(
  settings: ServiceSettings,
  updater: Pick<Desk['updater'], 'store' | 'passwords'>,
  weather: readonly Weather[],
  { log, ending }: Surroundings,
): Desk {
  const { allHostnames, strictAgents, blockedAgents, realm } = settings
  return {
    updater: {
      ...updater,
      policy: { limits: limitsOf(settings), allHostnames, strictAgents, blockedAgents },
      now: () => systemClock.now(),
    },
    realm,
    weather,
    pause: async (span) => sleep(span, undefined, { signal: ending }).catch(() => undefined),
    complain: (error) => logFault(log, 'an update failed on our side', error),
  }
}

interface Logging {
  readonly log: Log
  /** Each request; nothing is made ready for a line that nobody reads. */
  readonly isLogged: boolean
}

/** Which part of the service a path belongs to. */
const routed =
  (desk: Desk, api: (inbound: Inbound) => Promise<Outbound>, { log, isLogged }: Logging) =>
  async (inbound: Inbound): Promise<Outbound> => {
    const outbound = isUpdatePath(inbound.path)
      ? await handleUpdate(desk, inbound)
      : isApiPath(inbound.path)
        ? await api(inbound)
        : plain(404, 'there is nothing here\n')
    if (isLogged)
      log('debug', 'answered', {
        peer: inbound.peer,
        path: inbound.path.slice(0, 100),
        status: outbound.status,
        // An answer of the API may hold a password.
        ...(isApiPath(inbound.path) ? { method: inbound.method } : { reply: outbound.body.slice(0, 100) }),
      })
    return outbound
  }

/** Knows when nothing is under way, so that the store is not closed under a request. */
function counting(handle: (inbound: Inbound) => Promise<Outbound>) {
  let underWay = 0
  let done: (() => void) | undefined
  return {
    handle: async (inbound: Inbound): Promise<Outbound> => {
      underWay++
      try {
        return await handle(inbound)
      } finally {
        underWay--
        if (underWay === 0) done?.()
      }
    },
    idle: async (): Promise<void> => {
      if (underWay > 0) await new Promise<void>((resolve) => (done = resolve))
    },
  }
}

async function listenAll(
  settings: ServiceSettings,
  tls: Pem,
  handle: (inbound: Inbound) => Promise<Outbound>,
): Promise<Result<readonly Listening[], Failure>> {
  const open: Listening[] = []
  for (const listener of settings.listen) {
    try {
      open.push(await listen(socketryOf(listener, tls), settings, settings.trustedProxies, handle))
    } catch (error) {
      await Promise.all(open.map((one) => one.close(0)))
      return err({
        exit: 'configuration',
        says: [`cannot listen on ${formatListener(listener)}: ${(error as Error).message}`],
      })
    }
  }
  return ok(open)
}

const socketryOf = ({ host, port, isTls }: Listener, tls: Pem): Socketry =>
  isTls && tls !== undefined ? { host, port, tls } : { host, port }
