import type { RequestContext } from '../request/context.ts'
import { operated } from './operated.ts'

const statusBy = (operation: string) => async (context: RequestContext) => {
  const found = await operated(context, () => [[operation]])
  return 'malformed' in found ? found : { status: 200 as const, data: found.data }
}

/** The accounts whose requests take the most time, as the running service last said. */
export const getLoad = statusBy('load')

/** What each secondary has fetched. */
export const listSecondaries = statusBy('publishing')
