import { expect, it } from 'vitest'
import { allEnded } from '../../../src/shared/base/concurrency.ts'

it('the values of all are in their order', async () => {
  expect(await allEnded([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2])
})

it('a failure is reported after the others have ended', async () => {
  let end = (): void => undefined
  const slow = new Promise<void>((done) => (end = done))
  const heard: string[] = []
  const all = allEnded([Promise.reject(new Error('no')), slow.then(() => void heard.push('the other ended'))])
  const failed = all.catch((error: unknown) => void heard.push((error as Error).message))
  await Promise.resolve()
  end()
  await failed
  expect(heard).toEqual(['the other ended', 'no'])
})
