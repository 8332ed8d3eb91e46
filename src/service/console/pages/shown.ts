import type { Named } from '../../api/openapi/schemas.ts'

/** Whether a reply to an update says that it was not taken. */
export const isRefusedReply = (reply: string): boolean => !/^(good|nochg)\b/.test(reply)

/** A key of programs: for `/v1`, or for UPDATE. */
export type ShownProgramKey = Omit<Named<'ApiKey'>, 'id' | 'key'> &
  Partial<Pick<Named<'ApiKey'>, 'id' | 'key'> & Pick<Named<'TsigKey'>, 'name' | 'algorithm' | 'secret'>>

/** The whole name. */
export const wholeName = ({ zone_name: zone, name }: Pick<Named<'Name'>, 'zone_name' | 'name'>): string =>
  name === '@' ? zone : `${name}.${zone}`

/** The addresses of a name, which people look for; or the name that it leads to. */
export const addressesOf = ({ rrsets }: Pick<Named<'Name'>, 'rrsets'>): readonly string[] =>
  (['A', 'AAAA', 'CNAME', 'ALIAS'] as const).flatMap((type) =>
    rrsets.flatMap(({ dns_type: one, rdata }) =>
      one === type
        ? rdata.map(({ value }) => (type.startsWith('A') && type !== 'ALIAS' ? value : `→ ${value}`))
        : [],
    ),
  )

export const hostnamesOf = ({ targets }: Named<'Key'>): readonly string[] => [
  ...new Set(targets.map(wholeName)),
]

/** Those that the key has as a whole. */
export const wholeNamesOf = ({ targets }: Named<'Key'>): readonly string[] =>
  targets.flatMap((one) => (one.dns_type === undefined ? [wholeName(one)] : []))

/** It updates single values, and not only all addresses of a name. */
export const isOfValues = ({ targets }: Named<'Key'>): boolean =>
  targets.some(({ dns_type: type }) => type !== undefined)
