import type { HomePlan, World } from './draw.ts'

/** Whether a world still breaks the rule that another one broke. */
type Breaks = (world: World) => Promise<boolean>

/** What makes a home easier to read, where it does not matter. */
const SIMPLER: readonly Partial<HomePlan>[] = [
  { loss: 0 },
  { liars: [] },
  { ipv6: 'none' },
  { renumbers: false },
  { router: 'mute' },
  { webhook: false },
  { isVerified: false },
  { nameServers: { lag: 0, isSilent: false } },
  { backup: false },
  { isSilentInside: false },
  { dropsPings: false },
  { isTranslated: false },
  { probe: true },
  { roundTrip: 20 },
  { call: 1 },
]

/** The world with as few events as still break the rule, and the simplest home. */
export async function shrunk(world: World, breaks: Breaks): Promise<World> {
  let least = await fewerEvents(world, breaks)
  for (const simpler of SIMPLER) {
    const candidate = { ...least, home: { ...least.home, ...simpler } }
    if (await breaks(candidate)) least = candidate
  }
  return least
}

/** Delta debugging: by halves, and then one by one. */
async function fewerEvents(world: World, breaks: Breaks): Promise<World> {
  let { events } = world
  for (let size = Math.ceil(events.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < events.length; ) {
      const fewer = [...events.slice(0, at), ...events.slice(at + size)]
      if (await breaks({ ...world, events: fewer })) events = fewer
      else at += size
    }
  return { ...world, events }
}
