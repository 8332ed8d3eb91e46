import type { Exit } from '../app/exit-codes.ts'
import { openHashKey } from '../app/service/hash-key.ts'
import { openStore, storeFailure } from '../app/service/open-store.ts'
import { storeSettings } from '../app/service/settings.ts'
import { systemClock } from '../platform/clock.ts'
import { ADMIN_OPERATIONS } from '../server/admin/operations.ts'
import type { AdminFlags } from './flag-tables.ts'
import { fail, print, printJson } from './output.ts'

/** `holdfast admin`: changes the store directly, with or without a running service. */
export async function adminCommand({ asJson, words, settings }: AdminFlags): Promise<Exit> {
  const chosen = Object.entries(ADMIN_OPERATIONS).find(([name]) => isOperation(name, words))
  if (chosen === undefined) return fail({ exit: 'usage', messages: [OPERATION_LIST] }, asJson)
  const [name, { run, parameters }] = chosen
  const resolved = await storeSettings(settings)
  if (!resolved.ok) return fail(resolved.error, asJson)
  const { folder, nameservers } = resolved.value
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
        { exit: 'usage', messages: [outcome.error, `usage: holdfast admin ${name} ${parameters}`] },
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

const isOperation = (name: string, words: readonly string[]): boolean =>
  words.slice(0, name.split(' ').length).join(' ') === name

const OPERATION_LIST = [
  'name an operation, one of these:',
  ...Object.entries(ADMIN_OPERATIONS).flatMap(([name, { parameters, summary }]) => [
    `  ${name} ${parameters}`,
    `      ${summary}`,
  ]),
].join('\n')
