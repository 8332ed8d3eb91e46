import { expect, it, onTestFinished, vi } from 'vitest'
import { lookUp } from '../../src/platform/resolve.ts'

const looked = async (host: string, family?: 4 | 6, all = true, by = lookUp): Promise<unknown> =>
  new Promise((done) => {
    by(host, { all, ...(family !== undefined && { family }) }, (error, addresses, of) =>
      done(error === null ? (all ? addresses : [addresses, of]) : (error as NodeJS.ErrnoException).code),
    )
  })

it('finds a name of this host without a name server', async () => {
  expect(await looked('localhost', 4)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await looked('localhost', 4, false)).toEqual(['127.0.0.1', 4])
})

it('gives an address once that the hosts file has on several lines', async () => {
  const twice = [1, 2].map(() => ({ address: '127.0.0.1', family: 4 }))
  vi.resetModules()
  vi.doMock('node:dns/promises', async (original) => ({ ...(await original()), lookup: async () => twice }))
  onTestFinished(() => void vi.doUnmock('node:dns/promises'))
  const { lookUp: again } = await import('../../src/platform/resolve.ts')

  expect(await looked('localhost', 4, true, again)).toEqual([{ address: '127.0.0.1', family: 4 }])
})

it('says in the words of getaddrinfo that there is no such name, or that no name server could tell', async () =>
  expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(await looked('no-such-name.invalid')))
