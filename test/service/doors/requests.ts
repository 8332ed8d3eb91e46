import { connect } from 'node:net'
import { parseResponse } from '../../../src/shared/dns/response.ts'
import { signTsig, TSIG_ERRORS, type TsigKey } from '../../../src/shared/dns/tsig.ts'
import { RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { encodeUpdate, recordAddition, rrsetDeletion } from '../../../src/shared/dns/update.ts'
import { systemClock } from '../../../src/shared/platform/clock/clock.ts'
import { type DoorsWorld, ZONE } from './world.ts'

/** What a request brings: credentials of its header, or the cookie of a session. */
export interface Given {
  readonly authorization?: string
  readonly cookie?: string
}

/** The value that a request stores where it may. */
export const NEXT_ADDRESS = '192.0.2.77'

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

export async function sendUpdate(
  { url }: Pick<DoorsWorld, 'url'>,
  given: Given,
  myip = NEXT_ADDRESS,
  more = '',
): Promise<{ readonly word: string; readonly reply: readonly unknown[] }> {
  const response = await fetch(`${url}/nic/update?hostname=home.${ZONE}&myip=${myip}${more}`, {
    headers: { 'user-agent': 'Acme test/1-1 me@example.test', ...given },
  })
  const body = await response.text()
  const { date: _, ...headers } = Object.fromEntries(response.headers)
  return { word: body.split(/\s/)[0] ?? '', reply: [response.status, body, headers] }
}

interface ApiAsked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** The status, and of a refusal the code and the title. */
export async function sendApi(
  { url }: Pick<DoorsWorld, 'url'>,
  given: Given,
  { method, path, body }: ApiAsked,
): Promise<{ readonly status: number; readonly code: string; readonly title: string }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...given, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as {
    readonly errors?: readonly { readonly code: string; readonly title: string }[]
  }
  const [error] = answer.errors ?? []
  return { status: response.status, code: error?.code ?? '', title: error?.title ?? '' }
}

const nameOf = (table: Readonly<Record<string, number>>, value: number | undefined): string =>
  Object.entries(table).find(([, one]) => one === value)?.[0] ?? String(value)

let lastId = 0

/** The RCODE of an UPDATE by TCP that replaces the address of home, and the error of its TSIG record. */
export async function sendDnsUpdate(world: DoorsWorld, key: TsigKey): Promise<string> {
  const home = `home.${ZONE}`
  const rdata = Uint8Array.from(NEXT_ADDRESS.split('.').map(Number))
  const plain = encodeUpdate(++lastId, ZONE, {
    prerequisites: [],
    updates: [
      rrsetDeletion(home, RR_TYPES.A),
      recordAddition({ name: home, type: RR_TYPES.A, ttl: 60, rdata }),
    ],
  })
  const { message } = signTsig(plain, key, { now: Math.floor(systemClock.now() / 1000) })
  const response = parseResponse(await exchanged(await world.dnsPort(), message))
  const fault = response?.tsig?.error ?? 0
  const rcode = nameOf(RCODES, response?.rcode)
  return fault === 0 ? rcode : `${rcode} ${nameOf(TSIG_ERRORS, fault)}`
}

/** One message by TCP, with its length in front (RFC 1035 §4.2.2). */
async function exchanged(port: number, message: Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  socket.write(Buffer.concat([length, message]))
  let got = Buffer.alloc(0)
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      got = Buffer.concat([got, chunk])
      if (got.length >= 2 && got.length >= 2 + got.readUInt16BE(0))
        return got.subarray(2, 2 + got.readUInt16BE(0))
    }
    throw new Error('the connection was closed without an answer')
  } finally {
    socket.destroy()
  }
}
