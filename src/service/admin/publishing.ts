import { ok } from '../../shared/base/result.ts'
import { type Answerer, namePublication, type NameState } from '../model/publication.ts'
import type { OverviewRow } from '../store/overview.ts'
import type { StoreReads } from '../store/store.ts'
import { type PublishingStatus, STATUS_FACT } from '../publish/status.ts'
import type { Operations } from './operation.ts'
import { formatTable } from './table.ts'

/** The last status that a running service stored; undefined if it has never run. */
const lastStatus = async (w: Pick<StoreReads, 'fact'>): Promise<PublishingStatus | undefined> => {
  const text = await w.fact(STATUS_FACT)
  return text === undefined ? undefined : (JSON.parse(text) as PublishingStatus)
}

const ANSWERED: Readonly<Record<Answerer, string>> = {
  nobody:
    'no name server answers for the zones: set dns_listen with answer_queries or secondaries, and start the service',
  service: 'the service answers for the zones itself; there is no secondary',
  secondaries: 'no secondary has been notified of a zone yet',
}

/** Replaces the stored state in rows of zones or names by the publication. */
export async function withPublication(
  w: Pick<StoreReads, 'fact'>,
  rows: readonly OverviewRow[],
): Promise<readonly OverviewRow[]> {
  const { answerer = 'nobody', late = { zones: [], areBehind: true } } = (await lastStatus(w)) ?? {}
  const listed = new Set(late.zones)
  return rows.map((row) => {
    const { publication, zone } = row
    if (typeof publication !== 'string') return row
    const isBehind = listed.has(String(zone ?? row['name'])) === late.areBehind
    return { ...row, publication: namePublication(publication as NameState, { answerer, isBehind }) }
  })
}

/** What the running service last said about its secondaries. */
export const PUBLISHING_OPERATIONS: Operations = {
  publishing: {
    parameters: '',
    summary: 'show whether each secondary has fetched the published zones',
    run: async ({ w }) => {
      const status = await lastStatus(w)
      if (status === undefined || status.secondaries.length === 0)
        return ok({
          lines: [ANSWERED[status?.answerer ?? 'nobody']],
          data: { at: status?.at ?? null, secondaries: [] },
        })
      const { at, secondaries } = status
      const late = secondaries.flatMap(({ name, late: zones }) =>
        zones.map((zone) => ({ secondary: name, ...zone })),
      )
      return ok({
        lines: [
          `as of ${at}`,
          ...formatTable(secondaries.map(({ late: _, ...secondary }) => secondary)),
          ...(late.length === 0 ? [] : ['', 'behind:', ...formatTable(late)]),
        ],
        data: { at, secondaries },
      })
    },
  },
}
