import { open, rm } from 'node:fs/promises'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { systemClock } from '../../shared/platform/clock/clock.ts'
import { type Failure, usageFailure } from '../../shared/program/exit-codes.ts'
import type { OperationResult } from './operation.ts'
import type { Store } from '../store/store.ts'
import { sweepHidden } from './store/sweeper.ts'
import { type AccountContent, accountFound, contentOf } from '../api/account/content.ts'
import { operatorChange } from './operator-changes.ts'

/** Writes what the account has into a file, then removes the account with its zones, names and keys. */
export async function removeAccount(
  store: Store,
  nameservers: readonly string[],
  args: readonly string[],
): Promise<Result<OperationResult, Failure>> {
  const [name = '', option = ''] = args
  const [, file] = /^export=(.+)$/.exec(option) ?? []
  if (file === undefined)
    return usageFailure('say where the data of the account goes: export=FILE, or export=none')
  const now = systemClock.now()
  const context = { account: name, nameservers, now }
  const found = await store.snapshot(async (r) => {
    const account = await accountFound(r, name, { now })
    if (!account.ok) return account
    const content = file === 'none' ? undefined : await contentOf(r, account.value, context)
    return ok({ account: account.value, content })
  })
  if (!found.ok) return usageFailure(found.error)
  const { account, content } = found.value
  const failure = content === undefined ? undefined : await writeContent(file, content)
  if (failure !== undefined)
    return usageFailure(`the export cannot be written (${failure}); nothing was removed`)
  const isRemoved = await store.write(async (w) => {
    const present = await accountFound(w, name, { now })
    if (!present.ok || present.value.id !== account.id) return false
    if (content !== undefined && present.value.version !== account.version) return false
    for (const zone of present.value.zones)
      await w.addOperatorChange({
        ...operatorChange('zone remove', [zone.name], now),
        before: `${await w.countNames(zone.id)} names, serial ${zone.serial}`,
      })
    const { names } = await w.holdingsOf(account.id)
    await w.removeAccount(account.id)
    await w.addOperatorChange({
      ...operatorChange('account remove', args, now),
      before: `${present.value.zones.length} zones, ${names} names`,
    })
    return true
  })
  if (!isRemoved) {
    if (file !== 'none') await rm(file, { force: true })
    return err({
      exit: 'waiting',
      messages: [
        `account ${name} changed while its data was written; nothing was removed: try again, ` +
          `and if it keeps changing, suspend it first with holdfast admin account suspend ${name}`,
      ],
    })
  }
  await sweepHidden(store)
  const kept = file === 'none' ? '' : `; its data is in ${file}`
  return ok({ lines: [`account ${name} removed${kept}`], data: { account: name, export: file } })
}

/** The file is new, and on disk before anything is removed. Resolves with why that failed; then there is no part of it. */
async function writeContent(file: string, content: AccountContent): Promise<string | undefined> {
  const opened = await open(file, 'wx', 0o600).then(ok, (error: Error) => err(error.message))
  if (!opened.ok) return opened.error
  try {
    await opened.value.writeFile(`${JSON.stringify(content, null, 1)}\n`)
    await opened.value.sync()
    return undefined
  } catch (error) {
    await rm(file, { force: true })
    return (error as Error).message
  } finally {
    await opened.value.close()
  }
}
