import { expect, it } from 'vitest'
import { lookUp } from '../../../../src/shared/platform/names/resolve.ts'
import { loadedWith } from '../../../fakes/mocked.ts'

const result = async (host: string, family?: 4 | 6, all = true, by = lookUp): Promise<unknown> =>
  new Promise((done) => {
    by(host, { all, ...(family !== undefined && { family }) }, (error, addresses, of) =>
      done(error === null ? (all ? addresses : [addresses, of]) : (error as NodeJS.ErrnoException).code),
    )
  })

it('lookUp finds localhost without a name server', async () => {
  expect(await result('localhost', 4)).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await result('localhost', 4, false)).toEqual(['127.0.0.1', 4])
})

it('lookUp returns an address once, even if the hosts file has it on several lines', async () => {
  const twice = [1, 2].map(() => ({ address: '127.0.0.1', family: 4 }))
  const { lookUp: freshLookUp } = await loadedWith(
    'node:dns/promises',
    async (original) => ({ ...((await original()) as object), lookup: async () => twice }),
    async () => import('../../../../src/shared/platform/names/resolve.ts'),
  )

  expect(await result('localhost', 4, true, freshLookUp)).toEqual([{ address: '127.0.0.1', family: 4 }])
})

it('lookUp fails with the codes of getaddrinfo', async () =>
  expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(await result('no-such-name.invalid')))
