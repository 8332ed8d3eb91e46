import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../../src/service/store/postgres/connection.ts'
import { StoreAway } from '../../../../src/service/store/errors.ts'
import { freePort } from '../../../free-port.ts'
import { placeAt, type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

const lacking = whyNoPostgres()
const hostAt = (port: number) => ({ host: '127.0.0.1', port })

describe.skipIf(lacking !== undefined)('of several hosts of a database', () => {
  let [behind, primary]: Postgres[] = []
  let closed = 0
  beforeAll(async () => {
    ;[behind, primary] = [await startPostgres(), await startPostgres()]
    await primary.query('CREATE DATABASE fresh')
    closed = await freePort()
  })
  afterAll(async () => {
    await behind?.stop()
    await primary?.stop()
  })
  const connected = async (...ports: readonly (number | undefined)[]) => {
    const hosts = ports.map((port) => hostAt(port ?? 0))
    const { client } = await connect({ ...placeAt(0, 'fresh'), hosts })
    await client.end()
    return client.port
  }

  it('the first that can be used is used: others are away, or behind', async () => {
    expect(await connected(closed, behind?.port, primary?.port)).toBe(primary?.port)
  })

  it('an old primary is not used while the new one says nothing, and both are named', async () => {
    const silent = createServer()
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as { readonly port: number }
    const hosts = [hostAt(primary?.port ?? 0), hostAt(port)]
    const told: string[] = []
    const place = {
      ...placeAt(0, 'fresh'),
      hosts,
      wait: 1000,
      onOldPrimary: (host: string) => told.push(host),
    }
    await expect(connect(place, { timeline: 2 })).rejects.toThrow(StoreAway)
    await expect(connect(place, { timeline: 2 })).rejects.toThrow(
      /timeline 1 of 2; 127\.0\.0\.1:\d+: .*timeout/,
    )
    expect(new Set(told)).toEqual(new Set([`127.0.0.1:${primary?.port}`]))
    // Before a failover, the connection does not wait for the timeout of the silent host.
    const began = performance.now()
    const { client } = await connect({ ...place, wait: 60_000 })
    expect(performance.now() - began).toBeLessThan(30_000)
    await client.end()
    silent.close()
  })

  it('none is an outage if one of them is away, and a mistake if each says the same', async () => {
    await expect(connected(behind?.port, closed)).rejects.toThrow(StoreAway)
    await expect(connected(behind?.port, closed)).rejects.toThrow(
      /"fresh" does not exist; 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    )
    await expect(connected(behind?.port)).rejects.toMatchObject({ code: '3D000' })
  })
})
