import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import { MAX_TRAIL } from '../../../../src/service/model/trail.ts'
import { existing } from '../../../../src/service/store/select.ts'
import { fileStore, storeFolder } from '../../../lab/stores.ts'

const root = storeFolder()
afterAll(() => rmSync(root, { recursive: true, force: true }))

const ENTRY = {
  at: instant(0),
  accountId: 1,
  isUpdate: true,
  actor: 'key abc1234',
  peer: '192.0.2.9',
  operation: 'update',
  subject: 'home.example.test',
} as const

it('has at most as many entries of an account as it may, and never loses the newest', async () => {
  const store = fileStore(root)
  const add = async (first: number, count: number): Promise<void> =>
    store.write(async (w) => {
      for (let n = first; n < first + count; n += 3)
        await w.addTrail([n, n + 1, n + 2].map((one) => ({ ...ENTRY, after: String(one) })))
    })
  const database = new DatabaseSync(join(root, 'holdfast.db'), { readOnly: true })
  const counts: number[] = []
  for (let n = 0; n < MAX_TRAIL.updates + 3000; n += 300) {
    await add(n, 300)
    const { rows, newest } = existing(
      database.prepare('SELECT count(*) AS rows, max(CAST(came AS INTEGER)) AS newest FROM trail').get(),
    )
    expect(newest).toBe(n + 299)
    counts.push(Number(rows))
  }
  database.close()
  await store.close()
  expect(Math.max(...counts)).toBeLessThanOrEqual(MAX_TRAIL.updates)
  expect(Math.min(...counts.slice(-10))).toBeGreaterThan(MAX_TRAIL.updates * 0.85)
})
