import type { DraftAccount, DraftSettings } from '../../draft.ts'
import type { ImportedUpdate, Remark } from '../imported.ts'
import { periodOf } from '../periods.ts'

type Period = 'interval' | 'refresh'

// biome-ignore format: a table
const WHAT: { readonly [P in Period]: (shortest: string) => string } = {
  interval: (shortest) => `the address is checked every ${shortest}, because another entry asks for that`,
  refresh:  (shortest) => `an unchanged address is sent again after ${shortest}, as for another hostname of the account`,
}

const writtenIn = ({ interval, settings }: ImportedUpdate, period: Period): string | undefined => {
  const value = period === 'interval' ? interval : settings['refresh']
  return typeof value === 'string' ? value : undefined
}

const lengthOf = (period: string): number => periodOf(period) ?? Infinity

/** The shortest time that entries set, where one holds for all; a remark at each entry that sets a longer one. */
export function shortestOf(
  period: Period,
  updates: readonly ImportedUpdate[],
  remarks: Remark[],
): DraftSettings {
  const written = updates.flatMap((update) => writtenIn(update, period) ?? [])
  const [shortest] = written.toSorted((a, b) => lengthOf(a) - lengthOf(b))
  if (shortest === undefined) return {}
  for (const update of updates) {
    const own = writtenIn(update, period)
    if (own !== undefined && lengthOf(own) > lengthOf(shortest))
      remarks.push({
        kind: 'changed',
        place: update.place,
        text: `${update.hostnames.join(', ')}: ${WHAT[period](shortest)}, not after ${own}`,
      })
  }
  return { [period]: shortest }
}

/** What every account sets alike stands once, at the top. */
export function withCommonRefresh(accounts: readonly DraftAccount[]): {
  readonly common: DraftSettings
  readonly accounts: readonly DraftAccount[]
} {
  const [first, ...others] = accounts.map(({ settings }) => settings['refresh'])
  if (first === undefined || others.length === 0 || others.some((one) => one !== first))
    return { common: {}, accounts }
  return {
    common: { refresh: first },
    accounts: accounts.map(({ settings: { refresh: _, ...settings }, ...account }) => ({
      ...account,
      settings,
    })),
  }
}
