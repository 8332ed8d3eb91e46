import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signTsig, type TsigKey } from '../../../../src/shared/dns/tsig.ts'
import { RR_TYPES } from '../../../../src/shared/dns/types.ts'
import { u16, wire } from '../../../shared/dns/wire.ts'
import { eventually } from '../../../eventually.ts'
import { rcodeOf, recordsIn } from '../../publish/secondary.ts'
import { NOW, type World } from '../../publish/zones.ts'
import { KEYS, publishing } from '../../publish/stage.ts'

const ZONE = 'large.test'
/** More than the buffers of a connection take: a peer that reads nothing stops the transfer. */
const NAMES = 260
const VALUE = randomBytes(24_000).toString('hex')
const large = Object.fromEntries(
  Array.from({ length: NAMES }, (_, n) => [
    `n${n}`,
    [`300 TXT ${VALUE.replaceAll(/.{250}/g, '"$&" ').trim()}`],
  ]),
)

/** A connection with one request for a zone. */
function asked(port: number, key: TsigKey, name = ZONE): Socket {
  const { message } = signTsig(wire({ type: RR_TYPES.AXFR, name }), key, {
    now: Math.floor(Date.now() / 1000),
  })
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(Buffer.concat([u16(message.length), message]))
  return socket
}

/** The messages until the connection closes, or until they contain the SOA for the second time. */
async function fetched(socket: Socket): Promise<readonly Buffer[]> {
  let buffer = Buffer.alloc(0)
  const messages: Buffer[] = []
  let [read, soas, hasFailed] = [0, 0, false]
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    buffer = Buffer.concat([buffer, chunk])
    for (; buffer.length >= 2 && buffer.length >= 2 + buffer.readUInt16BE(0); ) {
      messages.push(buffer.subarray(2, 2 + buffer.readUInt16BE(0)))
      buffer = buffer.subarray(2 + buffer.readUInt16BE(0))
    }
    for (const one of messages.slice(read)) {
      soas += recordsIn([one]).filter((row) => row.includes(' SOA ')).length
      hasFailed ||= rcodeOf(one) !== 'NOERROR'
    }
    read = messages.length
    if (soas > 1 || hasFailed) break
  }
  return messages
}

const settled = async ({ store }: Pick<World, 'store'>): Promise<void> =>
  eventually(async () => store.read(async (r) => r.hasDirtyNames())).toBe(false)

/** The one value of the rows that are addresses: a state in the middle has two. */
const addressesIn = (rows: readonly string[]) =>
  new Set(rows.flatMap((row) => / A (\S+)$/.exec(row)?.[1] ?? []))

describe('transfers', () => {
  it('by several secondaries while the zone changes have each one state, with its serial', async () => {
    const names = Array.from({ length: 300 }, (_, n) => `n${n}`)
    const world = await publishing({
      [ZONE]: Object.fromEntries(names.map((name) => [name, ['300 A 192.0.2.1']])),
    })
    await settled(world)
    const states = new Map([[await world.serial(ZONE), '192.0.2.1']])
    const transfers: Promise<readonly Buffer[]>[] = []
    for (let octet = 2; octet < 7; octet++) {
      for (const key of KEYS) transfers.push(fetched(asked(world.port, key)))
      await world.store.write(async (w) => {
        for (const name of names) {
          const [found] = await w.namesByFqdn(`${name}.${ZONE}`)
          const [rdata] = found?.rdata ?? []
          if (found !== undefined && rdata !== undefined)
            await w.setValue(found, { rdataId: rdata.id, value: `192.0.2.${octet}` }, NOW)
        }
      })
      await settled(world)
      states.set(await world.serial(ZONE), `192.0.2.${octet}`)
    }
    for (const messages of await Promise.all(transfers)) {
      const rows = recordsIn(messages)
      const serials = new Set(rows.flatMap((row) => / SOA (\d+)$/.exec(row)?.[1] ?? []))
      expect([serials.size, rows.length]).toEqual([1, names.length + 4])
      expect([...addressesIn(rows)]).toEqual([states.get(Number([...serials][0]))])
    }
    expect(states.size).toBe(6)
  })

  it('that are read slowly by one secondary do not hold up another', async () => {
    const { port, store } = await publishing({ [ZONE]: large, 'small.test': {} })
    await settled({ store })
    const slow = [asked(port, KEYS[0]), asked(port, KEYS[0])]
    for (const socket of slow) {
      await new Promise((done) => socket.once('readable', done))
      socket.pause()
    }
    const third = asked(port, KEYS[0], 'small.test')
    let hasThird = false
    const waiting = fetched(third).then((messages) => {
      hasThird = true
      return messages
    })

    expect(recordsIn(await fetched(asked(port, KEYS[1], 'small.test')))).toHaveLength(4)
    expect(recordsIn(await fetched(asked(port, KEYS[1])))).toHaveLength(NAMES + 4)
    expect(hasThird).toBe(false)
    for (const socket of slow) socket.destroy()
    expect(recordsIn(await waiting)).toHaveLength(4)
    // Beside other suites the machine is slow; what is asserted is an order, and no time.
  })
})
