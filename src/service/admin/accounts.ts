import { err, ok, type Result } from '../../shared/base/result.ts'
import { newPassword, slowHash } from '../auth/hashes.ts'
import { accountNameFault, isNameTaken } from '../auth/one-time-codes.ts'
import {
  accountIdOf,
  type AdminContext,
  finished,
  type OperationResult,
  type Operations,
} from './operation.ts'
import { ACCOUNT_KEYS, assignments } from './policy.ts'

export const ACCOUNT_OPERATIONS: Operations = {
  'account add': {
    parameters: 'NAME PLAN',
    summary: 'add an account and print its password, once',
    run: async ({ w, now }, [name = '', plan = '']) => {
      const id = await w.planNamed(plan)
      if (id === undefined) return err(`there is no plan ${plan}; create one with holdfast admin plan add`)
      const fault = accountNameFault(name)
      if (fault !== undefined) return err(fault)
      if (await isNameTaken(w, name))
        return err(
          `${name} is taken by an account or a DDNS key; for a new password use account password (capitals do not count)`,
        )
      const password = newPassword()
      await w.addAccount({ name, hash: await slowHash(password), planId: id }, now)
      return finished(`account ${name} has the password ${password}`, { account: name, password })
    },
  },
  'account set': {
    parameters: 'NAME [plan=PLAN] [website-only=yes|no] [operator=yes|no] [email=ADDRESS|none]',
    summary:
      'change the plan of an account, restrict it to the website, ' +
      'let it do there what this command does, or set its e-mail address',
    run: async ({ w, now }, [name = '', ...rest]) => {
      const plan = rest.find((arg) => arg.startsWith('plan='))?.slice(5)
      const values = assignments(
        ACCOUNT_KEYS,
        rest.filter((arg) => !arg.startsWith('plan=')),
      )
      const account = await accountIdOf(w, name)
      const planId = plan === undefined ? undefined : await w.planNamed(plan)
      if (!values.ok) return values
      if (!account.ok) return account
      if (plan !== undefined && planId === undefined) return err(`there is no plan ${plan}`)
      await w.changeAccount(account.value, { ...values.value, ...(planId !== undefined && { planId }) }, now)
      return finished(`account ${name} changed`, { account: name })
    },
  },
  'account password': {
    parameters: 'NAME',
    summary: 'replace the password of an account, and print the new one, once',
    run: async ({ w, now }, [name = '']) => {
      const account = await accountIdOf(w, name)
      if (!account.ok) return account
      const password = newPassword()
      await w.setAccountPassword(account.value, await slowHash(password), now)
      return finished(`account ${name} has the password ${password}`, { account: name, password })
    },
  },
  'account forget-second-factor': {
    parameters: 'NAME',
    summary: 'remove the second factors of an account, for a person who has lost them all',
    run: async ({ w, now }, [name = '']) => {
      const account = await accountIdOf(w, name)
      if (!account.ok) return account
      await w.removeFactors(account.value, now)
      return finished(`account ${name} no longer has a second factor`, { account: name })
    },
  },
  'account suspend': {
    parameters: 'NAME',
    summary: 'refuse every request of an account: abuse for updates, 403 at /v1; its names stay as they are',
    run: async (context, [name = '']) => suspend(context, name, true),
  },
  'account resume': {
    parameters: 'NAME',
    summary: 'end a suspension, and a block after abuse',
    run: async (context, [name = '']) => suspend(context, name, false),
  },
}

async function suspend(
  { w, now }: AdminContext,
  name: string,
  isSuspended: boolean,
): Promise<Result<OperationResult, string>> {
  const account = await accountIdOf(w, name)
  if (!account.ok) return account
  await w.changeAccount(account.value, { isSuspended }, now)
  if (!isSuspended) await w.unblock({ kind: 'account', id: account.value })
  return ok({
    lines: [`account ${name} is ${isSuspended ? 'suspended' : 'no longer suspended'}`],
    data: { account: name, isSuspended },
  })
}
