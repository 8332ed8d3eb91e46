import { expect, it } from 'vitest'
import { lookUp } from '../../src/platform/resolve.ts'

const looked = async (host: string, family?: 4 | 6, all = true): Promise<unknown> =>
  new Promise((done) => {
    lookUp(host, { all, ...(family !== undefined && { family }) }, (error, addresses, of) =>
      done(error === null ? (all ? addresses : [addresses, of]) : (error as NodeJS.ErrnoException).code),
    )
  })

it('finds a name of this host without a name server', async () => {
  expect(await looked('localhost', 4)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await looked('localhost', 4, false)).toEqual(['127.0.0.1', 4])
})

it('says in the words of getaddrinfo that there is no such name, or that no name server could tell', async () =>
  expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(await looked('no-such-name.invalid')))
