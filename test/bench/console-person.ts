import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Filled } from './fill.ts'
import type { BenchService } from './service.ts'

/** The settings of a service with a console, on loopback. */
export const WITH_CONSOLE = ['--console', 'http://localhost', '--key-request-limit', '1000000'] as const

export interface Answer {
  /** In milliseconds, until its end. */
  readonly ms: number
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Someone who asks over one connection that stays. */
export interface Asker {
  readonly get: (path: string) => Promise<Answer>
  readonly end: () => void
}

interface Asked {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

async function askOnce(
  agent: Agent,
  url: string,
  { method = 'GET', headers, body = '' }: Asked,
): Promise<Answer> {
  const start = performance.now()
  return new Promise((done, failed) => {
    const asked = request(url, { method, agent, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const { statusCode: status = 0, headers: given } = answer
        const text = Buffer.concat(parts).toString()
        if (status < 400) done({ ms: performance.now() - start, status, headers: given, text })
        else failed(new Error(`${method} ${url}: ${status} ${text.slice(0, 500)}`))
      })
    })
    asked
      // Not once: the end of the connection may come after that of the request.
      .on('error', (error: NodeJS.ErrnoException) =>
        failed(asked.reusedSocket && error.code === 'ECONNRESET' ? new ClosedConnection() : error),
      )
      .end(body)
  })
}

/** The service closes a connection that was not used for some seconds, perhaps just when it is used again. */
class ClosedConnection extends Error {}

async function ask(...asked: Parameters<typeof askOnce>): Promise<Answer> {
  try {
    return await askOnce(...asked)
  } catch (error) {
    if (error instanceof ClosedConnection) return askOnce(...asked)
    throw error
  }
}

const askerWith = (url: string, agent: Agent, headers: Readonly<Record<string, string>>): Asker => ({
  get: async (path) => ask(agent, `${url}${path}`, { headers }),
  end: () => agent.destroy(),
})

const newAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

/** A program with the API key. */
export const programOf = ({ url }: BenchService, { apiKey }: Filled): Asker =>
  askerWith(url, newAgent(), { authorization: `Bearer ${apiKey}` })

/** A person who has signed in at the console. */
export async function personOf({ url }: BenchService, { apiKey }: Filled): Promise<Asker> {
  const agent = newAgent()
  const { headers } = await ask(agent, `${url}/console/sign-in`, {
    method: 'POST',
    headers: {
      origin: url,
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Mozilla/5.0',
    },
    body: new URLSearchParams({ key: apiKey }).toString(),
  })
  const [cookie] = headers['set-cookie']?.[0]?.split(';') ?? []
  if (cookie === undefined) throw new Error('the console did not let a person sign in')
  const { get, end } = askerWith(url, agent, { cookie })
  return {
    end,
    get: async (path) => {
      const answer = await get(`/console/${path}`)
      if (answer.status !== 200) throw new Error(`/console/${path}: ${answer.status}`)
      return answer
    },
  }
}
