import { err, ok, type Result } from '../../shared/base/result.ts'
import { apexOf } from '../model/apex.ts'
import { parseHost, relativeTo } from '../model/dns-name.ts'
import {
  accountIdOf,
  type AdminContext,
  type Args,
  finished,
  type OperationResult,
  type Operations,
  zoneOf,
} from './operation.ts'
import { assignments, ZONE_KEYS } from './policy.ts'

export const ZONE_OPERATIONS: Operations = {
  'zone add': {
    parameters: 'NAME ACCOUNT [KEY=VALUE…]',
    summary: `add a zone for an account; keys: ${Object.keys(ZONE_KEYS).join(', ')}`,
    run: addZone,
  },
  'zone set': {
    parameters: 'NAME KEY=VALUE…',
    summary: 'change a zone; keys as for zone add',
    run: async ({ w }, [name = '', ...rest]) => {
      const [zone, values] = [await zoneOf(w, name), assignments(ZONE_KEYS, rest)]
      if (!values.ok) return values
      if (!zone.ok) return zone
      await w.changeZone(zone.value.id, values.value)
      return finished(`zone ${zone.value.name} changed`, { zone: zone.value.name })
    },
  },
  'zone transfer': {
    parameters: 'NAME ACCOUNT',
    summary: 'give a zone and the names of its owner in it to another account; DDNS keys lose these names',
    run: async ({ w, now }, [name = '', to = '']) => {
      const [zone, account] = [await zoneOf(w, name), await accountIdOf(w, to)]
      if (!zone.ok) return zone
      if (!account.ok) return account
      await w.transferZone(zone.value.id, account.value, now)
      return finished(`zone ${zone.value.name} belongs to ${to}`, { zone: zone.value.name, account: to })
    },
  },
  'zone remove': {
    parameters: 'NAME [confirm=NAMES]',
    summary: 'remove a zone with all of its names; confirm is the number of names that are removed with it',
    run: async ({ w }, [name = '', confirm = '']) => {
      const zone = await zoneOf(w, name)
      if (!zone.ok) return zone
      const { id, name: zoneName } = zone.value
      const names = await w.countNames(id)
      if (confirm !== `confirm=${names}`)
        return err(`zone ${zoneName} has ${names} names, which are lost; to remove it, add confirm=${names}`)
      await w.removeZone(id)
      const before = `${names} names, serial ${zone.value.serial}`
      return ok({
        lines: [`zone ${zoneName} removed with ${names} names`],
        data: { zone: zoneName, names },
        before,
      })
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
}

async function addZone(
  { w, nameservers, catalogZone, now }: AdminContext,
  [zone = '', name = '', ...rest]: Args,
): Promise<Result<OperationResult, string>> {
  const [account, values, host] = [await accountIdOf(w, name), assignments(ZONE_KEYS, rest), parseHost(zone)]
  if (!account.ok) return account
  if (!values.ok) return values
  if (host === undefined) return err(`${zone} is not a domain name`)
  if (relativeTo(host, catalogZone) !== undefined)
    return err(`${host} is for the service itself (catalog_zone)`)
  if ((await w.zoneNamed(host)) !== undefined) return err(`zone ${host} already exists`)
  const parent = await w.zoneContaining(host)
  if (parent !== undefined && (await w.hasLockedNames(parent.id, host)))
    return err(`a name at or beneath ${host} is locked or blocked; unlock or unblock it first`)
  if (await w.hasOthersBeneath(host, account.value))
    return err(`other accounts have zones or names at or beneath ${host}; transfer or remove them first`)
  const id = await w.addZone({ accountId: account.value, name: host, isShared: false }, now)
  await w.changeZone(id, values.value)
  await w.saveName(apexOf({ zoneId: id, accountId: account.value }, nameservers, now), now)
  return finished(`zone ${host} created for ${name}`, { zone: host })
}

async function member(
  { w }: AdminContext,
  [zoneName = '', name = '']: Args,
  isMember: boolean,
): Promise<Result<OperationResult, string>> {
  const [zone, account] = [await zoneOf(w, zoneName), await accountIdOf(w, name)]
  if (!zone.ok) return zone
  if (!account.ok) return account
  await w.setMember(zone.value.id, account.value, isMember)
  return finished(`${name} is ${isMember ? 'now' : 'no longer'} a member of ${zone.value.name}`, {
    zone: zone.value.name,
    account: name,
  })
}
