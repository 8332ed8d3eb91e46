import { err, ok, type Result } from '../base/result.ts'
import { layerOf, type ParsedFile, THE_FILE } from './client-file.ts'
import { SERVICE_SETTINGS, type ServiceSettings } from './service-settings.ts'
import { type Complaint, readTable, type SettingLayer } from './setting.ts'

export interface ServiceLayers {
  readonly flags: SettingLayer
  readonly environment: SettingLayer
  readonly file?: ParsedFile
  /** Where a file would be looked for. */
  readonly lookedFor?: string
}

/** The service's settings, or everything that is wrong with them at once. */
export function readServiceConfig(given: ServiceLayers): Result<ServiceSettings, readonly Complaint[]> {
  const file = readFile(given.file)
  const { values, complaints, places } = readTable(
    SERVICE_SETTINGS,
    [given.flags, given.environment, file.layer],
    { subject: '', file: given.file?.name ?? given.lookedFor ?? THE_FILE },
  )
  const all = [...file.complaints, ...complaints, ...impossible(values, places)]
  return all.length > 0 ? err(all) : ok(values)
}

function readFile(file: ServiceLayers['file']): {
  readonly layer: SettingLayer
  readonly complaints: readonly Complaint[]
} {
  if (file === undefined) return { layer: {}, complaints: [] }
  const { document } = file
  if (document.ok) return layerOf(document.value, file.name, SERVICE_SETTINGS, { tables: ['$schema'] })
  return {
    layer: {},
    complaints: [{ where: `${file.name}:${document.error.line}`, problem: document.error.problem }],
  }
}

function impossible(
  { listen, tlsCert, tlsKey }: ServiceSettings,
  places: Readonly<Record<string, string>>,
): readonly Complaint[] {
  const where = places['tlsCert'] ?? places['tlsKey'] ?? places['listen'] ?? ''
  const isPair = (tlsCert === undefined) === (tlsKey === undefined)
  if (!isPair) return [{ where, problem: 'tls_cert and tls_key go together' }]
  const needsTls = listen.some(({ isTls }) => isTls)
  return needsTls && tlsCert === undefined
    ? [{ where, problem: 'a /tls listener needs both tls_cert and tls_key' }]
    : []
}
