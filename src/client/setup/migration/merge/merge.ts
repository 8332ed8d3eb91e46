import { deletionRemark, providerCalled } from '../../../services/providers/providers.ts'
import { accountSlug, type ConfigDraft, type DraftAccount, type DraftSettings } from '../../draft.ts'
import { distinctNames } from '../../../settings/account-names.ts'
import type { Imported, ImportContext, ImportedUpdate, Remark } from '../imported.ts'
import { byAccount, needs } from './accounts.ts'
import { type LookupPlan, lookupPlan, withOwnAddress } from './lookups.ts'
import { shortestOf, withCommonRefresh } from './periods.ts'
import { isAlive, withIpv6, withProvider, withUsername } from './service.ts'

export interface MergedImport {
  readonly draft: ConfigDraft
  readonly remarks: readonly Remark[]
}

/**
 * The accounts of an import: updates with one service and one username are one
 * account, with all their hostnames and families.
 */
export function mergeImport(
  { settings, updates, remarks: ofReader }: Imported,
  { domainOf }: Pick<ImportContext, 'domainOf'>,
): MergedImport {
  const remarks: Remark[] = []
  const groups = new Map<string, ImportedUpdate[]>()
  const living = updates
    .filter((update) => isAlive(update, remarks))
    .map((update) => withIpv6(withProvider(update), remarks))
  for (const update of living.map((one) => withUsername(one, domainOf, remarks))) {
    const key = accountKeyOf(update)
    const [first] = groups.get(key) ?? []
    const conflict = first === undefined ? undefined : conflictOf(first, update)
    if (conflict === undefined) {
      const group = groups.get(key) ?? []
      group.push(update)
      groups.set(key, group)
    } else
      remarks.push({
        kind: 'not taken',
        place: update.place,
        text: `${update.hostnames.join(', ')}: ${conflict} (line ${first?.place.line})`,
      })
  }
  const accounts = [...groups.values()].flatMap((group) => byAccount(group, remarks))
  const plan = lookupPlan(accounts.flat())
  remarks.push(...plan.remarks)
  const taken: ImportedUpdate[] = []
  const all = accounts.flatMap((updates) => {
    const kept = updates.filter((update) => isPlaced(update, plan, remarks))
    const [first, ...others] = kept
    const one = first === undefined ? undefined : merged(first, others, { plan, remarks })
    if (one === undefined || !canBeSent(one, remarks)) return []
    taken.push(...kept)
    return [one]
  })
  const names = distinctNames(all.map(accountNameFor))
  const { common, accounts: drafts } = withCommonRefresh(
    all.map((update, at) => accountOf(withOwnAddress(update, all), names[at] ?? 'account')),
  )
  // The program has one interval, whichever entries of an account set it.
  const interval = shortestOf('interval', taken, remarks)
  for (const update of all) remarks.push(...missing(update), ...oneFamily(update), ...deletions(update))
  return {
    draft: { settings: { ...settings, ...common, ...interval, ...plan.settings }, accounts: drafts },
    remarks: [...ofReader, ...remarks].toSorted((a, b) => a.place.line - b.place.line),
  }
}

/** Which account an update belongs to: without a username, a service knows it by its secrets. */
function accountKeyOf({ service, username, password, apiKey, settings }: ImportedUpdate): string {
  const { server, url, zone, record } = settings
  const address = server ?? service.server ?? service.provider ?? url
  const own = [password?.reveal(), apiKey?.reveal(), zone, record]
  return [
    address,
    username,
    ...(username === undefined && !needs({ service, settings }).username ? own : []),
  ].join('\n')
}

/** Why two updates with one service and one username cannot be one account. */
function conflictOf(first: ImportedUpdate, update: ImportedUpdate): string | undefined {
  if (first.password?.reveal() !== update.password?.reveal()) return 'another password for the same username'
  if (first.apiKey?.reveal() !== update.apiKey?.reveal()) return 'another API key for the same username'
  for (const key of ['zone', 'record', 'url'])
    if (String(first.settings[key]) !== String(update.settings[key]))
      return `another ${key} for the same username`
  return first.service.path === update.service.path ? undefined : 'another path for the same username'
}

function isPlaced(update: ImportedUpdate, plan: LookupPlan, remarks: Remark[]): boolean {
  const place = plan.placeOf(update)
  if (typeof place !== 'string') return true
  remarks.push({
    kind: 'not taken',
    place: update.place,
    text: `${update.hostnames.join(', ')}: ${place}`,
  })
  return false
}

interface MergedUpdate extends ImportedUpdate {
  readonly hosts?: readonly DraftSettings[]
}

/** All updates of one account. */
function merged(
  first: ImportedUpdate,
  others: readonly ImportedUpdate[],
  { plan, remarks }: { readonly plan: LookupPlan; readonly remarks: Remark[] },
): MergedUpdate {
  const all = [first, ...others]
  const hosts = [...hostsOf(all, plan).values()]
  if (others.length === 0) return { ...first, hosts }
  remarkOnOthers(all, remarks)
  // The other client sends each family in a request of its own; the preset of a known service says what it needs.
  const isApart =
    first.service.provider === undefined &&
    first.settings['url'] === undefined &&
    all.some(({ ipv4, ipv6 }) => ipv4 !== first.ipv4 || ipv6 !== first.ipv6)
  return {
    ...first,
    hosts,
    hostnames: [...new Set(all.flatMap(({ hostnames }) => hostnames))],
    ipv4: all.some(({ ipv4 }) => ipv4),
    ipv6: all.some(({ ipv6 }) => ipv6),
    settings: {
      ...Object.assign({}, ...all.map(({ settings }) => settings)),
      ...shortestOf('refresh', all, remarks),
      ...(isApart && { families: 'apart' }),
    },
  }
}

/** What single hostnames have, as [[account.host]]. */
function hostsOf(all: readonly ImportedUpdate[], plan: LookupPlan): ReadonlyMap<string, DraftSettings> {
  const hosts = new Map<string, DraftSettings>()
  for (const update of all) {
    const place = plan.placeOf(update)
    const own = {
      ...(update.suffix !== undefined && update.ipv6 && { suffix: update.suffix }),
      ...(typeof place === 'object' && place),
      ...(update.through !== undefined && { interface: update.through }),
      ...(update.lines !== undefined && { interface: update.lines }),
      ...(update.ipv6Interface !== undefined && { ipv6_interface: update.ipv6Interface }),
    }
    const named = Object.keys(own).length > 0 ? update.hostnames : []
    for (const name of named) hosts.set(name, { ...(hosts.get(name) ?? { name }), ...own })
  }
  return hosts
}

/** Settings that two entries of one account have with another value: that of the last one counts. */
function remarkOnOthers(all: readonly ImportedUpdate[], remarks: Remark[]): void {
  const settings: DraftSettings = Object.assign({}, ...all.map((one) => one.settings))
  const isLost = ([key, value]: readonly [string, unknown]): boolean =>
    key !== 'refresh' && String(value) !== String(settings[key])
  for (const { place, hostnames, settings: own } of all)
    remarks.push(
      ...Object.entries(own)
        .filter(isLost)
        .map(([key]) => ({
          kind: 'lost' as const,
          place,
          text: `${hostnames.join(', ')}: ${key} of another entry of the same account is used`,
        })),
    )
}

/** The provider, with the number of inadyn (no-ip.com:2), else the name of the section, else the host. */
function accountNameFor({ service, label, settings }: ImportedUpdate): string {
  const number = /:(\d+)$/.exec(label)?.[1]
  if (service.provider !== undefined)
    return number === undefined ? service.provider : `${service.provider}-${number}`
  if (label !== '') return accountSlug(label)
  const address = service.server ?? /^https?:\/\/[^/?{}]+/.exec(String(settings['url'] ?? ''))?.[0] ?? ''
  return URL.canParse(address) ? accountSlug(new URL(address).hostname) : 'account'
}

function accountOf({ hosts = [], ...update }: MergedUpdate, name: string): DraftAccount {
  const { service, username, hostnames, ipv4, ipv6, settings, password, apiKey } = update
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  const given: Record<string, DraftSettings[string] | undefined> = {
    provider: service.provider,
    server: service.server,
    path: service.path,
    username,
    hostnames,
    // The families of the other client; a preset may have switched IPv6 off.
    ipv4: ipv4 ? undefined : false,
    ipv6: ipv6 || preset?.settings['ipv6'] === 'false' ? undefined : false,
    ...settings,
  }
  return {
    name,
    settings: Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) =>
        value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[key, value]],
      ),
    ),
    password,
    ...(apiKey !== undefined && { apiKey }),
    ...(hosts.length > 0 && { hosts }),
    comments: missing(update).map(({ text }) => text),
  }
}

/** What an account must have and the file does not. */
function missing({
  username,
  password,
  apiKey,
  hostnames,
  service,
  settings,
  place,
}: ImportedUpdate): readonly Remark[] {
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  const needed = needs({ service, settings })
  const rows: readonly (readonly [isMissing: boolean, text: string])[] = [
    [
      needed.username && username === undefined,
      `the username is not in this file; write username${preset === undefined ? '' : ` (${preset.username})`}`,
    ],
    [
      needed.password && password === undefined,
      'the password is not in this file; ' +
        `write it into the password file${preset === undefined ? '' : ` (${preset.password})`}`,
    ],
    [
      preset?.apiKey !== undefined && preset.isApiKeyOptional !== true && apiKey === undefined,
      `the API key is not in this file; write it into the file of api_key_file (${preset?.apiKey})`,
    ],
    [hostnames.length === 0, 'the hostnames are not in this file; write hostnames'],
  ]
  return rows.flatMap(([isMissing, text]) => (isMissing ? [{ kind: 'lost' as const, place, text }] : []))
}

/** What the other client does not send, Holdfast does not send either, because a new record may lead to a closed port. */
function oneFamily({ service, ipv4, ipv6, place }: ImportedUpdate): readonly Remark[] {
  const isPresetOff =
    service.provider !== undefined && providerCalled(service.provider)?.settings['ipv6'] === 'false'
  if (ipv4 && (ipv6 || isPresetOff)) return []
  const [kept, other] = ipv6 ? ['IPv6', 'ipv4'] : ['IPv4', 'ipv6']
  return [
    {
      kind: 'changed',
      place,
      text: `only ${kept} addresses are sent, as the other client does; to send both, remove ${other} = false`,
    },
  ]
}

/** Some services set a wrong IPv4 address where an update has none. */
function canBeSent({ service, ipv4, hostnames, place }: ImportedUpdate, remarks: Remark[]): boolean {
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  if (ipv4 || preset === undefined) return true
  const why =
    preset.settings['absent_family'] === 'hold-ipv4'
      ? 'publishes a wrong IPv4 address for an update without one'
      : 'takes no IPv6 address in this protocol'
  const canBe = preset.settings['absent_family'] !== 'hold-ipv4' && preset.settings['ipv6'] !== 'false'
  const text = `${hostnames.join(', ')}: only IPv6 is updated, and ${preset.name} ${why}`
  if (!canBe) remarks.push({ kind: 'not taken', place, text })
  return canBe
}

/** Services that delete the family that is switched off here. */
function deletions({ service, ipv4, ipv6, place }: ImportedUpdate): readonly Remark[] {
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  const text = preset && deletionRemark(preset, { ipv4, ipv6 })
  return text === undefined ? [] : [{ kind: 'changed', place, text }]
}
