import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveStore, storeWith } from '../e2e/processes.ts'

/** In milliseconds, between two requests. */
const EVERY = 20

export interface Times {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const timesOf = (all: readonly number[]): Times => {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Milliseconds until the answer is there; throws unless it begins so. */
export async function timed(
  url: string,
  path: string,
  { auth, agent, expected }: { auth: string; agent: Agent | false; expected: RegExp },
): Promise<number> {
  const began = performance.now()
  const text = await new Promise<string>((done, failed) => {
    const headers = { authorization: auth, 'user-agent': 'Tester/FairTest/1.0 test@example.test' }
    request(
      `${url}${path}`,
      { agent: agent === false ? undefined : agent, headers, ...(agent === false && { agent: false }) },
      (answer) => {
        let body = ''
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .on('end', () => done(`${answer.statusCode} ${body}`))
      },
    )
      .on('error', failed)
      .end()
  })
  if (!expected.test(text)) throw new Error(text.slice(0, 200))
  return performance.now() - began
}

/** One request every 20 ms, also while earlier ones wait: for so many milliseconds, or until this has happened. */
export async function steadily(
  span: number | Promise<unknown>,
  ask: (nth: number) => Promise<number>,
): Promise<Times> {
  const all: Promise<number>[] = []
  const began = performance.now()
  let isOver = false
  const over = (): boolean => isOver
  void Promise.resolve(typeof span === 'number' ? sleep(span) : span).finally(() => (isOver = true))
  for (let nth = 0; !over(); nth++) {
    all.push(ask(nth))
    await sleep(Math.max(0, began + (nth + 1) * EVERY - performance.now()))
  }
  return timesOf(await Promise.all(all))
}

const secretIn = (printed: string | undefined): string => /[A-Za-z0-9_]{20,}/.exec(printed ?? '')?.[0] ?? ''

/** A service with three accounts, a zone each, and their API keys. */
export async function tenants(...options: readonly string[]) {
  const { folder, printed } = await storeWith(
    'plan add p max-names=100000 max-rdata=1000000 max-keys=100',
    'account add heavy p',
    'account add light p',
    'account add third p',
    'zone add heavy.test heavy',
    'zone add light.test light',
    'zone add third.test third',
    'api-key add heavy',
    'api-key add light',
    'api-key add third',
  )
  const at = await serveStore(
    folder,
    '--key-request-limit',
    '1000000',
    '--nochg-limit',
    '1000000',
    '--request-limit',
    '1000000',
    ...options,
  )
  const [heavy, light, third] = printed.slice(-3).map((one) => `Bearer ${secretIn(one)}`)
  const api = async (
    auth = '',
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> => {
    const response = await fetch(`${at.url}/v1${path}`, {
      method,
      headers: { authorization: auth, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  await api(light, 'POST', '/dns/records/light.test', { name: 'home' })
  const { data } = (await api(light, 'POST', '/account/ddns-keys', {
    description: '',
    hostnames: ['home.light.test'],
  })) as unknown as { data: { username: string; password: string } }
  const auth = `Basic ${Buffer.from(`${data.username}:${data.password}`).toString('base64')}`
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let address = 0
  /** By the account "light", by kept connections or new ones. */
  const updates = async (isKept: boolean, span: number | Promise<unknown>): Promise<Times> =>
    steadily(span, async () => {
      address++
      const path = `/nic/update?hostname=home.light.test&myip=203.0.${(address >> 8) & 255}.${address & 255}`
      return timed(at.url, path, { auth, agent: isKept ? agent : false, expected: /^200 good/ })
    })
  return { folder, at, agent, heavy: heavy ?? '', light: light ?? '', third: third ?? '', api, updates }
}
