import { expect, it } from 'vitest'
import { type DnsType, RDATA_TYPES } from '../../../../src/service/model/rdata/types.ts'

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 70)}… (${text.length})` : text)

/** Each value has this canonical form, which is its own canonical form. */
export function accepts(
  type: DnsType,
  table: readonly (readonly [value: string, canonical: string])[],
): void {
  it.each(table.map(([value, canonical]) => [short(value), short(canonical), value, canonical] as const))(
    `${type} %s is stored as %s`,
    (_value, _canonical, value, canonical) => {
      expect(RDATA_TYPES[type].parse(value)).toEqual({ ok: true, value: canonical })
      expect(RDATA_TYPES[type].parse(canonical)).toEqual({ ok: true, value: canonical })
    },
  )
}

/** Each value is refused, as malformed if its type has no error of its own, with this detail. */
export function refuses(
  type: DnsType,
  table: readonly (readonly [value: string, detail: string])[],
  refused = 'rdataMalformed',
): void {
  it.each(table.map(([value, detail]) => [JSON.stringify(short(value)), detail, value] as const))(
    `${type} %s: %s`,
    (_value, detail, value) =>
      expect(RDATA_TYPES[type].parse(value)).toEqual({
        ok: false,
        error: { refused, detail },
      }),
  )
}
