import { expect, it } from 'vitest'
import { apiDependencies } from '../../../src/service/program/http/api.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { handleApi } from '../../../src/service/api/handle.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import type { Caller } from '../../../src/service/rules/permission.ts'
import { REFUSALS } from '../../spec/refusals.ts'
import { AT_ONCE } from './at-once.ts'
import { PEPPER } from './inside.ts'
import { NOTHING_FOUND } from './nothing-found.ts'
import { apiWorld, prepare } from './world.ts'
import { WRITES } from './writes.ts'

const PASSWORDS = passwordChecker(PEPPER)
const settings = readServiceConfig({ flags: {}, environment: {} })
if (!settings.ok) throw new Error('the settings have no defaults')

type Asked = Pick<(typeof REFUSALS)[number], 'method' | 'path' | 'body' | 'setup'>

/** The codes of a request of account A, which comes by this door. */
async function codesBy(door: Caller['door'], { method, path, body, setup }: Asked) {
  const world = await apiWorld()
  try {
    for (const word of setup.split(' ')) await prepare(world, word)
    const account = await world.store.read(async (r) => r.account(world.ids['a'] ?? 0))
    if (account === undefined || !settings.ok) throw new Error('no account')
    const caller: Caller = { account, isReadOnly: false, ...(door !== undefined && { door }) }
    const parts = { store: world.store, pepper: PEPPER, passwords: PASSWORDS, inTurn: AT_ONCE }
    const api = apiDependencies(settings.value, {
      ...parts,
      requestFlush: () => undefined,
      delegation: async () => NOTHING_FOUND,
      audit: () => undefined,
      reportFailure: (_, error) => {
        throw error
      },
    })
    const [at = '', query = ''] = path.split('?')
    const isFile = at.endsWith('/import')
    const rendered = await handleApi(
      { ...api, identify: async () => Promise.resolve(caller) },
      {
        method,
        path: at,
        query,
        body: isFile ? '' : body,
        authorization: undefined,
        contentType: isFile ? 'text/dns' : undefined,
        ifMatch: undefined,
        ifNoneMatch: undefined,
        readLong: async () => Promise.resolve([Buffer.from(body)]),
        networks: { peer: '198.51.100.1', network: undefined, share: '' },
      },
    )
    const { errors = [] } = (rendered.body ?? {}) as {
      readonly errors?: readonly { readonly code: string }[]
    }
    return errors.map(({ code }) => code)
  } finally {
    await world.close()
  }
}

it.each(REFUSALS.filter(({ code }) => code === '4786'))(
  '$operation ($setup) is for the website: a session of it may, programs may not',
  async (row) => {
    expect(await codesBy(undefined, row)).toContain('4786')
    expect(await codesBy('website', row)).not.toContain('4786')
  },
)

const ACCOUNT_WRITES = WRITES.flatMap(([route, method, path, body]) =>
  (path.startsWith('/v1/account') || path === '/v1/dns/zones') && !path.includes('leaver')
    ? [{ route, method, path, body: body === undefined ? '' : JSON.stringify(body) }]
    : [],
)

it('an account has so many writes of its own', () =>
  expect(new Set(ACCOUNT_WRITES.map(({ route }) => route)).size).toBeGreaterThan(15))

it.each(ACCOUNT_WRITES)(
  'of an account that is for the website: $route, $method $path is for a session of it alone',
  async (write) => {
    const row = { ...write, setup: 'website-account' }
    const codes = [await codesBy(undefined, row), await codesBy('website', row)]
    expect(codes).toEqual([['4786'], expect.not.arrayContaining(['4786'])])
  },
)
