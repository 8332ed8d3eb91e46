import { join } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { readServiceConfig } from '../settings/read-service.ts'
import { SERVICE_SETTINGS, type ServiceSettings } from '../settings/service-settings.ts'
import { formatComplaint, fromEnvironment, type SettingLayer } from '../../shared/settings/setting.ts'
import { readConfigFile } from '../../shared/program/config-file.ts'
import type { Failure } from '../../shared/program/exit-codes.ts'
import { expandHome, isRoot, paths } from '../../shared/program/paths.ts'
import type { SettingFlags } from '../../shared/program/setting-flags.ts'
import type { MailSettings } from './mail.ts'
import { sharedPlace, type StorePlace } from '../admin/store/place.ts'

/** Flags before environment before file. With --dev: flags, then a file named by --config, and a free port. */
export async function readServiceSettings(
  { layer, configFile }: SettingFlags,
  { isDev }: { readonly isDev: boolean },
): Promise<Result<ServiceSettings, Failure>> {
  const file = await readConfigFile(configFile, isDev ? [] : ['service.toml', 'service.json'])
  if (!file.ok) return file
  const settings = readServiceConfig({
    flags: isDev ? { ...DEV_DEFAULTS, ...layer } : layer,
    lookedFor: join(await paths().config(), 'service.toml'),
    wholePath: expandHome,
    environment: isDev ? {} : fromEnvironment(SERVICE_SETTINGS, process.env),
    ...(file.value !== undefined && { file: file.value }),
  })
  if (settings.ok) return settings
  const isUsage = settings.error.every(({ where }) => where.startsWith('--'))
  return err({ exit: isUsage ? 'usage' : 'configuration', messages: settings.error.map(formatComplaint) })
}

/** Free ports, and answers to questions. Only NS records name the name servers. */
const DEV_DEFAULTS: SettingLayer = Object.fromEntries(
  Object.entries({
    listen: '127.0.0.1:0',
    dnsListen: '127.0.0.1:0',
    answerQueries: 'on',
    console: 'http://localhost',
    nameservers: 'ns1.nameserver.test,ns2.nameserver.test',
  }).map(([key, value]) => [key, { value, where: '--dev' }]),
)

/** Where the persistent store is; --dev has a temporary one instead. */
export async function storePlace(settings: ServiceSettings): Promise<StorePlace> {
  const { store } = settings
  if (typeof store === 'object') return sharedPlace(store, settings)
  if (store !== undefined) return store
  // In the unit, and for root on the same host.
  const [own = ''] = process.env['STATE_DIRECTORY']?.split(':') ?? []
  if (own !== '') return own
  return isRoot() ? SYSTEM_STORE : join(await paths().state(), 'service')
}

/** The state folder of holdfast-service.service. */
const SYSTEM_STORE = '/var/lib/holdfast-service'

/** The settings that `holdfast admin` needs. */
export type AdminSettings = Pick<ServiceSettings, 'nameservers' | 'catalogZone' | 'console' | 'contact'> &
  MailSettings & { readonly place: StorePlace }

export async function storeSettings(flags: SettingFlags): Promise<Result<AdminSettings, Failure>> {
  const settings = await readServiceSettings(flags, { isDev: false })
  if (!settings.ok) return settings
  return ok({ ...settings.value, place: await storePlace(settings.value) })
}
