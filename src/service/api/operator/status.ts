import type { RequestContext } from '../request/context.ts'
import type { Named, SchemaName } from '../openapi/schemas.ts'
import { operated } from './operated.ts'

const statusBy =
  <N extends SchemaName>(operation: string) =>
  async (context: RequestContext) => {
    const found = await operated(context, () => [[operation]])
    return 'malformed' in found ? found : { status: 200 as const, data: found.data as unknown as Named<N> }
  }

/** The accounts whose requests take the most time, as the running service last said. */
export const getLoad = statusBy<'Load'>('load')

/** What each secondary has fetched. */
export const listSecondaries = statusBy<'Secondaries'>('publishing')
