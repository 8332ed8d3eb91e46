import { join } from 'node:path'
import { err, ok, type Result } from '../../base/result.ts'
import { readServiceConfig } from '../../config/read-service.ts'
import { SERVICE_SETTINGS, type ServiceSettings } from '../../config/service-settings.ts'
import { formatComplaint, fromEnvironment, fromFlags } from '../../config/setting.ts'
import { configFile } from '../config-file.ts'
import type { Failure } from '../failure.ts'
import type { Flags } from '../flags.ts'
import { paths } from '../paths.ts'

/** The service's settings: flags over environment over file. `--dev` has only its flags, and a port of its own. */
export async function readServiceSettings(flags: Flags): Promise<Result<ServiceSettings, Failure>> {
  const isDev = flags['dev'] === true
  const file = await configFile(flags, isDev ? [] : ['service.toml', 'service.json'], undefined)
  if (!file.ok) return file
  const layer = fromFlags(SERVICE_SETTINGS, flags)
  const settings = readServiceConfig({
    flags:
      isDev && layer['listen'] === undefined
        ? { ...layer, listen: { value: '127.0.0.1:0', where: '--dev' } }
        : layer,
    lookedFor: join(await paths().config(), 'service.toml'),
    environment: isDev ? {} : fromEnvironment(SERVICE_SETTINGS, process.env),
    ...(file.value !== undefined && { file: file.value }),
  })
  if (settings.ok) return settings
  const isUsage = settings.error.every(({ where }) => where.startsWith('--'))
  return err({ exit: isUsage ? 'usage' : 'configuration', messages: settings.error.map(formatComplaint) })
}

/** Where the store of a service that is no throw-away one lives. */
export const folderOf = async (settings: ServiceSettings): Promise<string> =>
  settings.store ?? join(await paths().state(), 'service')

export async function storeFolder(
  flags: Flags,
): Promise<Result<{ readonly folder: string; readonly nameservers: readonly string[] }, Failure>> {
  const settings = await readServiceSettings(flags)
  if (!settings.ok) return settings
  const { nameservers } = settings.value
  return ok({ folder: await folderOf(settings.value), nameservers })
}
