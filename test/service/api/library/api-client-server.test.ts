import { describe, expect, it } from 'vitest'
import { API_DOCUMENT, callTable } from '../../../../.build/api-client.ts'
import { type ApiCall, apiClientMaker, each } from '../../../../src/service/api/library/api-client.ts'

const holdfastApi = apiClientMaker(callTable(API_DOCUMENT))
const TOKEN = 'a-secret-token'

/** Makes a client for this server and calls it; the error of either, and what was sent. */
async function tried(server: string, more: { readonly allowCleartext?: boolean } = {}) {
  const sent: string[] = []
  const options = {
    server,
    token: TOKEN,
    ...more,
    fetch: async (url: string) => {
      sent.push(url)
      return {
        status: 200,
        headers: { get: (name: string) => (name === 'content-type' ? 'application/json' : null) },
        text: async () => '{"data":{},"warnings":[]}',
      }
    },
  }
  const error = await (async () => holdfastApi(options)['about']?.())().then(
    () => undefined,
    (one: unknown) => one,
  )
  return { sent, error }
}

/** What is wrong, and a word that the sentence has. */
const REFUSED: readonly (readonly [what: string, server: string, says: RegExp])[] = [
  ['a word', 'x', /URL/],
  ['nothing', '', /URL/],
  ['a host without a scheme', 'dns.example', /URL/],
  ['a host with a port', 'localhost:8245', /http/],
  ['another scheme', 'ftp://dns.example', /http/],
  ['a file', 'file:///etc/passwd', /http/],
  ['a script', 'javascript:alert(1)', /http/],
  ['a name and a password', 'https://u:hidden@dns.example', /user|password|credentials/i],
  ['a name alone', 'https://hidden@dns.example', /user|password|credentials/i],
  ['a password on loopback', 'http://u:hidden@localhost', /user|password|credentials/i],
]

/** By http to a host that is not this machine; each looks like loopback, or like nothing to worry about. */
const CLEAR: readonly string[] = [
  'http://dns.example',
  'http://dns.example:8245',
  'HTTP://dns.example',
  'http://192.0.2.1',
  'http://192.168.1.7:8245',
  'http://[2001:db8::1]',
  'http://localhost.dns.example',
  'http://127.0.0.1.dns.example',
  'http://notlocalhost',
  'http://0.0.0.0',
]

const TAKEN: readonly string[] = [
  'https://dns.example',
  'https://dns.example:8245/below/',
  'http://localhost',
  'http://LOCALHOST:8245',
  'http://127.0.0.1:8245',
  'http://127.1.2.3',
  'http://[::1]:8245',
]

const refusal = (says: RegExp): unknown =>
  expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(says) as string })

describe('the server of a client', () => {
  it.each(REFUSED)('is not %s: %s', async (_, server, says) => {
    const { sent, error } = await tried(server)
    expect([error, sent]).toEqual([refusal(says), []])
    expect(String(error)).not.toMatch(/hidden|a-secret-token/)
    // What allows clear text allows nothing else.
    expect(await tried(server, { allowCleartext: true })).toEqual({ sent: [], error: refusal(says) })
  })

  it.each(CLEAR)('gets no token in clear text over a network: %s', async (server) => {
    const { sent, error } = await tried(server)
    expect([error, sent]).toEqual([refusal(/allowCleartext/), []])
    expect(String(error)).toMatch(/https/)
    expect(String(error)).not.toContain(TOKEN)
    const allowed = await tried(server, { allowCleartext: true })
    expect([allowed.error, allowed.sent.length]).toEqual([undefined, 1])
  })

  it.each(TAKEN)('is one with https, or this machine: %s', async (server) => {
    const { sent, error } = await tried(server)
    expect([error, sent]).toEqual([undefined, [`${server.replace(/\/$/, '')}/v1/dns/about`]])
  })
})

describe('each page of a list', () => {
  /** More than a test asks for: a client that does not end would ask for ever. */
  const MOST = 20

  /** A server that answers with these cursors, and then with the last one again. */
  const listing = (cursors: readonly string[]) => {
    let asked = 0
    const list: ApiCall = async () => {
      const next = cursors[Math.min(asked, cursors.length - 1)] ?? null
      asked += 1
      if (asked > MOST) throw new RangeError('the client does not end')
      return {
        status: 200,
        headers: { get: () => null },
        data: [asked],
        page: { limit: 1, next },
        warnings: [],
      }
    }
    return { list, asked: () => asked }
  }
  const read = async (list: ApiCall) => {
    const rows: unknown[] = []
    try {
      for await (const row of each(list)) rows.push(row)
      return { rows, error: undefined }
    } catch (error) {
      return { rows, error: String(error) }
    }
  }

  it.each<[what: string, cursors: readonly string[], repeated: string]>([
    ['the same cursor', ['c1'], 'c1'],
    ['the same cursor, later', ['c1', 'c2', 'c3'], 'c3'],
    ['a cursor of two pages before', ['c1', 'c2', 'c1'], 'c1'],
    ['an empty cursor', [''], ''],
  ])('ends with an error when the server repeats %s', async (_, cursors, repeated) => {
    const { list, asked } = listing(cursors)
    const { error } = await read(list)
    expect(error).toMatch(/next/)
    expect(error).toContain(repeated)
    expect(asked()).toBeLessThan(MOST)
  })

  it('does not end early where all cursors differ', async () => {
    const cursors = Array.from({ length: 9 }, (_, n) => `c${n}`)
    let at = 0
    const list: ApiCall = async () => {
      const next = cursors[at] ?? null
      at += 1
      return { status: 200, headers: { get: () => null }, data: [at], page: { limit: 1, next }, warnings: [] }
    }
    expect((await read(list)).rows).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})
