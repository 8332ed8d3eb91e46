import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { milliseconds } from '../../../../src/shared/base/time.ts'
import { eventually } from '../../../eventually.ts'
import { repeat } from '../../../../src/shared/platform/clock/repeat.ts'

const SPAN = milliseconds(5)

describe('work is repeated', () => {
  it('at once and after each span, although it fails, until the signal', async () => {
    const ending = new AbortController()
    let count = 0
    const repeated = repeat(SPAN, ending.signal, () => {
      count++
      throw new Error('away')
    })
    expect(count).toBe(1)
    await eventually(() => count > 3).toBe(true)
    ending.abort()
    await repeated
    const last = count
    await sleep(30)
    expect(count).toBe(last)
  })

  it('never while it goes on', async () => {
    const ending = new AbortController()
    let [running, most, count] = [0, 0, 0]
    void repeat(SPAN, ending.signal, async () => {
      most = Math.max(most, ++running)
      await sleep(20)
      running--
      count++
    })
    await eventually(() => count > 2).toBe(true)
    ending.abort()
    expect(most).toBe(1)
  })

  it('not at all after the signal', async () => {
    let count = 0
    await repeat(SPAN, AbortSignal.abort(), () => count++)
    expect(count).toBe(0)
  })
})
