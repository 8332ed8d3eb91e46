import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listenForDns } from '../../../../src/shared/platform/sockets/dns-listener.ts'
import type { DnsHandler, DnsListener, DnsMessage } from '../../../../src/shared/ports/dns-listener.ts'
import { certificate } from '../../../e2e/servers.ts'
import { eventually } from '../../../eventually.ts'

const HOST = '127.0.0.1'
const open: DnsListener[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(open.splice(0).map(async (one) => one.close()))
})
const listen = async (handler: DnsHandler, host = HOST): Promise<number> => {
  const listener = await listenForDns({ host, port: 0 }, handler)
  open.push(listener)
  return listener.port
}
/** Answers with the same octets. */
const echo: DnsHandler = async ({ bytes }, send) => send(bytes)

const connected = async (port: number, host = HOST): Promise<Socket> => {
  const socket = connect({ port, host })
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}
const framed = (text: string | Buffer): Buffer => {
  const octets = Buffer.from(text)
  return Buffer.concat([Buffer.from([octets.length >> 8, octets.length & 255]), octets])
}
/** The next messages of a connection; fewer if it ends before. */
async function take(socket: Socket, count: number): Promise<readonly string[]> {
  const messages: string[] = []
  let buffer = Buffer.alloc(0)
  return new Promise((resolve) => {
    const onData = (chunk: Buffer): void => {
      buffer = Buffer.concat([buffer, chunk])
      while (buffer.length >= 2 && buffer.length >= 2 + buffer.readUInt16BE(0)) {
        messages.push(buffer.toString('latin1', 2, 2 + buffer.readUInt16BE(0)))
        buffer = buffer.subarray(2 + buffer.readUInt16BE(0))
      }
      if (messages.length >= count) done()
    }
    const done = (): void => {
      socket.off('data', onData)
      resolve(messages)
    }
    socket.on('data', onData)
    socket.once('close', done)
  })
}
async function askByDatagram(port: number, text: string, host = HOST): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const answer = once(socket, 'message') as Promise<[Buffer]>
  socket.send(text, port, host)
  const [octets] = await answer
  socket.close()
  return octets.toString()
}

describe('a listener for DNS', () => {
  it.each([HOST, '::1'])('answers by UDP and TCP on one port of %s', async (host) => {
    const seen: DnsMessage[] = []
    const port = await listen(async (message, send) => {
      seen.push(message)
      await send(message.bytes)
    }, host)
    const socket = await connected(port, host)
    socket.write(framed('by tcp'))

    expect(await take(socket, 1)).toEqual(['by tcp'])
    expect(await askByDatagram(port, 'by udp', host)).toBe('by udp')
    expect(seen.map(({ peer, isDatagram }) => [peer, isDatagram])).toEqual([
      [host, false],
      [host, true],
    ])
  })

  it('rejects a port that is taken for one of both', async () => {
    const taken = createSocket('udp4')
    await new Promise<void>((done) => taken.bind(0, HOST, done))
    const { port } = taken.address()
    await expect(listenForDns({ host: HOST, port }, echo)).rejects.toThrow('EADDRINUSE')
    taken.close()
    const socket = connect({ port, host: HOST })
    expect((await once(socket, 'error')).map((error: NodeJS.ErrnoException) => error.code)).toEqual([
      'ECONNREFUSED',
    ])
  })

  it('closes its connections, and is gone', async () => {
    const port = await listen(echo)
    const socket = await connected(port)
    const closed = once(socket, 'close')
    await open.splice(0)[0]?.close()
    await closed
    const again = connect({ port, host: HOST })
    expect((await once(again, 'error')).map((error: NodeJS.ErrnoException) => error.code)).toEqual([
      'ECONNREFUSED',
    ])
  })
})

describe('a connection', () => {
  it('has the answers to pipelined requests in their order', async () => {
    let running = 0
    const port = await listen(async ({ bytes }, send) => {
      expect(++running).toBe(1)
      await new Promise((done) => setTimeout(done, bytes[0] === 0x31 ? 20 : 0))
      await send(bytes)
      await send(Buffer.from(`${Buffer.from(bytes).toString()}, more`))
      running--
    })
    const socket = await connected(port)
    socket.write(Buffer.concat(['1', '2', '3'].map(framed)))
    expect(await take(socket, 6)).toEqual(['1', '1, more', '2', '2, more', '3', '3, more'])
  })

  it('may send its messages octet by octet', async () => {
    const socket = await connected(await listen(echo))
    socket.setNoDelay(true)
    const answers = take(socket, 2)
    for (const octet of Buffer.concat([framed('first'), framed('second')])) {
      socket.write(Buffer.from([octet]))
      await new Promise(setImmediate)
    }
    expect(await answers).toEqual(['first', 'second'])
  })

  it('may send messages of any length', async () => {
    const seen: number[] = []
    const port = await listen(async ({ bytes }, send) => {
      seen.push(bytes.length)
      await send(Buffer.from('ok'))
    })
    const socket = await connected(port)
    socket.write(Buffer.concat([framed(''), framed(Buffer.alloc(65_535)), framed('x')]))
    await take(socket, 3)
    expect(seen).toEqual([0, 65_535, 1])
  })

  it('takes what is longer than announced for the next message', async () => {
    const socket = await connected(await listen(echo))
    socket.write(Buffer.from([0, 2, 0x61, 0x62, 0, 1, 0x63, 0x64]))
    expect(await take(socket, 2)).toEqual(['ab', 'c'])
  })

  it('that ends within a message has no answer to it', async () => {
    const seen: number[] = []
    const port = await listen(async ({ bytes }) => void seen.push(bytes.length))
    const socket = await connected(port)
    const closed = once(socket, 'close')
    socket.end(framed('whole').subarray(0, -1))
    socket.resume()
    await closed
    expect(seen).toEqual([])
  })

  it('that sends nothing more still has its answer', async () => {
    const port = await listen(async ({ bytes }, send) => {
      await new Promise((done) => setTimeout(done, 20))
      await send(bytes)
    })
    const socket = await connected(port)
    socket.end(framed('last'))
    expect(await take(socket, 1)).toEqual(['last'])
  })

  it('is closed if its handler fails', async () => {
    const port = await listen(async () => {
      throw new Error('broken')
    })
    const socket = await connected(port)
    socket.write(framed('x'))
    expect(await take(socket, 1)).toEqual([])
  })

  it('with an answer of many messages leaves a turn to others after each', async () => {
    let [turns, isOver] = [0, false]
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    const port = await listen(async (_, send) => {
      setImmediate(count)
      for (let n = 0; n < 100; n++) await send(Buffer.from('x'))
      isOver = true
    })
    const socket = await connected(port)
    socket.write(framed('all'))
    expect(await take(socket, 100)).toHaveLength(100)
    expect(turns).toBeGreaterThan(50)
  })

  it('that takes nothing is cut after a minute, and holds nothing up before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let sent = 0
      let failure: unknown
      let fail = (): void => undefined
      const failed = new Promise<void>((done) => (fail = done))
      const port = await listen(async (_, send) => {
        const large = Buffer.alloc(60_000)
        try {
          for (; sent < 1000; sent++) await send(large)
        } catch (error) {
          failure = error
          fail()
          throw error
        }
      })
      const slow = await connected(port)
      slow.pause()
      slow.write(framed('all'))
      const seen: number[] = []
      // Until the buffers of the system are full.
      while (seen.length < 3 || seen.at(-3) !== seen.at(-1) || seen.at(-1) === 0) {
        await pause(20)
        seen.push(sent)
      }
      expect(sent).toBeLessThan(1000)
      const other = await connected(port)
      other.destroy()
      await vi.advanceTimersByTimeAsync(59_999)
      expect(failure).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      await failed
      expect(failure).toMatchObject({ message: 'the peer takes no more' })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('that is closed ends what is written to it', async () => {
    let failure: unknown
    const port = await listen(async (_, send) => {
      try {
        for (;;) await send(Buffer.alloc(60_000))
      } catch (error) {
        failure = error
        throw error
      }
    })
    const socket = await connected(port)
    socket.pause()
    socket.write(framed('all'))
    await pause(50)
    socket.destroy()
    await eventually(() => failure).toBeInstanceOf(Error)
  })

  it('is closed when it is idle, but not while a request waits for its answer', async () => {
    // The timers of sockets cannot be faked: these only say that they were set, and the test says when they are over.
    const accepted: Socket[] = []
    const timers = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket) {
      if (!accepted.includes(this)) accepted.push(this)
      return this
    })
    onTestFinished(() => timers.mockRestore())
    let answer = (): void => undefined
    let isAsked = false
    const port = await listen(async ({ bytes }, send) => {
      isAsked = true
      await new Promise<void>((done) => (answer = done))
      await send(bytes)
    })
    const busy = await connected(port)
    busy.write(framed('slow'))
    await eventually(() => isAsked).toBe(true)
    const idle = await connected(port)
    await eventually(() => accepted.length).toBe(2)
    expect(timers.mock.calls.map(([time]) => time)).toEqual([30_000, 30_000])
    for (const socket of accepted) socket.emit('timeout')
    await once(idle, 'close')
    answer()
    expect(await take(busy, 1)).toEqual(['slow'])
    expect(busy.closed).toBe(false)
    // The answer may be here before the request is over there.
    await eventually(() => {
      accepted[0]?.emit('timeout')
      return busy.closed
    }).toBe(true)
  })

  it('is closed ten seconds after the first octet of a request that is not whole', async () => {
    const port = await listen(echo)
    const whole = await connected(port)
    const slow = await connected(port)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const message = framed('one octet at a time')
    whole.write(message)
    expect(await take(whole, 1)).toEqual(['one octet at a time'])
    slow.write(message.subarray(0, 1))
    await pause(50)
    vi.advanceTimersByTime(9000)
    slow.write(message.subarray(1, 2))
    await pause(50)
    expect(slow.closed).toBe(false)
    vi.advanceTimersByTime(1000)
    await once(slow, 'close')
    whole.write(message)
    expect(await take(whole, 1)).toEqual(['one octet at a time'])
  })

  it('finds its place although 1,000 idle ones are open', async () => {
    const port = await listen(echo)
    for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 50 }, async () => connected(port)))
    const socket = await connected(port)
    socket.write(framed('there'))
    expect(await take(socket, 1)).toEqual(['there'])
    const [first, last] = [sockets[0], sockets.at(-2)]
    await eventually(() => first?.closed).toBe(true)
    last?.write(framed('too'))
    expect(last === undefined ? [] : await take(last, 1)).toEqual(['too'])
  })

  it('with a request is not closed for a new one', async () => {
    let answer = (): void => undefined
    const port = await listen(async ({ bytes }, send) => {
      if (bytes.length === 4) await new Promise<void>((resolve) => (answer = resolve))
      await send(bytes)
    })
    const busy = await connected(port)
    busy.write(framed('busy'))
    await eventually(() => answer.length).toBe(1)
    await Promise.all(Array.from({ length: 120 }, async () => connected(port)))
    await new Promise((done) => setTimeout(done, 50))
    answer()
    expect(await take(busy, 1)).toEqual(['busy'])
  })
})

describe('a connection by TLS', () => {
  const listenSecurely = async (): Promise<number> => {
    const pem = certificate('DNS:localhost')
    const tls = { cert: readFileSync(pem.cert, 'utf8'), key: readFileSync(pem.key, 'utf8') }
    const listener = await listenForDns({ host: HOST, port: 0, tls }, echo)
    open.push(listener)
    return listener.port
  }
  const asked = async (port: number): Promise<readonly string[]> => {
    const socket = connectTls({ port, host: HOST, rejectUnauthorized: false })
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    socket.write(framed('there'))
    return take(socket, 1)
  }

  it('finds its place although 300 came and went without a handshake', async () => {
    const port = await listenSecurely()
    for (let n = 0; n < 300; n++) (await connected(port)).end()
    expect(await asked(port)).toEqual(['there'])
  })

  it('without a handshake is cut after ten seconds, and one with a handshake is not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const port = await listenSecurely()
    const [silent, half] = [await connected(port), await connected(port)]
    half.write(Buffer.from([22, 3, 1, 2, 0, 1]))
    const served = connectTls({ port, host: HOST, rejectUnauthorized: false })
    sockets.push(served)
    await once(served, 'secureConnect')
    vi.advanceTimersByTime(9999)
    await pause(50)
    expect([silent.closed, half.closed]).toEqual([false, false])
    vi.advanceTimersByTime(1)
    await Promise.all([once(silent, 'close'), once(half, 'close')])
    served.write(framed('still'))
    expect(await take(served, 1)).toEqual(['still'])
  })

  it('that never shook hands does not keep the listener from its end', async () => {
    const port = await listenSecurely()
    ;(await connected(port)).end()
    await connected(port)
    await pause(50)
    const [listener] = open.splice(-1)
    await listener?.close()
  })
})
