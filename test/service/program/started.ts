import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startService } from '../../../src/service/program/start.ts'
import { openStore } from '../../../src/service/admin/store/open-store.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import type { StoreWrites } from '../../../src/service/store/store.ts'

/** A folder that is deleted after the test. */
export function storeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A new store with what the work writes. */
export async function newStore(
  work: (w: StoreWrites) => Promise<unknown> = async () => undefined,
): Promise<string> {
  const folder = storeFolder()
  const opened = await openStore(folder, { mayMake: true })
  if (!opened.ok) throw new Error(opened.error.messages.join())
  await opened.value.store.write(work)
  await opened.value.store.close()
  return folder
}

/** Starts the service on this store and ends it; the lines of its log, with their fields. */
export async function linesOfStart(folder: string): Promise<readonly string[]> {
  const flag = (value: string) => ({ value, where: '' })
  const settings = readServiceConfig({
    flags: { store: flag(folder), listen: flag('127.0.0.1:0'), nameservers: flag('ns1.operator.test') },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const lines: string[] = []
  const ending = new AbortController()
  const started = await startService(settings.value, {
    isDev: false,
    mayMake: true,
    faults: undefined,
    log: (level, msg, details) => void lines.push([level, msg, JSON.stringify(details ?? {})].join(' ')),
    stopping: ending.signal,
    ending: ending.signal,
  })
  if (!started.ok) throw new Error(started.error.messages.join())
  const { listeners, publishing, store, idle } = started.value
  ending.abort()
  for (const listener of listeners) await listener.close(0)
  await idle()
  await publishing.close()
  await store.close()
  return lines
}
