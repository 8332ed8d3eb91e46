import { familyOf, parseAddress } from '../../shared/base/address.ts'
import { type ErrorName, type Refusal, refuse } from './errors.ts'
import { parseTarget } from './dns-name.ts'
import { parseWebUrl } from './rdata/url.ts'
import type { OfflineSettings } from './tree.ts'

export type OfflineFault = Extract<
  ErrorName,
  | 'offlineFieldMissing'
  | 'typeOrRdataMissing'
  | 'offlineAddressInvalid'
  | 'redirectUrlInvalid'
  | 'logoUrlInvalid'
  | 'emailInvalid'
>

type Fields = Readonly<Record<string, unknown>>
type OfflineResult =
  | { readonly settings: OfflineSettings }
  | { readonly faults: readonly Refusal<OfflineFault>[] }

/** Parses offline settings, or reports all of their faults with JSON pointers below `pointer`. */
export function readOffline(value: unknown, pointer: string): OfflineResult {
  const fields: Fields =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
  const at = (field: string) => ({ location: 'body', pointer: `${pointer}/${field}` }) as const
  const { action } = fields
  const faults =
    typeof action === 'string' && Object.hasOwn(FAULTS, action)
      ? FAULTS[action as keyof typeof FAULTS](fields).map(([refused, field, detail]) =>
          refuse(refused, detail, at(field)),
        )
      : [
          refuse(
            'offlineFieldMissing' as const,
            'action must be none, record, redirect or page',
            at('action'),
          ),
        ]
  return faults.length > 0 ? { faults } : { settings: settingsOf(fields) }
}

type Fault = readonly [refused: OfflineFault, field: string, detail: string]

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The faults of the fields of each action. */
const FAULTS: Readonly<Record<OfflineSettings['action'], (fields: Fields) => readonly Fault[]>> = {
  none: () => [],
  record: ({ dns_type: type, rdata }) => {
    if (type === undefined || rdata === undefined)
      return [
        [
          'typeOrRdataMissing',
          type === undefined ? 'dns_type' : 'rdata',
          'the record to serve while the name is offline',
        ],
      ]
    const address = parseAddress(nonEmptyText(rdata) ?? '')
    const isValid = address !== undefined && type === (familyOf(address) === 'v4' ? 'A' : 'AAAA')
    return isValid ? [] : [['offlineAddressInvalid', 'rdata', 'not an address of the family of dns_type']]
  },
  redirect: ({ url }) => {
    if (url === undefined) return [['offlineFieldMissing', 'url', 'the target of the redirect']]
    return parseWebUrl(nonEmptyText(url) ?? '') === undefined
      ? [['redirectUrlInvalid', 'url', 'not an absolute http or https URL']]
      : []
  },
  page: ({ title, logo_url: logo, email }) => [
    ...(nonEmptyText(title) === undefined
      ? ([['offlineFieldMissing', 'title', 'the title of the page']] as const)
      : []),
    ...(logo !== undefined && parseWebUrl(nonEmptyText(logo) ?? '') === undefined
      ? ([['logoUrlInvalid', 'logo_url', 'not an absolute http or https URL']] as const)
      : []),
    ...(email !== undefined && !isMailbox(nonEmptyText(email) ?? '')
      ? ([['emailInvalid', 'email', 'not an e-mail address']] as const)
      : []),
  ],
}

/** RFC 5321 §4.1.2, §4.5.3.1: a dot-atom of 64 octets at most, and a domain; 254 in all. */
function isMailbox(address: string): boolean {
  const [, local = '', domain = ''] = /^([^@]+)@([^@]+)$/.exec(address) ?? []
  const isLocal = local.length <= 64 && /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)
  return address.length <= 254 && isLocal && domain.includes('.') && parseTarget(domain) !== undefined
}

/** The fields of the action, without any others. */
function settingsOf(fields: Fields): OfflineSettings {
  const { action, dns_type: type, rdata, url, title } = fields as Readonly<Record<string, string>>
  if (action === 'record')
    return { action, dns_type: type === 'AAAA' ? 'AAAA' : 'A', rdata: parseAddress(rdata ?? '') ?? '' }
  if (action === 'redirect') return { action, url: parseWebUrl(url ?? '') ?? '' }
  if (action !== 'page') return { action: 'none' }
  const optional = ['message', 'logo_url', 'email'].flatMap((field) => {
    const value = nonEmptyText(fields[field])
    return value === undefined ? [] : [[field, value]]
  })
  return { action, title: title ?? '', ...Object.fromEntries(optional) }
}
