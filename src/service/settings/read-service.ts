import { err, ok, type Result } from '../../shared/base/result.ts'
import { layerOf, type ParsedFile, syntaxComplaint, UNNAMED_FILE } from '../../shared/settings/file-layer.ts'
import { SERVICE_SETTINGS, type ServiceSettings } from './service-settings.ts'
import {
  type Complaint,
  type ReadContext,
  readTable,
  type SettingLayer,
  type ValuePlaces,
} from '../../shared/settings/setting.ts'

/** All origins of service settings. Flags override the environment, which overrides the file. */
interface ServiceLayers {
  readonly flags: SettingLayer
  readonly environment: SettingLayer
  readonly file?: ParsedFile
  /** Without a file: the path at which one is expected, for complaints. */
  readonly lookedFor?: string
  readonly wholePath?: ReadContext['wholePath']
}

/** The settings of the service, or all complaints together. */
export function readServiceConfig(layers: ServiceLayers): Result<ServiceSettings, readonly Complaint[]> {
  const file = readFile(layers.file)
  const { values, complaints, places } = readTable(
    SERVICE_SETTINGS,
    [layers.flags, layers.environment, file.layer],
    {
      subject: '',
      file: layers.file?.name ?? layers.lookedFor ?? UNNAMED_FILE,
      wholePath: layers.wholePath,
    },
  )
  const all = [
    ...file.complaints,
    ...complaints,
    ...tlsConflicts(values, places),
    // Of a store that cannot be read nothing is known.
    ...(isRefused(complaints, places['store']) ? [] : storeConflicts(values, places)),
    ...publishConflicts(values, places),
    ...mailConflicts(values, places),
  ]
  return all.length > 0 ? err(all) : ok(values)
}

const isRefused = (complaints: readonly Complaint[], place: string | undefined): boolean =>
  complaints.some(({ where }) => where === place)

function readFile(file: ServiceLayers['file']): {
  readonly layer: SettingLayer
  readonly complaints: readonly Complaint[]
} {
  if (file === undefined) return { layer: {}, complaints: [] }
  const { name, document } = file
  if (!document.ok) return { layer: {}, complaints: [syntaxComplaint(name, document.error)] }
  return layerOf(document.value, name, { settings: SERVICE_SETTINGS, otherKeys: ['$schema'] })
}

function tlsConflicts(
  { listen, dnsListen, tlsCert, tlsKey }: ServiceSettings,
  places: ValuePlaces,
): readonly Complaint[] {
  const where = places['tlsCert'] ?? places['tlsKey'] ?? places['listen'] ?? ''
  const isPair = (tlsCert === undefined) === (tlsKey === undefined)
  if (!isPair) return [{ where, problem: 'tls_cert and tls_key must be set together' }]
  const needsTls = [...listen, ...dnsListen].some(({ isTls }) => isTls)
  return needsTls && tlsCert === undefined
    ? [{ where, problem: 'a /tls listener needs both tls_cert and tls_key' }]
    : []
}

/** Every node must have the same hash key, so none is made on the way. */
function storeConflicts(
  { store, hashKeyFile, storePasswordFile }: ServiceSettings,
  places: ValuePlaces,
): readonly Complaint[] {
  const where = places['store'] ?? ''
  if (typeof store === 'object')
    return [
      ...(hashKeyFile === undefined
        ? [{ where, problem: 'store is a PostgreSQL database, which needs hash_key_file' }]
        : []),
      ...(store.password !== undefined && storePasswordFile !== undefined
        ? [{ where, problem: 'store contains a password, and store_password_file is set; use one of them' }]
        : []),
    ]
  const only = (['hashKeyFile', 'storePasswordFile'] as const).find((key) => places[key] !== undefined)
  return only === undefined
    ? []
    : [
        {
          where: places[only] ?? '',
          problem: `${only === 'hashKeyFile' ? 'hash_key_file' : 'store_password_file'} is for a store in PostgreSQL`,
        },
      ]
}

/** A message has a sender, and a link in it leads to the website. */
function mailConflicts(
  { console, mailServer, mailFrom, mailUsername, mailPasswordFile }: ServiceSettings,
  places: ValuePlaces,
): readonly Complaint[] {
  const at = (key: string): string => places[key] ?? ''
  return [
    ...(mailServer !== undefined && mailFrom === undefined
      ? [{ where: at('mailServer'), problem: 'mail_server needs mail_from, the sender of the messages' }]
      : []),
    ...(mailServer !== undefined && console === undefined
      ? [{ where: at('mailServer'), problem: 'mail_server sends links of the console, so it needs console' }]
      : []),
    ...(mailServer === undefined && mailFrom !== undefined
      ? [{ where: at('mailFrom'), problem: 'mail_from needs mail_server, such as smtp.example:587' }]
      : []),
    ...((mailUsername === undefined) === (mailPasswordFile === undefined)
      ? []
      : [
          {
            where: at('mailUsername') || at('mailPasswordFile'),
            problem: 'mail_username and mail_password_file must be set together',
          },
        ]),
  ]
}

/** A zone without NS is refused by other name servers, and a transfer without a key would be for everybody. */
function publishConflicts(
  { dnsListen, secondaries, nameservers, tsigKeyFile }: ServiceSettings,
  places: ValuePlaces,
): readonly Complaint[] {
  const where = places['dnsListen'] ?? places['secondaries'] ?? ''
  const isPublishing = dnsListen.length > 0 || secondaries.length > 0
  return [
    ...(isPublishing && nameservers.length === 0
      ? [
          {
            where,
            problem: 'dns_listen needs nameservers: the host names that the NS records of the zones name',
          },
        ]
      : []),
    ...(new Set(secondaries.map(({ name }) => name)).size < secondaries.length
      ? [{ where: places['secondaries'] ?? '', problem: 'secondaries lists a name twice' }]
      : []),
    ...(secondaries.length > 0 && dnsListen.length === 0
      ? [
          {
            where: places['secondaries'] ?? '',
            problem: 'secondaries needs dns_listen, where they fetch the zones',
          },
        ]
      : []),
    ...(secondaries.length > 0 && tsigKeyFile === undefined
      ? [{ where: places['secondaries'] ?? '', problem: 'secondaries needs tsig_key_file with their keys' }]
      : []),
  ]
}
