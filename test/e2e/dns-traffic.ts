import { decode } from 'dns-packet'
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { parseResponse } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { wire } from '../shared/dns/wire.ts'
import { PATIENCE } from '../eventually.ts'
import { cpuTime } from '../lab/cpu.ts'
import type { Service } from './processes.ts'

/** Messages to a service of another process, and what comes back. */

const HOST = '127.0.0.1'
/** In octets: an answer by UDP is not larger (the limit of fragments). */
const MAX_DATAGRAM = 1232
const HEADER = 12
export const PLAIN = { name: 'home.example.test', type: RR_TYPES.A } as const

/** What is wrong with an answer; undefined if nothing is. */
export function faultOf(sent: Buffer | undefined, answer: Buffer, isDatagram: boolean): string | undefined {
  const pair = `${sent?.toString('hex')} answered ${answer.toString('hex')}`
  if (sent === undefined) return `an answer to nothing: ${pair}`
  if (sent.length < HEADER || ((sent[2] ?? 0) & 0x80) !== 0) return `an answer to what is no request: ${pair}`
  if (isDatagram && answer.length > MAX_DATAGRAM) return `${answer.length} octets by UDP: ${pair}`
  if (((answer[2] ?? 0) & 0x80) === 0) return `no response: ${pair}`
  // FORMERR to what cannot be parsed is a header alone.
  const isHeader = answer.length === HEADER && ((answer[3] ?? 0) & 15) === 1
  if (!isHeader && parseResponse(answer) === undefined) return `not parsed: ${pair}`
  try {
    decode(answer)
    return undefined
  } catch (error) {
    return `not parsed by dns-packet (${String(error)}): ${pair}`
  }
}

export const portOf = ({ dns }: Pick<Service, 'dns'>): number => Number(dns.split(':').at(-1))

/** A socket with a source address of loopback. */
export async function datagramSocket(address = HOST): Promise<DatagramSocket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 })
  await new Promise<void>((done) => socket.bind(0, address, done))
  onTestFinished(() => {
    try {
      socket.close()
    } catch {
      // The test has closed it.
    }
  })
  return socket
}

export async function connected(port: number, localAddress = HOST): Promise<Socket> {
  const socket = connect({ port, host: HOST, localAddress })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

export const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])

/** Calls back for each message of a stream. */
export function onMessages(socket: Socket, act: (message: Buffer) => void): void {
  let buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    while (buffer.length >= 2 && buffer.length >= 2 + buffer.readUInt16BE(0)) {
      act(buffer.subarray(2, 2 + buffer.readUInt16BE(0)))
      buffer = buffer.subarray(2 + buffer.readUInt16BE(0))
    }
  })
}

/** The answers on one connection up to the last one, or until the connection ends. */
export async function streamed(
  socket: Socket,
  bytes: Buffer,
  isLast: (answer: Buffer) => boolean,
): Promise<readonly Buffer[]> {
  const found: Buffer[] = []
  const over = new AbortController()
  onMessages(socket, (message) => {
    found.push(message)
    if (isLast(message)) over.abort()
  })
  socket.once('close', () => over.abort())
  socket.write(bytes)
  await sleep(PATIENCE, undefined, { signal: over.signal }).catch(() => undefined)
  return found
}

/** Whether a plain question has an address as its answer, by both protocols. */
export async function isAnswering(at: Pick<Service, 'dns'>): Promise<boolean> {
  const socket = await connected(portOf(at))
  const [stream] = await streamed(socket, framed(wire(PLAIN)), () => true)
  socket.destroy()
  const datagrams = await datagramSocket()
  const answer = once(datagrams, 'message') as Promise<[Buffer]>
  let datagram: Buffer | undefined
  // After a flood the queue of the system may be full, and a datagram is lost: a resolver asks again, too.
  for (let tries = 0; tries < 200 && datagram === undefined; tries++) {
    datagrams.send(wire(PLAIN), portOf(at), HOST)
    datagram = (await Promise.race([answer, sleep(1000).then(() => [undefined])]))[0]
  }
  datagrams.close()
  return [stream, datagram].every(
    (bytes) => bytes !== undefined && parseResponse(bytes)?.answers.length === 1,
  )
}

/** In MiB. */
export function memoryOf({ child }: Pick<Service, 'child'>): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** Updates of one name, one after the other, until stopped: what the service worked until it had answered each. */
export function updating({ url, username, password, child: { pid = 0 } }: Service): {
  readonly stop: () => Promise<Pace>
} {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const headers = { authorization, 'user-agent': 'Acme test/1-1 me@example.test' }
  const works: number[] = []
  const over = new AbortController()
  const running = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const before = cpuTime(pid)
      const address = `192.0.${2 + ((n >> 7) & 1)}.${n & 127}`
      const response = await fetch(`${url}/nic/update?hostname=home.example.test&myip=${address}`, {
        headers,
      })
      const text = await response.text()
      if (!text.startsWith('good')) throw new Error(`not updated: ${text}`)
      works.push(cpuTime(pid) - before)
      await sleep(20)
    }
  })()
  running.catch(() => undefined)
  return {
    stop: async () => {
      over.abort()
      await running
      const sorted = works.toSorted((a, b) => a - b)
      return { count: sorted.length, p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN }
    },
  }
}

/** For `/nic/update`, in milliseconds of CPU time of the service: what it does for others before it answers. */
export const MAX_P95 = 500

/** In MiB, of the whole service: about 100 after its start, 300 after a flood, and not more after another one. */
export const MAX_MEMORY = 448

export interface Pace {
  readonly count: number
  /** In milliseconds of CPU time. */
  readonly p95: number
}
