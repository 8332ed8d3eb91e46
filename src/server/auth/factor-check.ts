import {
  type CallerDependencies,
  type ClientNetworks,
  lockoutOf,
  type NotChecked,
  refuseLogin,
} from './caller.ts'
import { takeFactorCode } from './second-factors.ts'

interface GivenFactor {
  readonly account: { readonly id: number; readonly name: string }
  readonly code: string
}

/** Whether a code of a person who has given the password is right. A wrong one is a failed login. */
export async function checkFactor(
  dependencies: CallerDependencies,
  { account, code }: GivenFactor,
  networks: ClientNetworks,
): Promise<boolean | NotChecked> {
  const { store, pepper, now } = dependencies
  const locked = await lockoutOf(dependencies, networks)
  if (locked !== undefined) return locked
  const given = { accountId: account.id, code, now: now() }
  const isRight = await store.write(async (w) => takeFactorCode(w, pepper, given))
  if (!isRight) await refuseLogin(dependencies, account.name, networks)
  return isRight
}
