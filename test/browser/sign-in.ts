import { request } from 'node:http'

interface Sent {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Default: what the system chooses. */
  readonly localAddress?: string
}

/** fetch would refuse some of these User-Agents. */
export const send = async (url: string, { method = 'GET', headers, body = '', localAddress }: Sent) =>
  new Promise<{ readonly text: string; readonly cookie: string }>((done, failed) => {
    const asked = request(url, { method, headers, localAddress }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      const [cookie = ''] = answer.headers['set-cookie'] ?? []
      answer.on('end', () => done({ text: Buffer.concat(parts).toString(), cookie }))
    })
    // A string would take the headers into its own encoding.
    asked.once('error', failed).end(Buffer.from(body))
  })

/** The secret of a session that a program with this name opens; it has nothing but what browsers send. */
export async function signIn(
  url: string,
  form: Readonly<Record<string, string>>,
  agent: string,
): Promise<string> {
  const { cookie } = await send(`${url}/console/sign-in`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': agent },
    body: new URLSearchParams(form).toString(),
  })
  const [, secret] = /^holdfast=([\w-]+)/.exec(cookie) ?? []
  if (secret === undefined) throw new Error(`${agent}: not signed in`)
  return secret
}
