import { err, ok, type Result } from '../../../shared/base/result.ts'
import { minutes, seconds } from '../../../shared/base/time.ts'
import { type BucketLimits, fullBucket, takeToken } from '../../../shared/base/token-bucket.ts'
import { formatDnsListen } from '../../../shared/settings/dns-endpoint.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { type Address, parseAddress } from '../../../shared/base/address.ts'
import { Secret } from '../../../shared/base/secret.ts'
import { steadyClock, systemClock, systemEntropy } from '../../../shared/platform/clock/clock.ts'
import { listenForDns } from '../../../shared/platform/sockets/dns-listener.ts'
import type { DnsListener, TlsFiles } from '../../../shared/ports/dns-listener.ts'
import type { Log } from '../../../shared/ports/log.ts'
import { type DnsContext, handleDns } from '../../publish/handle.ts'
import { ResponseLimit } from '../../publish/limit.ts'
import { RenderedAnswers } from '../../publish/rendered-answers.ts'
import type { PublishSettings, Secondary } from '../../publish/settings.ts'
import { answererOf } from '../../model/publication.ts'
import { publishingStatus, STATUS_FACT } from '../../publish/status.ts'
import type { ChangedNames, InTurn } from '../../api/request/context.ts'
import type { Pepper } from '../../auth/hashes.ts'
import type { Audit } from '../../model/audit.ts'
import type { ServiceMetrics } from '../service-metrics.ts'
import type { Store } from '../../store/store.ts'
import { configurationFailure, type Failure } from '../../../shared/program/exit-codes.ts'
import { applySettings, laterApplied } from '../../publish/applied-settings.ts'
import { renderFirst, startFlusher } from '../../publish/flusher.ts'
import { type ComparisonParts, keepComparing } from '../../publish/comparison.ts'
import { NewerSerials } from './newer-serials.ts'
import { type NotifySender, served, startNotifySender } from '../../publish/notify-sender.ts'
import { snapshotsOf } from '../../publish/snapshots.ts'
import { readTsigKeys } from './tsig-keys.ts'
import { notifyForOthers, notifiedZone, unnotifiedAtStart } from '../../publish/unnotified.ts'
import { updateMessages } from './updates.ts'
import { servedEverywhere } from './when-served.ts'
import { repeat } from '../../../shared/platform/clock/repeat.ts'

export interface Publishing {
  readonly listeners: readonly DnsListener[]
  readonly notifier: NotifySender
  /** Something may have changed. */
  readonly wake: () => void
  /** Resolves when all name servers give these names as they are now, or after some seconds. */
  readonly whenServed: (change: ChangedNames) => Promise<void>
  /** Applies other settings to what is published. */
  readonly reload: () => Promise<void>
  readonly close: () => Promise<void>
}

interface PublishingParts {
  readonly store: Store
  readonly log: Log
  /** The settings of the moment: a reload changes some of them. */
  readonly current: () => ServiceSettings
  readonly ending: AbortSignal
  readonly reportFailure: (what: string, error: unknown) => void
  readonly metrics: Pick<ServiceMetrics, 'flushed' | 'answeredDns' | 'limitedDns' | 'raised'>
  readonly pepper: Pepper
  /** Of the listeners by TLS. */
  readonly tls: TlsFiles | undefined
  readonly inTurn: InTurn
  readonly audit: Audit
}

const publishSettingsOf = (settings: ServiceSettings): PublishSettings => ({
  nameservers: settings.nameservers,
  contact: settings.soaContact,
  redirectAddresses: settings.redirectAddresses,
  catalog: settings.catalogZone,
})

/** Starts to publish: flushes, the listeners for DNS, and NOTIFY. After a failure nothing stays open. */
export async function startPublishing(parts: PublishingParts): Promise<Result<Publishing, Failure>> {
  const { store, current, ending, reportFailure } = parts
  const secondaries = secondariesOf(current())
  if (!secondaries.ok) return configurationFailure(secondaries.error)
  const settings = () => publishSettingsOf(current())
  const taken = await takenKeyName(store, secondaries.value)
  if (taken !== undefined)
    return configurationFailure(`secondaries: an account has a TSIG key ${taken}; use another name`)
  const { catalogZone } = current()
  if ((await store.read(async (r) => r.publishedZone(catalogZone))) !== undefined)
    return configurationFailure(`catalog_zone: ${catalogZone} is a zone of this store; choose another name`)
  await applySettings(store, settings())
  await renderFirst(store, settings)
  const newerSerials = new NewerSerials({ ...parts, onRaised: () => flusher.wake() })
  const notifier = notifierOf(parts, { secondaries: secondaries.value, newerSerials })
  const mayLogName = rareEnough(NAME_FAULTS)
  const flusher = startFlusher({
    store,
    settings,
    onFlushed: (zones) => notifier.changed(zones.map((zone) => notifiedZone(zone, settings()))),
    onNameFault: ({ fqdn, error }) => {
      if (mayLogName()) reportFailure(`publishing ${fqdn}`, error)
    },
    onError: (error) => reportFailure('publishing', error),
    onDuration: parts.metrics.flushed,
    onTakenOver: () => tellTakenOver(parts, newerSerials),
  })
  const context = contextOf({
    ...parts,
    secondaries: secondaries.value,
    notifier,
    newerSerials,
    requestFlush: flusher.wake,
  })
  const listeners = await openListeners(parts, context)
  if (!listeners.ok) {
    await flusher.stop()
    return listeners
  }
  const applied = laterApplied({ ...parts, settings, onApplied: flusher.wake })
  if (secondaries.value.length > 0)
    await watchSecondaries(parts, { secondaries: secondaries.value, notifier, newerSerials })
  keepStatus(parts, notifier)
  return ok({
    listeners: listeners.value,
    notifier,
    wake: flusher.wake,
    whenServed: servedEverywhere({ store, secondaries: secondaries.value, ending }),
    reload: async () => {
      await applied()
      flusher.wake()
    },
    close: async () => {
      await Promise.all(listeners.value.map(async (listener) => listener.close()))
      await flusher.stop()
      await store.write(async (w) => w.removeFact(STATUS_FACT)).catch(() => undefined)
    },
  })
}

function tellTakenOver({ log }: PublishingParts, newerSerials: NewerSerials): void {
  newerSerials.forget()
  log('error', 'database taken over', {
    line:
      'another copy of the database has taken over, perhaps without the last changes: every serial is raised above ' +
      'those that the lost copy may have served, and secondaries fetch their zones again',
  })
}

const notifierOf = (
  { store, log, current, ending }: PublishingParts,
  { secondaries, newerSerials }: Pick<ContextParts, 'secondaries' | 'newerSerials'>,
): NotifySender =>
  startNotifySender({
    secondaries,
    settings: () => publishSettingsOf(current()),
    from: sourceAddress(current()),
    ending,
    exists: async (id) => (await store.read(async (r) => r.publishedZones(id - 1, 1)))[0]?.id === id,
    onServed: (secondary, zone, serial) =>
      void newerSerials.seen(secondary, zone, serial).catch(() => undefined),
    onStuck: ({ name }, { apex, told, fetched }) =>
      log('error', 'secondary is stuck', {
        fields: { secondary: name, zone: apex, told, fetched },
        line: `secondary ${name} is stuck at serial ${fetched ?? 'unknown'} of ${apex}: it was told ${told} a minute ago`,
      }),
  })

type Watched = Pick<ContextParts, 'secondaries' | 'notifier' | 'newerSerials'>

async function watchSecondaries(parts: PublishingParts, watched: Watched): Promise<void> {
  const { store, current, ending } = parts
  const { secondaries, notifier, newerSerials } = watched
  const settings = () => publishSettingsOf(current())
  const unnotified = await unnotifiedAtStart(store, settings())
  const comparison: ComparisonParts = {
    store,
    settings,
    ending,
    ask: async (secondary, { apex }) => served(secondary, apex, { ending }),
    onCompared: (secondary, zone, serial) => {
      notifier.compared(secondary, zone, serial)
      if (serial !== undefined) void newerSerials.seen(secondary, zone, serial).catch(() => undefined)
    },
    onComparedAll: (secondary) => notifier.comparedAll(secondary),
  }
  for (const secondary of secondaries) void keepComparing(secondary, unnotified, comparison)
  if (store.isShared) notifyForOthers({ store, settings, ending, notifier })
}

/** The status for `holdfast admin` is written where it has changed, or another node has ended. */
const STATUS_INTERVAL = seconds(5)

function keepStatus({ store, ending, current }: PublishingParts, notifier: NotifySender): void {
  let last = ''
  void repeat(STATUS_INTERVAL, ending, async () => {
    const answerer = answererOf(current())
    const status = publishingStatus(notifier.status(), { answerer, now: systemClock.now() })
    const text = JSON.stringify({ ...status, at: '' })
    if (text === last && (await store.read(async (r) => r.fact(STATUS_FACT))) !== undefined) return
    last = text
    await store.write(async (w) => w.setFact(STATUS_FACT, JSON.stringify(status)))
  })
}

/** NOTIFY comes from where the zones are fetched, if that is one address. */
function sourceAddress({ dnsListen }: ServiceSettings): Address | undefined {
  const [first] = dnsListen
  return first === undefined || first.host === '0.0.0.0' || first.host === '::'
    ? undefined
    : parseAddress(first.host)
}

function secondariesOf({ secondaries, tsigKeyFile }: ServiceSettings): Result<readonly Secondary[], string> {
  if (secondaries.length === 0 || tsigKeyFile === undefined) return ok([])
  const keys = readTsigKeys(tsigKeyFile)
  if (!keys.ok) return err(`tsig_key_file: ${keys.error}`)
  const found: Secondary[] = []
  for (const { keyName, ...secondary } of secondaries) {
    const key = keys.value.find(({ name }) => name === keyName)
    if (key === undefined)
      return err(`secondaries: ${tsigKeyFile} has no key ${keyName}, which ${secondary.name} uses`)
    found.push({ ...secondary, key })
  }
  return ok(found)
}

/** A key has one owner: what it signs would be that of another. */
async function takenKeyName(store: Store, secondaries: readonly Secondary[]): Promise<string | undefined> {
  for (const { key } of secondaries)
    if ((await store.read(async (r) => r.tsigKeyNamed(key.name))) !== undefined) return key.name
  return undefined
}

interface ContextParts extends PublishingParts {
  readonly requestFlush: () => void
  readonly secondaries: readonly Secondary[]
  readonly notifier: NotifySender
  readonly newerSerials: NewerSerials
}

function contextOf(parts: ContextParts): DnsContext {
  const { store, current, metrics, secondaries, notifier, newerSerials } = parts
  const limit = new ResponseLimit({ max: () => current().answerLimit, onLimited: metrics.limitedDns })
  const settings = () => ({
    ...publishSettingsOf(current()),
    secondaries,
    isAnswering: current().answerQueries,
    nsid: current().nsid,
  })
  return {
    settings,
    read: async (work) => store.read(work),
    rendered: new RenderedAnswers(),
    cookieSecret: new Secret(Buffer.from(systemEntropy(32)).toString('hex')),
    snapshot: snapshotsOf(store),
    limit,
    ...updateMessages({ ...parts, settings, limit }),
    now: () => systemClock.now(),
    onFetched: (fetch) => {
      const { secondary, zone, apex, newer } = fetch
      notifier.fetched(secondary, notifiedZone(zone, settings()))
      if (newer !== undefined)
        void newerSerials.seen(secondary, { id: zone.id, apex }, newer).catch(() => undefined)
    },
  }
}

async function openListeners(
  { current, tls, metrics }: PublishingParts,
  context: DnsContext,
): Promise<Result<readonly DnsListener[], Failure>> {
  const open: DnsListener[] = []
  for (const place of current().dnsListen) {
    try {
      const { host, port, isTls } = place
      const at = { host, port, ...(isTls && tls !== undefined && { tls }) }
      open.push(
        await listenForDns(at, async ({ bytes, peer, isDatagram }, send) => {
          const counted = async (answer: Buffer): Promise<void> => {
            metrics.answeredDns((answer[3] ?? 0) & 15)
            await send(answer)
          }
          await handleDns(context, { bytes, peer: { address: peer, isDatagram } }, counted)
        }),
      )
    } catch (error) {
      await Promise.all(open.map(async (one) => one.close()))
      const message = `dns_listen: cannot listen on ${formatDnsListen(place)}: ${(error as Error).message}`
      return configurationFailure(message)
    }
  }
  return ok(open)
}

/** One bad name affects all names that depend on it: a few lines are enough. */
const NAME_FAULTS: BucketLimits = { burst: 5, refill: minutes(1) }

function rareEnough(limits: BucketLimits): () => boolean {
  let bucket = fullBucket(limits, steadyClock.now())
  return () => {
    const taken = takeToken(bucket, limits, steadyClock.now())
    bucket = taken ?? bucket
    return taken !== undefined
  }
}
