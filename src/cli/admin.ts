import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { openHashKey } from '../app/service/hash-key.ts'
import { openStore, storeFailure } from '../app/service/open-store.ts'
import { storeFolder } from '../app/service/settings.ts'
import { systemClock } from '../platform/clock.ts'
import { ADMIN_OPERATIONS } from '../server/admin/operations.ts'
import { fail, print, printJson } from './output.ts'

/** `holdfast admin`: works on the store itself, with or without a running service. */
export async function adminCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const words = ((flags['words'] as readonly unknown[] | undefined) ?? []).map(String)
  const found = Object.entries(ADMIN_OPERATIONS).find(
    ([name]) => words.slice(0, name.split(' ').length).join(' ') === name,
  )
  if (found === undefined)
    return fail({ exit: 'usage', messages: ['name an operation, one of these:', ...listing()] }, asJson)
  const [name, { run, parameters }] = found
  const place = await storeFolder(flags)
  if (!place.ok) return fail(place.error, asJson)
  const { folder, nameservers } = place.value
  const opened = await openStore(folder)
  if (!opened.ok) return fail(opened.error, asJson)
  const store = opened.value
  try {
    const key = await openHashKey(folder, await store.read((r) => r.hasKeys()))
    if (!key.ok) return fail({ exit: 'configuration', messages: [key.error] }, asJson)
    const args = words.slice(name.split(' ').length)
    const context = { pepper: key.value, nameservers, now: systemClock.now() }
    const outcome = await store.write(async (w) => run({ w, ...context }, args))
    if (!outcome.ok)
      return fail(
        { exit: 'usage', messages: [outcome.error, `holdfast admin ${name} ${parameters}`] },
        asJson,
      )
    if (asJson) printJson(outcome.value.data)
    else print(...outcome.value.lines)
    return 'settled'
  } catch (error) {
    return fail(storeFailure(folder, error), asJson)
  } finally {
    await store.close()
  }
}

const listing = (): readonly string[] =>
  Object.entries(ADMIN_OPERATIONS).map(
    ([name, { parameters, summary }]) => `  ${name} ${parameters}   ${summary}`,
  )
