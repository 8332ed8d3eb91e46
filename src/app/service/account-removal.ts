import { writeFile } from 'node:fs/promises'
import { err, ok, type Result } from '../../base/result.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OperationResult } from '../../server/admin/operation.ts'
import { formatMasterFile } from '../../server/model/master-file.ts'
import type { Store, StoreReads } from '../../server/store/store.ts'
import { operatorChange } from './operator-changes.ts'
import { namesOfZone } from './zone-files.ts'

/**
 * Writes what the account has into a file, then removes the account with its zones, names and keys. The zones are master files;
 * passwords and hashes are not in it.
 */
export async function removeAccount(
  store: Store,
  nameservers: readonly string[],
  args: readonly string[],
): Promise<Result<OperationResult, string>> {
  const [name = '', option = ''] = args
  const [, file] = /^export=(.+)$/.exec(option) ?? []
  if (file === undefined) return err('say where the data of the account goes: export=FILE, or export=none')
  const found = await store.read(async (r) => contentOf(r, name, nameservers))
  if (!found.ok) return found
  const { id, content } = found.value
  if (file !== 'none') {
    const failure = await writeFile(file, `${JSON.stringify(content, null, 1)}\n`, {
      mode: 0o600,
      flag: 'wx',
    }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (failure !== undefined) return err(`the export cannot be written (${failure}); nothing was removed`)
  }
  await store.write(async (w) => {
    await w.removeAccount(id)
    await w.addOperatorChange(operatorChange('account remove', args, systemClock.now()))
  })
  const kept = file === 'none' ? '' : `; its data is in ${file}`
  return ok({ lines: [`account ${name} removed${kept}`], data: { account: name, export: file } })
}

async function contentOf(
  r: StoreReads,
  account: string,
  nameservers: readonly string[],
): Promise<Result<{ readonly id: number; readonly content: object }, string>> {
  const login = await r.login(account)
  if (login?.kind !== 'account') return err(`there is no account ${account}`)
  const query = { filter: { account }, now: systemClock.now() }
  const zones: { zone: string; file: string }[] = []
  for (const row of await r.overview('zones', query)) {
    const zone = await r.zoneNamed(String(row['name']))
    if (zone === undefined) continue
    const names = await namesOfZone(r, zone, query.now)
    if (names.some(({ accountId }) => accountId !== login.accountId))
      return err(`zone ${zone.name} has names of other accounts; transfer it first with zone transfer`)
    zones.push({ zone: zone.name, file: `${formatMasterFile(zone, names, nameservers).join('\n')}\n` })
  }
  const content = {
    account: (await r.overview('accounts', { ...query, filter: { name: account } }))[0],
    zones,
    names: await r.overview('names', query),
    keys: await r.overview('keys', query),
    apiKeys: await r.overview('apiKeys', query),
  }
  return ok({ id: login.accountId, content })
}
