import { err, ok, type Result } from '../../base/result.ts'
import { after, type Instant, parseDuration } from '../../base/time.ts'
import { keyedHash, newPassword, type Pepper, slowHash } from '../auth/hashes.ts'
import { apexOf } from '../model/apex.ts'
import { canonicalName, parseHost, relativeTo } from '../model/dns-name.ts'
import type { StoreWrites } from '../store/store.ts'
import { DEFAULT_PLAN } from './default-plan.ts'
import { ACCOUNT_KEYS, assignments, PLAN_KEYS, ZONE_KEYS } from './policy.ts'

/** What an operation needs: the store inside one transaction, and the key of its hashes. */
export interface AdminContext {
  readonly w: StoreWrites
  readonly pepper: Pepper
  readonly nameservers: readonly string[]
  readonly now: Instant
}

/** The result as lines of text, and as an object for --json. */
export interface OperationResult {
  readonly lines: readonly string[]
  readonly data: Readonly<Record<string, unknown>>
}

type Args = readonly string[]
export interface AdminOperation {
  readonly parameters: string
  readonly summary: string
  readonly run: (context: AdminContext, args: Args) => Promise<Result<OperationResult, string>>
}

const done = (line: string, data: Readonly<Record<string, unknown>> = {}): Result<OperationResult, string> =>
  ok({ lines: [line], data })

const accountIdOf = async (w: StoreWrites, name: string): Promise<Result<number, string>> => {
  const login = await w.login(name)
  return login?.kind === 'account' ? ok(login.accountId) : err(`there is no account ${name}`)
}

/** The operations of `holdfast admin`. Changes apply from the next request on. */
export const ADMIN_OPERATIONS: Readonly<Record<string, AdminOperation>> = {
  'plan add': {
    parameters: 'NAME [KEY=VALUE…]',
    summary: `add a plan; keys: ${Object.keys(PLAN_KEYS).join(', ')}`,
    run: async ({ w }, [name = '', ...rest]) => {
      const values = assignments(PLAN_KEYS, rest)
      if (!values.ok) return values
      if (name === '' || (await w.planNamed(name)) !== undefined)
        return err(`plan ${name} exists already, or the name is missing`)
      await w.changePlan(await w.addPlan({ name, ...DEFAULT_PLAN }), values.value)
      return done(`plan ${name} created`, { plan: name })
    },
  },
  'plan set': {
    parameters: 'NAME KEY=VALUE…',
    summary: 'change a plan; keys as for plan add',
    run: async ({ w }, [name = '', ...rest]) => {
      const [values, id] = [assignments(PLAN_KEYS, rest), await w.planNamed(name)]
      if (!values.ok) return values
      if (id === undefined) return err(`there is no plan ${name}`)
      await w.changePlan(id, values.value)
      return done(`plan ${name} changed`, { plan: name })
    },
  },
  'account add': {
    parameters: 'NAME PLAN',
    summary: 'add an account and print its password, once',
    run: async ({ w, now }, [name = '', plan = '']) => {
      const id = await w.planNamed(plan)
      if (id === undefined) return err(`there is no plan ${plan}; create one with holdfast admin plan add`)
      if (!/^[\w.@-]{1,64}$/.test(name) || (await w.login(name)) !== undefined)
        return err(`${name} is taken, or does not consist of 1 to 64 letters, digits, _ . @ and -`)
      const password = newPassword()
      await w.addAccount({ name, hash: await slowHash(password), planId: id }, now)
      return done(`account ${name} has the password ${password}`, { account: name, password })
    },
  },
  'account set': {
    parameters: 'NAME [plan=PLAN] [website-only=yes|no]',
    summary: 'change the plan of an account, or restrict it to the website',
    run: async ({ w }, [name = '', ...rest]) => {
      const plan = rest.find((arg) => arg.startsWith('plan='))?.slice(5)
      const values = assignments(
        ACCOUNT_KEYS,
        rest.filter((arg) => !arg.startsWith('plan=')),
      )
      const [account, planId] = [
        await accountIdOf(w, name),
        plan === undefined ? undefined : await w.planNamed(plan),
      ]
      if (!values.ok) return values
      if (!account.ok) return account
      if (plan !== undefined && planId === undefined) return err(`there is no plan ${plan}`)
      await w.changeAccount(account.value, { ...values.value, ...(planId !== undefined && { planId }) })
      return done(`account ${name} changed`, { account: name })
    },
  },
  'api-key add': {
    parameters: 'ACCOUNT [read] [zone:NAME…] [expires=TIME]',
    summary: 'add an API key and print it, once; limit it to reading, to zones, or in time',
    run: async ({ w, pepper, now }, [name = '', ...rest]) => {
      const account = await accountIdOf(w, name)
      if (!account.ok) return account
      const span = rest.find((arg) => arg.startsWith('expires='))?.slice(8)
      const expires = span === undefined ? undefined : parseDuration(span)
      if (expires?.ok === false) return err(`expires=${span} ${expires.error}`)
      const scopes = rest.filter((arg) => !arg.startsWith('expires='))
      const invalid = scopes.find((scope) => scope !== 'read' && !/^zone:[a-z0-9.-]+$/.test(scope))
      if (invalid !== undefined) return err(`${invalid} is neither read nor zone:NAME`)
      const key = newPassword()
      await w.addApiKey(
        {
          accountId: account.value,
          hash: keyedHash(pepper, key),
          description: scopes.join(' '),
          scopes,
          ...(expires?.ok === true && { expiresAt: after(now, expires.value) }),
        },
        now,
      )
      return done(`API key ${key}`, { account: name, key })
    },
  },
  'zone add': {
    parameters: 'NAME ACCOUNT [KEY=VALUE…]',
    summary: `add a zone for an account; keys: ${Object.keys(ZONE_KEYS).join(', ')}`,
    run: async ({ w, nameservers, now }, [zone = '', name = '', ...rest]) => {
      const [account, values, host] = [
        await accountIdOf(w, name),
        assignments(ZONE_KEYS, rest),
        parseHost(zone),
      ]
      if (!account.ok) return account
      if (!values.ok) return values
      if (host === undefined || (await w.zoneNamed(host)) !== undefined)
        return err(`${zone} is taken, or is not a domain name`)
      const id = await w.addZone({ accountId: account.value, name: host, isShared: false }, now)
      await w.changeZone(id, values.value)
      await w.saveName(apexOf({ zoneId: id, accountId: account.value }, nameservers, now), now)
      return done(`zone ${host} created for ${name}`, { zone: host })
    },
  },
  'zone set': {
    parameters: 'NAME KEY=VALUE…',
    summary: 'change a zone; keys as for zone add',
    run: async ({ w }, [name = '', ...rest]) => {
      const [zone, values] = [await w.zoneNamed(canonicalName(name)), assignments(ZONE_KEYS, rest)]
      if (!values.ok) return values
      if (zone === undefined) return err(`there is no zone ${name}`)
      await w.changeZone(zone.id, values.value)
      return done(`zone ${zone.name} changed`, { zone: zone.name })
    },
  },
  'member add': {
    parameters: 'ZONE ACCOUNT',
    summary: 'allow an account to create names in a members-only zone',
    run: async (context, args) => member(context, args, true),
  },
  'member remove': {
    parameters: 'ZONE ACCOUNT',
    summary: 'withdraw that permission',
    run: async (context, args) => member(context, args, false),
  },
  'name lock': {
    parameters: 'HOSTNAME',
    summary: 'forbid changes of a name',
    run: async (context, args) => lockName(context, args, true),
  },
  'name unlock': {
    parameters: 'HOSTNAME',
    summary: 'allow changes of a name',
    run: async (context, args) => lockName(context, args, false),
  },
  'key lock': {
    parameters: 'USERNAME',
    summary: 'forbid new targets of a DDNS key',
    run: async (context, args) => lockKey(context, args, true),
  },
  'key unlock': {
    parameters: 'USERNAME',
    summary: 'allow new targets of a DDNS key',
    run: async (context, args) => lockKey(context, args, false),
  },
  unblock: {
    parameters: 'USERNAME',
    summary: 'end the block of a DDNS key or an account after abuse',
    run: async ({ w }, [username = '']) => {
      const login = await w.login(username)
      if (login === undefined) return err(`there is no DDNS key and no account ${username}`)
      await w.unblock(login)
      return done(`${username} unblocked`, { username })
    },
  },
}

async function member(
  { w }: AdminContext,
  [zoneName = '', name = '']: Args,
  isMember: boolean,
): Promise<Result<OperationResult, string>> {
  const [zone, account] = [await w.zoneNamed(canonicalName(zoneName)), await accountIdOf(w, name)]
  if (zone === undefined) return err(`there is no zone ${zoneName}`)
  if (!account.ok) return account
  await w.setMember(zone.id, account.value, isMember)
  return done(`${name} is ${isMember ? 'now' : 'no longer'} a member of ${zone.name}`, {
    zone: zone.name,
    account: name,
  })
}

async function lockName(
  { w }: AdminContext,
  [hostname = '']: Args,
  isLocked: boolean,
): Promise<Result<OperationResult, string>> {
  const fqdn = canonicalName(hostname)
  const zone = await w.zoneContaining(fqdn)
  const relative = zone === undefined ? undefined : relativeTo(fqdn, zone.name)
  const name = zone === undefined || relative === undefined ? undefined : await w.nameAt(zone.id, relative)
  if (name?.id === undefined) return err(`there is no name ${hostname}`)
  await w.lockName(name.id, isLocked)
  return done(`${fqdn} is ${isLocked ? 'locked' : 'unlocked'}`, { hostname: fqdn })
}

async function lockKey(
  { w }: AdminContext,
  [username = '']: Args,
  isLocked: boolean,
): Promise<Result<OperationResult, string>> {
  const key = await w.keyNamed(username)
  if (key === undefined) return err(`there is no DDNS key ${username}`)
  await w.lockKey(key.id, isLocked)
  return done(`${username} is ${isLocked ? 'locked' : 'unlocked'}`, { username })
}
