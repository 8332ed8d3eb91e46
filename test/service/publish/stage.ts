import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startPublishing } from '../../../src/service/program/publishing/publishing.ts'
import { observedStore, serviceMetrics } from '../../../src/service/program/service-metrics.ts'
import { parseDocument } from '../../../src/shared/settings/document.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import type { ServiceSettings } from '../../../src/service/settings/service-settings.ts'
import { pepperOf } from '../../../src/service/auth/hashes.ts'
import { testStore } from '../../lab/stores.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { key } from './secondary.ts'
import { storeWith } from './zones.ts'

/** A folder that is deleted after the test. */
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-stage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function diskStore(): Store {
  const store = testStore(scratch())
  onTestFinished(async () => store.close())
  return store
}

export const KEYS = [key('ns1-key'), key('ns2-key')] as const

function settings(toml: string): ServiceSettings {
  const name = 'service.toml'
  const config = readServiceConfig({
    flags: {},
    environment: {},
    lookedFor: name,
    file: { name, document: parseDocument(toml, name) },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  return config.value
}

function keyFile(): string {
  const path = join(scratch(), 'tsig.keys')
  writeFileSync(path, KEYS.map((one) => `${one.name} ${one.algorithm} ${one.secret.reveal()}\n`).join(''))
  chmodSync(path, 0o600)
  return path
}

/** A store on disk with these zones, published at a free port of loopback to two secondaries on these ports. */
export async function publishing(
  zones: Parameters<typeof storeWith>[0],
  ports: readonly [number, number] = [9, 9],
) {
  let wake = (): void => undefined
  const store = observedStore(diskStore(), { metrics: serviceMetrics(), onWrite: () => wake() })
  const world = await storeWith(zones, store)
  const current = settings(`
    nameservers = ["ns1.operator.test", "ns2.operator.test"]
    dns_listen = ["127.0.0.1:0"]
    tsig_key_file = "${keyFile()}"
    secondaries = ["ns1=127.0.0.1:${ports[0]} key ns1-key", "ns2=127.0.0.1:${ports[1]} key ns2-key"]`)
  const [logged, failures, stopping]: [string[], string[], AbortController] = [[], [], new AbortController()]
  const started = await startPublishing({
    store,
    current: () => current,
    pepper: pepperOf(new Uint8Array(32)),
    inTurn: async (_, work) => ({ value: await work() }),
    audit: () => undefined,
    tls: undefined,
    ending: stopping.signal,
    log: (_, msg, details) => void logged.push(details?.line ?? msg),
    reportFailure: (what, error) => void failures.push(`${what}: ${(error as Error).message}`),
    metrics: {
      flushed: () => undefined,
      answeredDns: () => undefined,
      limitedDns: () => undefined,
      raised: () => undefined,
    },
  })
  if (!started.ok) throw new Error(started.error.messages.join())
  wake = started.value.wake
  const [port = 0] = started.value.listeners.map((one) => one.port)
  // Before the store closes.
  onTestFinished(async () => {
    stopping.abort()
    await started.value.close()
  })
  return { ...world, port, logged, failures, publishing: started.value }
}
