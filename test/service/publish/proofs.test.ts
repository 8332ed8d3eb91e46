import { expect, it } from 'vitest'
import { unprovedInTurn } from '../../../src/service/publish/proofs.ts'
import type { Store } from '../../../src/service/store/store.ts'

/** A store with unproved zones, newest first. */
function storeWith(ids: readonly number[]): Store {
  const zonesAwaitingProof = async (limit: number, before = Number.MAX_SAFE_INTEGER) =>
    Promise.resolve(
      ids
        .filter((id) => id < before)
        .slice(0, limit)
        .map((id) => ({ id })),
    )
  return { read: async (work: (r: object) => unknown) => work({ zonesAwaitingProof }) } as unknown as Store
}

it('each round has the newest zones, and in a few rounds every zone has its turn', async () => {
  const ids = Array.from({ length: 350 }, (_, n) => 350 - n)
  const next = unprovedInTurn(storeWith(ids))
  const rounds = [await next(), await next(), await next(), await next()].map((round) =>
    round.map(({ id }) => id),
  )
  for (const round of rounds) expect(round.slice(0, 100)).toEqual(ids.slice(0, 100))
  expect(rounds.map((round) => round.slice(100))).toEqual([
    ids.slice(100, 200),
    ids.slice(200, 300),
    ids.slice(300),
    ids.slice(100, 200),
  ])
})

it('without unproved zones there is nothing', async () => {
  const next = unprovedInTurn(storeWith([]))
  expect([await next(), await next()]).toEqual([[], []])
})
