import { rmSync } from 'node:fs'
import { onCrash } from '../../../shared/program/crash.ts'
import { type Exit, type Failure, usageFailure } from '../../../shared/program/exit-codes.ts'
import { logBug, logTo } from '../../../shared/program/log.ts'
import { type DevSetup, openingLink } from '../dev-setup.ts'
import { restartNeeded } from '../reload.ts'
import { readServiceSettings } from '../settings.ts'
import { type StartedService, startService } from '../start.ts'
import type { Result } from '../../../shared/base/result.ts'
import { formatDnsEndpoint } from '../../../shared/settings/dns-endpoint.ts'
import type { DnsListener } from '../../../shared/ports/dns-listener.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { steadyClock } from '../../../shared/platform/clock/clock.ts'
import { later } from '../../../shared/platform/clock/timer.ts'
import { supervisorOf } from '../../../shared/platform/process/supervisor.ts'
import type { Log } from '../../../shared/ports/log.ts'
import type { Supervisor } from '../../../shared/ports/supervisor.ts'
import type { ServeFlags } from './flags.ts'
import { fail, print, printJson } from '../../../shared/program/output.ts'
import { onSignal, onStopSignal } from '../../../shared/program/signals.ts'

/** In milliseconds: how long accepted requests may take after a stop signal. */
const GRACE_PERIOD = 4000
/** In milliseconds: what has no listener any more. */
const STORE_GRACE = 1000
/** In milliseconds. The watchdog of systemd wants signs of life. */
const HEARTBEAT_INTERVAL = 10_000

/** `holdfast serve`: runs the update service until a stop signal. */
export async function serveCommand(flags: ServeFlags): Promise<Exit> {
  const { asJson, isDev, faults } = flags
  const settings = await settingsOf(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const { log, setLevel } = await adjustableLog(settings.value, asJson)
  // Every answered request is already on disk.
  onCrash({ log, save: () => Promise.resolve() })
  ignoreSignals(log)
  // Its default ends the process, also one that starts.
  let onHangUp = (): void => log('info', 'SIGHUP has no effect while the service starts')
  onSignal('SIGHUP', () => onHangUp())
  const [stopping, ending] = [new AbortController(), new AbortController()]
  const options = {
    isDev,
    mayMake: flags.mayMake,
    faults,
    log,
    stopping: stopping.signal,
    ending: ending.signal,
  }
  const started = await startService(settings.value, options)
  if (!started.ok) return fail(started.error, asJson)
  // The first output line announces the service, which must handle stop signals by then.
  const stopped = new Promise<undefined>((resolve) => onStopSignal(() => resolve(undefined)))
  const urls = announce(started.value, asJson)
  for (const url of urls) log('info', 'listening', listeningLine(url, started.value))
  for (const endpoint of started.value.publishing.listeners.map(formatDnsEndpoint))
    log('info', 'listening for DNS', { fields: { endpoint }, line: `listening for DNS at ${endpoint}` })
  const supervisor = supervisorOf(process.env, () => steadyClock.now())
  supervisor.status(`listening at ${urls.join(', ')}`)
  supervisor.ready()
  beatRegularly(supervisor)
  const reload = reloader(flags, { started: started.value, log, setLevel, first: settings.value })
  // One after the other, and none ends the service.
  let reloading = Promise.resolve()
  onHangUp = () => {
    reloading = reloading.then(async () => reload()).catch((error: unknown) => reportReload(log, error))
    void reloading.then(() => supervisor.reloaded())
  }
  const lost = await Promise.race([stopped, started.value.lost])
  stopping.abort()
  supervisor.stopping()
  if (lost === undefined) log('info', 'stop signal received; finishing accepted requests')
  else log('error', lost)
  later(GRACE_PERIOD, () => ending.abort())
  await closeService(started.value)
  return lost === undefined ? 'settled' : 'configuration'
}

/** A process that hangs gives no signs of life. */
function beatRegularly(supervisor: Supervisor): void {
  later(HEARTBEAT_INTERVAL, () => {
    supervisor.beat()
    beatRegularly(supervisor)
  })
}

/** A log whose level a reload changes. */
async function adjustableLog({ logLevel }: ServiceSettings, asJson: boolean) {
  let current = await logTo(logLevel, asJson)
  const log: Log = (...entry) => current(...entry)
  return {
    log,
    setLevel: async (next: ServiceSettings): Promise<void> => {
      current = await logTo(next.logLevel, asJson)
    },
  }
}

/** Without a listener, SIGUSR1 opens Node's debugger for every local user, and SIGUSR2 ends the process. */
function ignoreSignals(log: Log): void {
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const)
    onSignal(signal, () => log('info', `${signal} has no effect`))
}

const reportReload = (log: Log, error: unknown): void => logBug(log, 'the reload failed', error)

interface Reloading {
  readonly started: StartedService
  readonly log: Log
  readonly setLevel: (settings: ServiceSettings) => Promise<void>
  /** With which the sockets and the store were made. */
  readonly first: ServiceSettings
}

/** SIGHUP: reads the settings and the certificate again. After a mistake the service goes on as before. */
function reloader(flags: ServeFlags, { started, log, setLevel, first }: Reloading): () => Promise<void> {
  return async () => {
    const settings = await settingsOf(flags)
    const changed = settings.ok ? await started.reload(settings.value) : settings
    if (!changed.ok) {
      for (const message of changed.error.messages) log('error', `not reloaded: ${message}`)
      return
    }
    if (!settings.ok) return
    await setLevel(settings.value)
    for (const name of restartNeeded(first, settings.value))
      log('warn', `${name} has changed; it applies after a restart of the service`)
    log(
      'info',
      // systemd copies a credential when it starts the unit, so the file there is the same one.
      settings.value.tlsCert?.startsWith(process.env['CREDENTIALS_DIRECTORY'] ?? '\0') === true
        ? 'reloaded the settings; a certificate that systemd passes is read again at a restart'
        : 'reloaded the settings and the certificate',
    )
  }
}

/** Names the store, so that a wrong path or a disk that is not mounted is noticed. */
function listeningLine(url: string, { folder, totals }: StartedService) {
  const { accounts, zones, names, keys } = totals
  return {
    fields: { url, store: folder, ...totals },
    line:
      `listening at ${url}; the store ${folder} holds ${accounts} accounts, ${zones} zones, ` +
      `${names} names and ${keys} DDNS keys`,
  }
}

function announce({ listeners, publishing, dev }: StartedService, asJson: boolean): readonly string[] {
  const urls = listeners.map(({ url }) => url)
  const dns = publishing.listeners.map(formatDnsEndpoint)
  if (asJson)
    printJson({ url: urls[0], urls, ...(dns.length > 0 && { dns: dns[0] }), ...devFields(dev, urls) })
  else if (dev !== undefined) print(...formatDevSetup(dev, urls[0] ?? '', publishing.listeners[0]))
  return urls
}

/** What programs need of --dev. */
function devFields(dev: DevSetup | undefined, [url = '']: readonly string[]): object {
  if (dev === undefined) return {}
  const { openCode, ...rest } = dev
  return { ...rest, console: openingLink(url, openCode) }
}

/** The credentials of --dev, and commands to paste into another terminal. */
function formatDevSetup(dev: DevSetup, url: string, dns: DnsListener | undefined): readonly string[] {
  const [hostname = ''] = dev.hostnames
  // No resolver knows the zone of a temporary service.
  const verify = dns === undefined ? ' --no-verify' : ` --verify-servers ${formatDnsEndpoint(dns)}`
  return [
    `The service listens on ${url}. Its store is temporary and is deleted at the end.`,
    `  DDNS key   ${dev.username}  password ${dev.password}`,
    `  hostnames  ${dev.hostnames.join(', ')}`,
    `  account    ${dev.account}  password ${dev.accountPassword}  API key ${dev.apiKey}`,
    `  console    ${openingLink(url, dev.openCode)} (once, within ten minutes)`,
    'Try it:',
    `  curl -u ${dev.username}:${dev.password} -A 'You curl/1-1 you@example.test' ` +
      `'${url}/nic/update?hostname=${hostname}&myip=192.0.2.1'`,
    `  HOLDFAST_PASSWORD=${dev.password} holdfast update --server ${url} --username ${dev.username} ` +
      `--hostname ${hostname} --myip 192.0.2.2${verify}`,
    ...(dns === undefined ? [] : [`  dig @${dns.host} -p ${dns.port} ${hostname}`]),
  ]
}

async function closeService({
  listeners,
  metrics,
  publishing,
  store,
  dev,
  folder,
  idle,
}: StartedService): Promise<void> {
  await Promise.all(listeners.map(async (listener) => listener.close(GRACE_PERIOD)))
  await metrics?.close(0)
  // Requests that wait for a store that does not answer end when it is closed.
  const ended = idle().then(async () => publishing.close())
  await Promise.race([ended, new Promise<void>((resolve) => later(STORE_GRACE, resolve))])
  await store.close()
  await ended
  if (dev !== undefined) rmSync(folder, { recursive: true, force: true })
}

async function settingsOf({
  isDev,
  faults,
  settings: flags,
}: ServeFlags): Promise<Result<ServiceSettings, Failure>> {
  const settings = await readServiceSettings(flags, { isDev })
  if (!settings.ok) return settings
  if (isDev && settings.value.store !== undefined)
    return usageFailure('--store cannot be used with --dev, which deletes its store at the end')
  return faults !== undefined && !isDev ? usageFailure('--fault works only with --dev') : settings
}
