import { Secret } from '../../../../shared/base/secret.ts'
import type { DraftSettings } from '../../draft.ts'
import { environmentOf, type VariableMap } from '../environment.ts'
import { listedNames, validHostnames } from '../hostnames.ts'
import {
  type FormatRow,
  type ImportContext,
  type Imported,
  type ImportedUpdate,
  type Lookup,
  Remarks,
} from '../imported.ts'
import { commandLookup, DEFAULT_LOOKUP, fixedLookup, interfaceLookup, shownPage } from '../lookup.ts'
import { intervalOf } from '../periods.ts'

const has = (text: string, name: string): boolean =>
  new RegExp(`(?:^|[\\s"'-])${name}(?:_FILE)?["']?[ \\t]*[=:]`, 'm').test(text)

/** Environments of favonia/cloudflare-ddns, and of others that have its variables. */
const isFavonia = (text: string): boolean =>
  ['CLOUDFLARE_API_TOKEN', 'CF_API_TOKEN'].some((name) => has(text, name)) &&
  ['DOMAINS', 'IP4_DOMAINS', 'IP6_DOMAINS'].some((name) => has(text, name))
/** Environments of oznu/cloudflare-ddns. */
const isOznu = (text: string): boolean =>
  has(text, 'API_KEY') &&
  (/ZONE["']?[ \t]*[=:][ \t]*["']?[\w-]+\.[\w.-]+/.test(text) || /ZONE_FILE["']?[ \t]*[=:]/.test(text))

interface Entry {
  readonly all: VariableMap
  readonly context: ImportContext
  readonly remarks: Remarks
}

/** The variable, or the file that NAME_FILE names: it may be one of the container. */
function variableIn({ all, context, remarks }: Entry, name: string): string {
  const own = all.get(name)?.value ?? ''
  const file = all.get(`${name}_FILE`)
  if (own !== '' || file === undefined) return own
  const found = context.include(file.value)
  if ('text' in found) return found.text.trim()
  remarks.add('lost', file.line, `${name}_FILE: ${found.problem}; write the value into the password file`)
  return ''
}

const lineOf = ({ all }: Entry, ...names: readonly string[]): number =>
  names.flatMap((name) => [name, `${name}_FILE`]).flatMap((name) => all.get(name)?.line ?? [])[0] ?? 1

const secretOf = (text: string): Secret | undefined => (text === '' ? undefined : new Secret(text))

function remarkOnVariables({ all, remarks }: Entry, known: RegExp, lost: RegExp): void {
  for (const [name, { line }] of all) {
    if (/^(?:PROXIED|TTL|RECORD_COMMENT)$/.test(name))
      remarks.once('changed', line, `${name}: it is kept as it is at the service`)
    else if (lost.test(name)) remarks.once('lost', line, `${name} has no counterpart`)
    else if (!known.test(name)) remarks.once('dropped', line, `${name} is not needed`)
  }
}

/** Reads the environment of favonia/cloudflare-ddns, each family with its names and its way to the address. */
function importFavonia(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  const entry = { all: environmentOf(text, context.variable), context, remarks }
  const password =
    variableIn(entry, 'CLOUDFLARE_API_TOKEN') ||
    variableIn(entry, 'CF_API_TOKEN') ||
    variableIn(entry, 'CF_API_KEY')
  const line = lineOf(entry, 'CLOUDFLARE_API_TOKEN', 'CF_API_TOKEN')
  const updates = (['4', '6'] as const).flatMap((family): readonly ImportedUpdate[] => {
    const lookup = favoniaLookup(entry, family)
    const names = ['DOMAINS', `IP${family}_DOMAINS`].flatMap((name) =>
      validHostnames(listedNames(variableIn(entry, name)), lineOf(entry, name), remarks),
    )
    if (lookup === undefined || names.length === 0) return []
    return [
      {
        place: { file: context.file, line },
        label: '',
        service: { provider: 'cloudflare' },
        username: undefined,
        password: secretOf(password),
        hostnames: [...new Set(names)],
        ipv4: family === '4',
        ipv6: family === '6',
        lookup,
        settings: {},
      },
    ]
  })
  remarkOnVariables(
    entry,
    /^(?:(?:CLOUDFLARE_|CF_)API_(?:TOKEN|KEY)(?:_FILE)?|(?:IP[46]_)?DOMAINS|IP[46]_(?:PROVIDER|POLICY)|UPDATE_CRON)$/,
    /^(?:WAF_LISTS|DELETE_ON_STOP|SHOUTRRR|UPTIMEKUMA|HEALTHCHECKS|IP6_PREFIX_LEN|IP6_HOST_ID)$/,
  )
  return { settings: cronInterval(entry, 'UPDATE_CRON'), updates, remarks: remarks.all }
}

/** Undefined where the family is off. */
function favoniaLookup(entry: Entry, family: '4' | '6'): Lookup | undefined {
  const { all, remarks } = entry
  const written = all.get(`IP${family}_PROVIDER`) ?? all.get(`IP${family}_POLICY`)
  const way = written?.value.trim() ?? 'cloudflare.trace'
  if (way === 'none' || way === 'unmanaged') return undefined
  if (way.startsWith('local.iface:')) return interfaceLookup(way.slice('local.iface:'.length))
  if (way === 'local') return interfaceLookup(undefined)
  const fixed = fixedLookup(/^static:(.*)$/.exec(way)?.[1] ?? '')
  if (fixed !== undefined) return fixed
  if (/^cloudflare(?:\.|$)/.test(way)) return DEFAULT_LOOKUP
  if (!way.startsWith('url')) {
    remarks.add(
      'not taken',
      written?.line ?? 1,
      `IP${family}_PROVIDER: this way to the address has no counterpart`,
    )
    return undefined
  }
  remarks.once('changed', written?.line ?? 1, `the way ${shownPage(way)}: the default sources are used`)
  return DEFAULT_LOOKUP
}

/** `@every 5m`, or the minutes of a cron expression. */
function cronInterval({ all, remarks }: Entry, name: string): DraftSettings {
  const written = all.get(name)
  const every =
    /^@every\s+(\S+)$/.exec(written?.value.trim() ?? '')?.[1] ??
    /^\*\/(\d+)\s/.exec(written?.value.trim() ?? '')?.[1]?.concat('m')
  return written === undefined || every === undefined ? {} : intervalOf({ ...written, value: every }, remarks)
}

/** Reads the environment of oznu/cloudflare-ddns: one name, one family. */
function importOznu(text: string, context: ImportContext): Imported {
  const remarks = new Remarks(context.file)
  const entry = { all: environmentOf(text, context.variable), context, remarks }
  const { all } = entry
  const [key, zone, label] = ['API_KEY', 'ZONE', 'SUBDOMAIN'].map((name) => variableIn(entry, name))
  const isGlobal = (all.get('EMAIL')?.value ?? '') !== ''
  if (isGlobal)
    remarks.add(
      'lost',
      lineOf(entry, 'API_KEY'),
      'with EMAIL, API_KEY is the global API key; make an API token with the permission Zone - DNS - Edit',
    )
  const isV6 = all.get('RRTYPE')?.value.toUpperCase() === 'AAAA'
  const command = all.get('CUSTOM_LOOKUP_CMD')?.value ?? ''
  const card = all.get('INTERFACE')?.value ?? ''
  const name = label === '' || label === '@' ? (zone ?? '') : `${label}.${zone}`
  remarkOnVariables(
    entry,
    /^(?:API_KEY|ZONE|SUBDOMAIN)(?:_FILE)?$|^(?:EMAIL|RRTYPE|CUSTOM_LOOKUP_CMD|INTERFACE|CRON)$/,
    /^DELETE_ON_STOP$/,
  )
  const update: ImportedUpdate = {
    place: { file: context.file, line: lineOf(entry, 'API_KEY') },
    label: '',
    service: { provider: 'cloudflare' },
    username: undefined,
    password: isGlobal ? undefined : secretOf(key ?? ''),
    hostnames: validHostnames([name], lineOf(entry, 'ZONE'), remarks),
    ipv4: !isV6,
    ipv6: isV6,
    lookup: command !== '' ? commandLookup(command) : card !== '' ? interfaceLookup(card) : DEFAULT_LOOKUP,
    settings: zone === undefined || zone === '' ? {} : { zone },
  }
  return { settings: cronInterval(entry, 'CRON'), updates: [update], remarks: remarks.all }
}

export const CLOUDFLARE_DDNS: FormatRow = {
  read: importFavonia,
  variables: [
    'CLOUDFLARE_API_TOKEN',
    'CF_API_TOKEN',
    'DOMAINS',
    'IP4_DOMAINS',
    'IP6_DOMAINS',
    'IP4_PROVIDER',
    'IP6_PROVIDER',
  ],
  matches: isFavonia,
  files: [],
  stop: 'stop the container of cloudflare-ddns',
}

export const OZNU: FormatRow = {
  read: importOznu,
  variables: ['API_KEY', 'ZONE', 'SUBDOMAIN', 'RRTYPE'],
  matches: isOznu,
  files: [],
  stop: 'stop the container of oznu/cloudflare-ddns',
}
