import { describe, expect, it } from 'vitest'
import { isShared } from '../../lab/stores.ts'
import { oneIn } from '../../large.ts'
import { type Key, sanctionWorld, type World } from './sanction-world.ts'
import { HOME, OFFICE, type Way, WAYS } from './ways-around.ts'

type Strike = (w: World, key: Key) => Promise<void>

/** One more than the limit of the world. */
const FLOOD = 6
const SANCTIONS: readonly (readonly [title: string, strike: Strike])[] = [
  [
    'a block after too many requests',
    async (w, key) => {
      for (let n = 0; n < FLOOD; n++) await w.update(key, HOME)
    },
  ],
  ['a block by the operator', async (w, key) => void (await w.admin(`block ${key.username}`))],
]
const ROWS = WAYS.map((one) => [one.title, one] as const)

async function answersTo({ go }: Way, strike?: Strike): Promise<readonly string[]> {
  const w = await sanctionWorld({}, { mayRefuse: strike !== undefined })
  try {
    for (const name of ['home', 'office']) expect((await w.makeName(name)).status).toBe(201)
    const [bad, early] = [await w.makeKey([HOME]), await w.makeKey([OFFICE])]
    if (bad === undefined || early === undefined) throw new Error('no keys')
    return await go({ w, bad, early, strike: async (key) => strike?.(w, key) })
  } finally {
    await w.close()
  }
}

describe.each(SANCTIONS)('%s', (_, strike) =>
  it.each(ROWS)('holds against: %s', async (__, one) =>
    expect(await answersTo(one, strike)).toEqual(one.held ?? ['abuse']),
  ),
)

/** The ways themselves do not depend on the store. */
const TRIED = isShared() ? oneIn(4, ROWS) : ROWS

describe('without a sanction', () =>
  it.each(TRIED)('this works: %s', async (_, one) =>
    expect(await answersTo(one)).toEqual((one.held ?? ['abuse']).map(() => 'good')),
  ))
