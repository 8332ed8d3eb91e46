import {
  namePublication,
  type NamePublication,
  zonePublication,
  type ZonePublication,
  type ZoneState,
} from '../../model/publication.ts'
import type { ApiService, RequestContext } from '../request/context.ts'

type Given = Pick<ApiService, 'answerer' | 'secondaries'>

const givenBy = ({ answerer, secondaries }: Given, zoneId: number) => ({
  answerer,
  // An unknown state counts as behind.
  isBehind: answerer === 'secondaries' && secondaries(zoneId).some(({ isBehind }) => isBehind !== false),
})

export const wordOfZone = (service: Given, zoneId: number, state: ZoneState | undefined): ZonePublication =>
  zonePublication(state ?? 'pending', givenBy(service, zoneId))

interface Placed {
  readonly zone: { readonly id: number }
  readonly name: { readonly id?: number }
}

/** The publication of each name, with one statement. */
export async function wordsOfNames(
  { store, service }: Pick<RequestContext, 'store' | 'service'>,
  items: readonly Placed[],
): Promise<(item: Placed) => NamePublication> {
  const states = await store.nameStatesOf(items.flatMap(({ name }) => name.id ?? []))
  return ({ zone, name }) => namePublication(states.get(name.id ?? 0) ?? 'pending', givenBy(service, zone.id))
}
