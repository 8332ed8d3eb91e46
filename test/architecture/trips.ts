/** Which files run for one update, and for one request to the service: the coverage of V8 between two moments. */
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SRC } from './sources.ts'

export interface Trip {
  readonly name: string
  /** Files of which a function ran, not counting what it runs while it loads. */
  readonly files: readonly string[]
  readonly functions: number
}

/** Counts what runs, from one call of `ran` to the next. */
async function counting(): Promise<(name: string) => Promise<Trip>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return async (name) => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ran = result.flatMap(({ url, functions }) => {
      if (!url.startsWith('file:')) return []
      const path = relative(SRC, fileURLToPath(url))
      if (path.startsWith('..')) return []
      const called = functions.filter(
        ({ functionName, ranges }) =>
          (ranges[0]?.count ?? 0) > 0 && (functionName !== '' || (ranges[0]?.startOffset ?? 0) > 0),
      )
      return called.length > 0 ? [{ path, functions: called.length }] : []
    })
    return {
      name,
      files: ran.map(({ path }) => path).toSorted(),
      functions: ran.reduce((sum, one) => sum + one.functions, 0),
    }
  }
}

/** `holdfast update` with a given address, at a service that answers `good`. */
export async function updateTrip(): Promise<Trip> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trip-'))
  const server = createServer((_, response) => response.end('good 192.0.2.1'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  writeFileSync(join(folder, 'password'), 'a password', { mode: 0o600 })
  const ran = await counting()
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = () => true
  try {
    const { main } = await import('../../src/main.ts')
    const code = await main([
      'update',
      `--server=http://127.0.0.1:${port}`,
      '--username=key',
      `--password-file=${join(folder, 'password')}`,
      '--hostname=home.example.org',
      '--myip=192.0.2.1',
      '--allow=documentation',
      '--no-verify',
      `--state-dir=${join(folder, 'state')}`,
    ])
    if (code !== 0) throw new Error(`the update ended with ${code}`)
    return await ran('`holdfast update`, with a given address')
  } finally {
    process.stdout.write = write
    server.close()
    rmSync(folder, { recursive: true })
  }
}

/** One request each, at a service that has answered the same one before. */
export async function serviceTrips(): Promise<readonly Trip[]> {
  const { startService } = await import('../../src/service/program/start.ts')
  const { readServiceConfig } = await import('../../src/service/settings/read-service.ts')
  const flag = (value: string) => ({ value, where: '' })
  const settings = readServiceConfig({
    flags: { listen: flag('127.0.0.1:0'), nameservers: flag('ns1.operator.test') },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const ending = new AbortController()
  const started = await startService(settings.value, {
    isDev: true,
    mayMake: true,
    faults: undefined,
    log: () => undefined,
    stopping: ending.signal,
    ending: ending.signal,
  })
  if (!started.ok) throw new Error(started.error.messages.join())
  const { listeners, publishing, store, idle, dev } = started.value
  const url = listeners[0]?.url ?? ''
  if (dev === undefined) throw new Error('no credentials were made')
  const basic = `Basic ${Buffer.from(`${dev.username}:${dev.password}`).toString('base64')}`
  const agent = { 'user-agent': 'Example/Trip-1.0 example@example.org' }
  const update = async (address: string) =>
    fetch(`${url}/nic/update?hostname=home.example.test&myip=${address}`, {
      headers: { ...agent, authorization: basic },
    })
  const api = async (method: string, body?: object) =>
    fetch(`${url}/v1/dns/records/example.test/office/rrsets/TXT`, {
      method,
      headers: { ...agent, authorization: `Bearer ${dev.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const put = async (text: string) => api('PUT', { rdata: [{ value: `"${text}"` }] })
  const requests: readonly (readonly [string, (n: number) => Promise<Response>])[] = [
    ['`/nic/update`', async (n) => update(`192.0.2.${n}`)],
    ['`PUT` of an RRset', async (n) => put(`text ${n}`)],
    ['`GET` of an RRset', async () => api('GET')],
  ]
  const ran = await counting()
  const trips: Trip[] = []
  for (const [name, request] of requests) {
    for (const n of [1, 2]) {
      await ran('before')
      const response = await request(n)
      const text = await response.text()
      if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`)
    }
    trips.push(await ran(name))
    // Publishing happens after the request and is not counted.
    await new Promise<void>((resolve) => void setTimeout(resolve, 1500))
  }
  ending.abort()
  for (const listener of listeners) await listener.close(0)
  await idle()
  await publishing.close()
  await store.close()
  return trips
}
