import { familyOf, parseAddress } from '../../net/address.ts'
import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { parseTarget } from './dns-name.ts'
import { parseWebUrl } from './rdata-values.ts'
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
type Read = { readonly settings: OfflineSettings } | { readonly faults: readonly Refusal<OfflineFault>[] }

/** Reads offline settings; all that is wrong with them, at their places below `pointer`. */
export function readOffline(value: unknown, pointer: string): Read {
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
            'action is none of none, record, redirect and page',
            at('action'),
          ),
        ]
  return faults.length > 0 ? { faults } : { settings: settingsOf(fields) }
}

type Fault = readonly [refused: OfflineFault, field: string, detail: string]

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** What each action needs. */
const FAULTS: Readonly<Record<OfflineSettings['action'], (fields: Fields) => readonly Fault[]>> = {
  none: () => [],
  record: ({ dns_type: type, rdata }) => {
    if (type === undefined || rdata === undefined)
      return [
        ['typeOrRdataMissing', type === undefined ? 'dns_type' : 'rdata', 'the record that takes the place'],
      ]
    const address = parseAddress(text(rdata) ?? '')
    const isFitting = address !== undefined && type === (familyOf(address) === 'v4' ? 'A' : 'AAAA')
    return isFitting ? [] : [['offlineAddressInvalid', 'rdata', 'not an address of the family of dns_type']]
  },
  redirect: ({ url }) => {
    if (url === undefined) return [['offlineFieldMissing', 'url', 'where to send visitors']]
    return parseWebUrl(text(url) ?? '') === undefined
      ? [['redirectUrlInvalid', 'url', 'not an absolute http or https address']]
      : []
  },
  page: ({ title, logo_url: logo, email }) => [
    ...(text(title) === undefined
      ? ([['offlineFieldMissing', 'title', 'what the page is called']] as const)
      : []),
    ...(logo !== undefined && parseWebUrl(text(logo) ?? '') === undefined
      ? ([['logoUrlInvalid', 'logo_url', 'not an absolute http or https address']] as const)
      : []),
    ...(email !== undefined && !isMailbox(text(email) ?? '')
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

/** Only the fields that the action has. */
function settingsOf(fields: Fields): OfflineSettings {
  const { action, dns_type: type, rdata, url, title } = fields as Readonly<Record<string, string>>
  if (action === 'record')
    return { action, dns_type: type === 'AAAA' ? 'AAAA' : 'A', rdata: parseAddress(rdata ?? '') ?? '' }
  if (action === 'redirect') return { action, url: parseWebUrl(url ?? '') ?? '' }
  if (action !== 'page') return { action: 'none' }
  const optional = ['message', 'logo_url', 'email'].flatMap((field) => {
    const value = text(fields[field])
    return value === undefined ? [] : [[field, value]]
  })
  return { action, title: title ?? '', ...Object.fromEntries(optional) }
}
