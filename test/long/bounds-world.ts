import { createSocket } from 'node:dgram'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Place, steadily, tenants, type Times } from './tenants.ts'

/** A service with a key for the names n0, n1, … of heavy.test, and neighbours that send updates and DNS questions. */
export async function worldOfKeys(place: Place, names: number) {
  const made = await tenants(place, '--dns-listen', '127.0.0.1:0', '--nameservers', 'ns1.operator.test')
  const { api, heavy, at } = made
  const all = Array.from({ length: names }, (_, nth) => ({
    name: `n${nth}`,
    dns_type: 'A',
    ttl: 60,
    rdata: [{ value: '192.0.2.1' }],
  }))
  // A PATCH has 500 changes.
  for (let from = 0; from < names; from += 500)
    await api(heavy, 'PATCH', '/dns/records/heavy.test', all.slice(from, from + 500))
  const { data } = (await api(heavy, 'POST', '/account/ddns-keys', {
    description: '',
    hostnames: all.map(({ name }) => `${name}.heavy.test`),
  })) as unknown as { data: { username: string; password: string } }
  const { pid } = at.child
  if (pid === undefined) throw new Error('the service has no process')
  return {
    ...made,
    pid,
    dns: at.dns,
    key: {
      username: data.username,
      auth: `Basic ${Buffer.from(`${data.username}:${data.password}`).toString('base64')}`,
    },
  }
}

/** The text of an answer, whenever it comes: one connection, and no limit of time. */
export const asked = async (url: string, path: string, auth: string): Promise<string> =>
  new Promise((done, failed) => {
    const headers = { authorization: auth, 'user-agent': 'Tester/Bounds/1.0 test@example.test' }
    request(`${url}${path}`, { agent: new Agent(), headers, maxHeaderSize: 1 << 20 }, (answer) => {
      let body = ''
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => done(body))
    })
      .on('error', failed)
      .end()
  })

/** A question for home.light.test A. */
const QUESTION = Buffer.concat([
  Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ...['home', 'light', 'test'].map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
  Buffer.from([0, 0, 1, 0, 1]),
])

/** The times of answers by DNS; one that is lost would wait for ever, so datagrams stay on the loopback. */
export async function dnsTimes(address: string, span: number | Promise<unknown>): Promise<Times> {
  const { hostname, port } = new URL(address.includes('//') ? address : `udp://${address}`)
  const socket = createSocket('udp4')
  const waiting = new Map<number, () => void>()
  socket.on('message', (message) => waiting.get(message.readUInt16BE(0))?.())
  try {
    return await steadily(span, async (nth) => {
      const began = performance.now()
      const question = Buffer.from(QUESTION)
      question.writeUInt16BE(nth & 0xffff, 0)
      await new Promise<void>((done) => {
        waiting.set(nth & 0xffff, done)
        socket.send(question, Number(port), hostname)
      })
      return performance.now() - began
    })
  } finally {
    socket.close()
  }
}

/** The times of requests that are sent at this interval, in milliseconds, until the event. */
export async function updatesEvery(
  every: number,
  until: Promise<unknown>,
  ask: (nth: number) => Promise<number>,
): Promise<Pick<Times, 'p99' | 'max'> & { readonly count: number }> {
  const all: Promise<number>[] = []
  const state = { isOver: false }
  const end = (): void => void (state.isOver = true)
  void until.then(end, end)
  for (let nth = 0; !state.isOver; nth++) {
    all.push(ask(nth))
    await sleep(every)
  }
  const sorted = (await Promise.all(all)).toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return { p99: at(0.99), max: at(1), count: sorted.length }
}
