import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../../src/server/store/postgres/connection.ts'
import { StoreAway } from '../../../../src/server/store/errors.ts'
import { freePort, placeAt, type Postgres, startPostgres, whyNoPostgres } from '../../../lab/postgres.ts'

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

  it('none is an outage if one of them is away, and a mistake if each says the same', async () => {
    await expect(connected(behind?.port, closed)).rejects.toThrow(StoreAway)
    await expect(connected(behind?.port, closed)).rejects.toThrow(
      /"fresh" does not exist; 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    )
    await expect(connected(behind?.port)).rejects.toMatchObject({ code: '3D000' })
  })
})
