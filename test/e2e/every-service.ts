import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Provider } from '../../src/client/services/providers/provider.ts'
import { providerCalled, PROVIDERS } from '../../src/client/services/providers/providers.ts'
import { secretNoun } from '../../src/client/services/providers/secret-noun.ts'
import { fileKeyOf } from '../../src/shared/settings/setting.ts'
import { NEW, NEW6, PLAYED, type Played, worldOf } from '../client/services/protocols/services.ts'
import { oneIn } from '../large.ts'
import type { FakeRequest, FakeResponse, FakeWorld } from '../fakes/services/service.ts'
import { formsOf } from './leaks.ts'

/** How every secret begins: in letters that no encoding of single characters changes. */
export const CANARY = 'cAn4ry'

const USERNAME = 'maria'

/** Those that are played here. */
export const SERVICES = oneIn(3, PLAYED)

const hasRecords = ({ provider }: Played): boolean => providerCalled(provider)?.protocol !== undefined

/** With characters that every encoding changes differently; in a separate header only ASCII. A token has no blank. */
export const secretOf = (name: string, isInHeader: boolean, isToken = false): string =>
  `${CANARY}-${name}/+&f=%25"x<'${isInHeader ? '' : isToken ? 'swörd' : ' swörd'}`

const hasToken = ({ provider }: Played): boolean =>
  /token|API/.test(secretNoun(PROVIDERS[provider] as Provider))

interface Answer extends FakeResponse {
  readonly isCut?: true
  readonly isNoHttp?: true
}

/** Of a service that repeats its secrets. */
// biome-ignore format: a table
export const REPEATS: readonly (readonly [what: string, answer: (text: string, https: string) => Answer])[] = [
  ['text',                   (text) => ({ status: 200, body: text })],
  ['401',                    (text) => ({ status: 401, body: text })],
  ['a document',             (text) => ({ status: 200, body: JSON.stringify({ message: text, error: { message: text }, errors: [{ code: 1, message: text }] }) })],
  ['403 with a document',    (text) => ({ status: 403, body: JSON.stringify({ message: text, error: { code: text, message: text }, errors: [{ code: text, message: text }] }) })],
  ['418',                    (text) => ({ status: 418, body: text, headers: { 'x-sent': encodeURI(text) } })],
  ['429',                    (text) => ({ status: 429, body: text, headers: { 'retry-after': encodeURI(text) } })],
  ['500',                    (text) => ({ status: 500, body: text })],
  ['a page',                 (text) => ({ status: 200, body: `<!doctype html><html><body>${text}</body></html>` })],
  ['a redirect elsewhere',   (text) => ({ status: 302, body: text, headers: { location: `http://elsewhere.test/?${encodeURI(text)}` } })],
  ['a redirect to https',    (text, https) => ({ status: 302, body: text, headers: { location: `${https}/${encodeURIComponent(text)}` } })],
  ['a cut',                  (text) => ({ status: 200, body: text, isCut: true })],
  ['no HTTP',                (text) => ({ status: 200, body: text, isNoHttp: true })],
]

function send(response: ServerResponse, { status, headers = {}, body, isCut, isNoHttp }: Answer): void {
  if (isNoHttp) return void response.socket?.end(body)
  response.writeHead(status, isCut ? { ...headers, 'content-length': 9999 } : headers)
  if (!isCut) return void response.end(body)
  response.write(body, () => response.destroy())
}

type Respond = (request: FakeRequest) => Answer

/** A server on loopback; ends with the test. */
export async function listening(respond: Respond): Promise<string> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: target = '', headers } = incoming
      const body = Buffer.concat(chunks).toString()
      send(response, respond({ method, target, headers: headers as Record<string, string>, body }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What services answer with in place of their own answers. */
interface Mode {
  repeat?: (typeof REPEATS)[number]
}

/** The answer of a service, or one with its secrets, each with another encoding first: only the beginning is quoted. */
function repeating(mode: Mode, secrets: readonly string[], real: Respond): Respond {
  // The beginning alone is none that a service would repeat.
  const forms = secrets.flatMap((one) => formsOf(one, USERNAME)).filter((form) => form.length > 12)
  return (request) => {
    if (mode.repeat === undefined) return real(request)
    const first = (REPEATS.indexOf(mode.repeat) * 3) % forms.length
    const { method, target, headers, body } = request
    const sent = [method, target, JSON.stringify(headers), body]
    const text = [...forms.slice(first), ...forms.slice(0, first), ...sent].join(' ')
    return mode.repeat[1](text.replaceAll(/[\r\n]/g, ' '), `https://${headers['host']}`)
  }
}

/** The strict imitations of all services, and a configuration with an account at each. */
export async function everyService() {
  const mode: Mode = {}
  const worlds: FakeWorld[] = []
  const tables = [await ownService(mode)]
  for (const of of SERVICES) {
    const [password, apiKey] = ['token', 'key'].map((kind) =>
      secretOf(`${kind}-${of.provider}`, hasRecords(of), hasToken(of)),
    ) as [string, string]
    const key = of.settings?.['apiKey']
    // An imitation may look for the key in the place of the username.
    const isUsername = key !== undefined && key === worldOf(of).username
    const world: FakeWorld = { ...worldOf(of), password, apiKey, ...(isUsername && { username: apiKey }) }
    const secrets = key === undefined ? [password] : [password, apiKey]
    const origins = new Map<string, string>()
    for (const { origin, make } of [of.fake, ...(of.other === undefined ? [] : [of.other])])
      origins.set(origin, await listening(repeating(mode, secrets, make(world))))
    worlds.push(world)
    tables.push(accountOf(of, world, origins))
  }
  return { mode, worlds, toml: tables.join('\n') }
}

/** The account at the imitation of a service; `origins`: of the imitations, by those of the service. */
function accountOf(
  of: Played,
  { password, apiKey }: FakeWorld,
  origins: ReadonlyMap<string, string>,
): string {
  const preset: Readonly<Record<string, string>> = {
    ...providerCalled(of.provider)?.settings,
    ...of.settings,
  }
  const there = ['server', 'url', 'ipv6_url'].flatMap((key) => {
    const value = preset[key]
    if (value === undefined) return []
    const { origin } = new URL(value.replaceAll(/[{}]/g, ''))
    return [[key, value.replace(origin, origins.get(origin) ?? 'no service')] as const]
  })
  return tableOf({
    name: of.provider,
    provider: of.provider,
    hostnames: [of.hostname],
    myip: of.hasIpv6 ? [NEW, NEW6] : [NEW],
    password,
    ...Object.fromEntries(
      Object.entries(of.settings ?? {}).map(([key, value]) => [
        fileKeyOf(key),
        key === 'apiKey' ? apiKey : value,
      ]),
    ),
    ...Object.fromEntries(there),
  })
}

/** Of a user's own address, with each secret in every place that it may have. */
async function ownService(mode: Mode): Promise<string> {
  const [password, apiKey] = [secretOf('own-token', true), secretOf('own-key', true)]
  const at = await listening(
    repeating(mode, [password, apiKey], ({ target, headers, body }) => {
      const { p, k } = JSON.parse(body) as Readonly<Record<string, string>>
      const inUrl = new URL(target, 'http://own.test').searchParams
      const passwords = [inUrl.get('p'), headers['x-password'], p, basicIn(headers['authorization'])]
      const keys = [inUrl.get('k'), headers['x-key'], k]
      const isRight = passwords.every((one) => one === password) && keys.every((one) => one === apiKey)
      return { status: isRight ? 200 : 401, body: isRight ? 'OK' : 'wrong' }
    }),
  )
  return tableOf({
    name: 'own',
    url: `${at}/update/{hostname}?ip={ipv4}&p={password}&k={api_key}`,
    method: 'POST',
    body: '{{"p": "{password}", "k": "{api_key}"}}',
    headers: ['X-Password: {password}', 'X-Key: {api_key}', 'Authorization: Basic {basic}'],
    success: ['^OK'],
    stop: ['wrong=badauth'],
    hostnames: ['home.example.com'],
    myip: [NEW],
    username: USERNAME,
    password,
    api_key: apiKey,
  })
}

const basicIn = (authorization = ''): string =>
  Buffer.from(authorization.slice(6), 'base64')
    .toString()
    .slice(USERNAME.length + 1)

const tableOf = (settings: Readonly<Record<string, unknown>>): string =>
  [
    '[[account]]',
    ...Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    '',
  ].join('\n')
