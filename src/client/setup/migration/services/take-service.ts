import { hasOtherProtocol } from '../../../settings/protocol-checks.ts'
import { presetServer, providerCalled } from '../../../services/providers/providers.ts'
import { parseServer } from '../../../settings/client-settings.ts'
import { Secret } from '../../../../shared/base/secret.ts'
import type { DraftSettings } from '../../draft.ts'
import type { OtherClient, ServicePart, ServiceRow } from './client-services.ts'
import type { Remarks, ServiceAddress } from '../imported.ts'

/** An entry of another client, by its keys. */
interface ClientEntry {
  readonly client: OtherClient
  readonly line: number
  readonly names: readonly string[]
  readonly valueOf: (key: string) => { readonly value: string; readonly line: number } | undefined
  readonly remarks: Remarks
}

interface TakenService {
  readonly service: ServiceAddress
  readonly username: string | undefined
  readonly password: Secret | undefined
  readonly apiKey: Secret | undefined
  readonly settings: DraftSettings
  /** The hostnames of the account for those of the entry. */
  readonly namesOf: (names: readonly string[]) => readonly string[]
  /** The keys that were read. */
  readonly read: ReadonlySet<string>
}

type Keys = Partial<Readonly<Record<ServicePart, string>>>

// biome-ignore format: a table
const USUAL_KEYS: Readonly<Record<OtherClient, Keys>> = {
  'ddclient':     { username: 'login', password: 'password', zone: 'zone|domain', server: 'server' },
  'inadyn':       { username: 'username', password: 'password' },
  'openwrt':      { username: 'username', password: 'password', zone: '@zone' },
  'ddns-updater': { username: 'username|email|user', password: 'password|token|client_key|key', zone: 'zone' },
  'ddns-go':      { username: 'id', password: 'secret', zone: '@zone' },
}

/** Values that the service keeps: those of the other client are not used. */
const KEPT = ['ttl', 'proxied']

/** The account that a row makes of an entry, with remarks. */
export function takeService(row: ServiceRow, entry: ClientEntry): TakenService {
  const { client, line, remarks } = entry
  const preset = providerCalled(row.provider)
  const keys: Keys = { ...USUAL_KEYS[client], ...row.keys }
  const keysOf = (part: ServicePart): readonly string[] => keys[part]?.split('|') ?? []
  const value = (part: ServicePart): string | undefined =>
    keysOf(part)
      .map((key) => entry.valueOf(key)?.value)
      .find((one) => one !== undefined && one !== '')
  const isOther = hasOtherProtocol(row.provider)
  const hasServer = presetServer(preset) !== undefined
  const isNumbered = row.hasRecordNumbers === true
  const server = serverOf(row, value('server'))
  // It may contain a login or a key, which must not be shown.
  const isServer = server === undefined || parseServer(server).ok
  if (!isServer) remarks.add('lost', line, 'its server is not the address of a service; write server')
  remarkOnService(row, entry, isServer ? value('server') : undefined)
  const kept = isOther ? KEPT.filter((key) => (entry.valueOf(key)?.value ?? '') !== '') : []
  for (const key of kept)
    remarks.once('changed', entry.valueOf(key)?.line ?? line, `${key}: it is kept as it is at the service`)
  const isNew = hasNewSecret(row, entry)
  const { username: written, password } = credentials(row, value)
  // nsupdate writes hmac-sha512:NAME.
  const [, keyAlgorithm, keyName] = /^(hmac-[\w-]+):(.+)$/i.exec(written ?? '') ?? []
  const username = row.provider === 'rfc2136' ? (keyName ?? written) : written
  const hasNone = preset?.hasNoUsername === true
  const isUnused = keysOf('username').every(
    (key) => key !== row.sameIf?.[0] && !Object.values(row.keys ?? {}).includes(key),
  )
  if (hasNone && username !== undefined && isUnused)
    remarks.once('dropped', line, `${preset.name} takes no username`)
  const [apiKey, label, zone] = [value('api_key'), value('label'), value('zone')]
  const settings = {
    ...(isOther && preset?.settings['zone'] === undefined && { zone }),
    ...(!hasServer && isServer && { server }),
    ...algorithmOf(value('tsig_algorithm') ?? keyAlgorithm, entry),
    ...(isNumbered && recordOf(entry)),
  }
  return {
    service: { provider: row.provider },
    username: hasNone ? undefined : username,
    password: password === undefined || isNew ? undefined : new Secret(password),
    apiKey: apiKey === undefined ? undefined : new Secret(apiKey),
    settings: Object.fromEntries(
      Object.entries(settings).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])),
    ),
    namesOf: (names) =>
      isNumbered ? [] : names.map((name) => wholeName(name, label, preset?.settings['zone'])),
    read: new Set([
      ...Object.entries(keys).flatMap(([part, one]) => (part === 'zone' && !isOther ? [] : one.split('|'))),
      ...kept,
      ...(row.unneeded?.split('|') ?? []),
    ]),
  }
}

const hasNewSecret = ({ newSecret, sameIf }: ServiceRow, { valueOf }: ClientEntry): boolean =>
  newSecret !== undefined && (sameIf === undefined || !sameIf[1].test(valueOf(sameIf[0])?.value ?? ''))

function credentials(
  { isPair }: ServiceRow,
  value: (part: ServicePart) => string | undefined,
): { readonly username: string | undefined; readonly password: string | undefined } {
  const password = value('password')
  const at = password?.indexOf(',') ?? -1
  if (isPair !== true || password === undefined || at < 0) return { username: value('username'), password }
  return { username: password.slice(0, at), password: password.slice(at + 1) }
}

/** Of a TSIG key; others than these are too weak (RFC 8945 §6). */
function algorithmOf(written: string | undefined, { line, remarks }: ClientEntry): DraftSettings {
  const algorithm = written?.toLowerCase().replace(/\.$/, '')
  if (algorithm === undefined) return {}
  if (/^hmac-sha(256|384|512)$/.test(algorithm)) return { tsig_algorithm: algorithm }
  remarks.add('lost', line, `the algorithm ${algorithm} is not taken; make a key with hmac-sha256`)
  return {}
}

/** Of a name server, with the scheme that says so. */
const serverOf = ({ provider }: ServiceRow, written: string | undefined): string | undefined =>
  written !== undefined && providerCalled(provider)?.protocol === 'rfc2136' && !written.includes('://')
    ? `dns://${written}`
    : written

/** What Holdfast does in another way at this service. */
function remarkOnService(row: ServiceRow, entry: ClientEntry, server: string | undefined): void {
  const { client, line, remarks, valueOf } = entry
  const preset = providerCalled(row.provider)
  const name = preset?.name ?? row.provider
  if (hasNewSecret(row, entry))
    remarks.add('lost', line, `the secret of ${client} is not that of Holdfast at ${name}: ${row.newSecret}`)
  const host = presetServer(preset)?.replace('https://', '')
  const asked = row.asked ?? (host === undefined || server?.includes(host) === true ? undefined : server)
  if (asked !== undefined) remarks.once('changed', line, `${client} asks ${asked}; Holdfast asks ${host}`)
  for (const key of row.unneeded?.split('|') ?? []) {
    const found = valueOf(key)
    if (found !== undefined) remarks.once('dropped', found.line, `${key} is not needed`)
  }
}

/** A label before its zone, or a label of a service that has one zone for all. */
function wholeName(name: string, label: string | undefined, zone: string | undefined): string {
  if (label !== undefined) return label === '@' ? name : `${label}.${name}`
  return zone === undefined || name.includes('.') ? name.replace(/^@\./, '') : `${name}.${zone}`
}

/** The names of the other client are numbers of records: an account has one. */
function recordOf({ names: [first, ...others], line, remarks }: ClientEntry): DraftSettings {
  if (others.length > 0)
    remarks.add(
      'not taken',
      line,
      `the records ${others.join(', ')}: each needs an account of its own, with record`,
    )
  return first === undefined ? {} : { record: first }
}
