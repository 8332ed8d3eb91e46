import { makeFolder } from '../platform/folder.ts'
import { sqliteStore } from '../server/store/sqlite.ts'
import { StoreRefused } from '../server/store/sqlite-open.ts'
import { VERBS } from './admin-verbs.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { fail, print, printJson } from './output.ts'
import { pepperIn } from './pepper.ts'
import { storeFolder } from './service-settings.ts'

/** `holdfast admin`: on the store itself, beside a running service or without one. */
export async function adminCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const words = ((flags['words'] as readonly unknown[] | undefined) ?? []).map(String)
  const found = Object.entries(VERBS).find(
    ([verb]) => words.slice(0, verb.split(' ').length).join(' ') === verb,
  )
  if (found === undefined)
    return fail({ exit: 'usage', says: ['what is to be done? one of these:', ...listing()] }, asJson)
  const [verb, { run, takes }] = found
  const place = await storeFolder(flags)
  if (!place.ok) return fail(place.error, asJson)
  const { folder, nameservers } = place.value
  try {
    await makeFolder(folder)
    const store = sqliteStore(folder)
    try {
      const pepper = await pepperIn(folder, await store.read((r) => r.hasKeys()))
      if (!pepper.ok) return fail({ exit: 'configuration', says: [pepper.error] }, asJson)
      const args = words.slice(verb.split(' ').length)
      const outcome = await store.write(async (w) => run({ w, pepper: pepper.value, nameservers }, args))
      if (!outcome.ok)
        return fail({ exit: 'usage', says: [outcome.error, `holdfast admin ${verb} ${takes}`] }, asJson)
      if (asJson) printJson(outcome.value.data)
      else print(...outcome.value.says)
      return 'settled'
    } finally {
      await store.close()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined && !(error instanceof StoreRefused)) throw error
    return fail(
      { exit: 'configuration', says: [`the store in ${folder} cannot be opened: ${message}`] },
      asJson,
    )
  }
}

const listing = (): readonly string[] =>
  Object.entries(VERBS).map(([verb, { takes, says }]) => `  ${verb} ${takes}   ${says}`)
