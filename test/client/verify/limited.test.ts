import { expect, it } from 'vitest'
import { limitedPorts } from '../../../src/client/verify/limited.ts'
import { ok } from '../../../src/shared/base/result.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { scripted } from './scripted.ts'

it('asks a few questions at a time, in their order, also after one that fails', async () => {
  const { ports } = scripted(virtualClock(), [])
  const started: string[] = []
  const finish = new Map<string, (isFailed: boolean) => void>()
  const limited = limitedPorts(
    {
      ...ports,
      nameServers: async (zone) => {
        started.push(zone)
        const isFailed = await new Promise<boolean>((done) => void finish.set(zone, done))
        if (isFailed) throw new Error('failed')
        return ok([zone])
      },
    },
    2,
  )
  const signal = new AbortController().signal
  const asked = ['a', 'b', 'c', 'd'].map(async (zone) => limited.nameServers(zone, signal))
  const settled = Promise.allSettled(asked)
  expect(started).toEqual(['a', 'b'])
  finish.get('b')?.(true)
  await asked[1]?.catch(() => undefined)
  expect(started).toEqual(['a', 'b', 'c'])
  finish.get('a')?.(false)
  finish.get('c')?.(false)
  await asked[2]
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  finish.get('d')?.(false)
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  const last = limited.nameServers('e', signal)
  expect(started.at(-1)).toBe('e')
  finish.get('e')?.(false)
  await last
})
