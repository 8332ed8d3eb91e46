import type { ApiDependencies } from '../../../src/service/api/handle.ts'

/** In the place of a session, which only the website opens: the account of this name, with its second factor. */
export const OPERATOR = 'operator'

/** The same, where the bearer of this name is that operator at the website. */
export const withOperator = <T extends Pick<ApiDependencies, 'identify' | 'store'>>(dependencies: T): T => ({
  ...dependencies,
  identify: async (authorization, networks) => {
    if (authorization !== `Bearer ${OPERATOR}`) return dependencies.identify(authorization, networks)
    return dependencies.store.read(async (r) => {
      const login = await r.login(OPERATOR)
      const account = login && (await r.account(login.accountId))
      return account && { account, door: 'website', sessionId: 1, isReadOnly: false }
    })
  },
})
