import type { NamePublication, ZonePublication } from '../../model/publication.ts'

/** What pages read of the answers of `/v1`; the whole is in its OpenAPI document. */
export interface ShownUpdate {
  readonly at: string | null
  readonly key: string
  readonly user_agent: string
  readonly address: string
  readonly reply: string
}

/** Whether a reply to an update says that it was not taken. */
export const isRefusedReply = (reply: string): boolean => !/^(good|nochg)\b/.test(reply)

export interface ShownRRSet {
  readonly dns_type: string
  readonly ttl: number
  readonly rdata: readonly {
    readonly label: string
    readonly value: string
    readonly update_group: string | null
  }[]
}

export interface ShownName {
  readonly zone_name: string
  readonly name: string
  readonly offline: boolean
  readonly update_group: string | null
  readonly updated_at: string | null
  readonly published_at: string | null
  readonly publication: NamePublication
  readonly rrsets: readonly ShownRRSet[]
  readonly last_update?: ShownUpdate | null
}

export interface ShownZone {
  readonly name: string
  readonly is_shared: boolean
  readonly is_own: boolean
  readonly takes_names: boolean
  readonly description: string
  readonly default_ttl: number
  readonly serial: number
  readonly publication: ZonePublication
  readonly proof: { readonly name: string; readonly value: string } | null
  readonly nameservers: readonly string[]
}

export interface ShownKey {
  readonly username: string
  readonly description: string
  readonly targets: readonly {
    readonly zone_name: string
    readonly name: string
    readonly dns_type?: string
  }[]
  readonly created_at: string | null
  readonly last_update: ShownUpdate | null
  readonly block: { readonly reason: 'operator' | 'abuse'; readonly until: string | null } | null
}

/** A key of programs: for `/v1`, or for UPDATE. */
export interface ShownProgramKey {
  readonly id?: number
  readonly name?: string
  readonly algorithm?: string
  readonly description: string
  readonly scopes: readonly string[]
  readonly created_at: string | null
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

/** The whole name. */
export const wholeName = ({ zone_name: zone, name }: Pick<ShownName, 'zone_name' | 'name'>): string =>
  name === '@' ? zone : `${name}.${zone}`

/** The addresses of a name, which people look for; or the name that it leads to. */
export const addressesOf = ({ rrsets }: Pick<ShownName, 'rrsets'>): readonly string[] =>
  (['A', 'AAAA', 'CNAME', 'ALIAS'] as const).flatMap((type) =>
    rrsets.flatMap(({ dns_type: one, rdata }) =>
      one === type
        ? rdata.map(({ value }) => (type.startsWith('A') && type !== 'ALIAS' ? value : `→ ${value}`))
        : [],
    ),
  )

export const hostnamesOf = ({ targets }: ShownKey): readonly string[] => [...new Set(targets.map(wholeName))]

/** Those that the key has as a whole. */
export const wholeNamesOf = ({ targets }: ShownKey): readonly string[] =>
  targets.flatMap((one) => (one.dns_type === undefined ? [wholeName(one)] : []))

/** It updates single values, and not only all addresses of a name. */
export const isOfValues = ({ targets }: ShownKey): boolean =>
  targets.some(({ dns_type: type }) => type !== undefined)
