import { describe, expect, it } from 'vitest'
import { delegationLooks } from '../../../src/service/publish/delegations.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { NOTHING_FOUND } from '../api/nothing-found.ts'

function stage() {
  let time = 0
  const looked: string[] = []
  const waiting: (() => void)[] = []
  const delegation = delegationLooks({
    now: () => instant(time),
    look: async ({ name }) => {
      looked.push(name)
      await new Promise<void>((done) => waiting.push(done))
      return { ...NOTHING_FOUND, advice: [name] }
    },
  })
  const ask = async (id: number, accountId = 1) =>
    delegation({ id, accountId, name: `z${id}.test`, serial: 1 }, ['ns1.operator.test'])
  const end = (): void => waiting.splice(0).forEach((done) => done())
  return { ask, end, looked, pass: (ms: number) => void (time += ms) }
}

describe('looks at delegations', () => {
  it('are shared by all requests of a minute, also while one goes on', async () => {
    const { ask, end, looked, pass } = stage()
    const both = [ask(1), ask(1)]
    end()
    const [first, second] = await Promise.all(both)
    pass(59_999)
    expect([first?.advice, second, await ask(1)]).toEqual([['z1.test'], first, first])
    pass(1)
    const later = ask(1)
    end()
    expect((await later)?.advice).toEqual(['z1.test'])
    expect(looked).toEqual(['z1.test', 'z1.test'])
  })

  it('are few at a time, and those of one account fewer', async () => {
    const { ask, end, looked } = stage()
    const running = [1, 2, 3, 4].map(async (id) => ask(id))
    expect(await ask(5)).toBeUndefined()
    const others = [2, 3, 4].flatMap((account) =>
      [0, 1, 2, 3].map(async (n) => ask(account * 10 + n, account)),
    )
    expect(await ask(60, 9)).toBeUndefined()
    expect(looked).toHaveLength(16)
    end()
    await Promise.all([...running, ...others])
    const next = ask(5)
    end()
    expect((await next)?.advice).toEqual(['z5.test'])
  })
})
