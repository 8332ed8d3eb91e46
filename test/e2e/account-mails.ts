import { writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Browser, browserAt } from './account-browser.ts'
import { leaksIn, formsOf } from './leaks.ts'
import { mailServer, type ReceivedMail } from './mail-server.ts'
import { startPostgres } from '../lab/postgres.ts'
import { holdfast, LAUNCHER, NODE, ROOT, scratch, serveWith, storeWith } from './processes.ts'
import { urlOf } from './two-nodes.ts'

/** Kinds of messages by subject. */
export const SUBJECTS = {
  confirm: /\bconfirm\b.*e-?mail/i,
  emailChanged: /e-?mail address.*\bchanged\b/i,
  passwordChanged: /\bpassword\b.*\bchanged\b/i,
  factorAdded: /second factor.*\badded\b/i,
  factorRemoved: /second factor.*\bremoved\b/i,
  apiKey: /\bnew API key\b/i,
  tsigKey: /\bnew TSIG key\b/i,
  keyBlocked: /DDNS key.*\bblocked\b/i,
  suspended: /account.*\bsuspended\b/i,
  wrongPasswords: /\bwrong passwords?\b/i,
  signIn: /\bsign-?in\b.*\bnew network\b/i,
  reset: /\bnew password for\b/i,
} as const satisfies Readonly<Record<string, RegExp>>
export type MailKind = keyof typeof SUBJECTS

/** Kinds that contain a link, which is the only allowed secret. */
const LINKED: readonly string[] = ['confirm', 'reset']

/** Milliseconds within which a message has to arrive. */
const SOON = 10_000

const kindsOf = (subject: string): readonly string[] =>
  Object.entries(SUBJECTS).flatMap(([kind, expression]) => (expression.test(subject) ? [kind] : []))

/** The kind of a message, or its subject if it matches none or several kinds. */
export function kindOf({ fields }: Pick<ReceivedMail, 'fields'>): string {
  const subject = fields.get('subject') ?? ''
  const [kind, another] = kindsOf(subject)
  return kind === undefined || another !== undefined ? `unknown: ${subject}` : kind
}

/** "kind to address", in the order of arrival. */
const lineOf = (mail: ReceivedMail): string => `${kindOf(mail)} to ${mail.to.join(' and ')}`

interface MailLink {
  readonly path: string
  readonly code: string
}

/** The link in a message; its code is after "#". */
export function linkIn({ body }: Pick<ReceivedMail, 'body'>): MailLink {
  const [, path = '', code = ''] = /https?:\/\/[^/\s]+(\/console\/[\w/-]+)#([\w-]{20,})/.exec(body) ?? []
  return { path, code }
}

/** Limits high enough for all tests. */
const PATIENT: Readonly<Record<string, string>> = {
  '--request-limit': '100000',
  '--key-request-limit': '100000',
  '--badauth-limit': '100000',
}

interface WorldOptions {
  /** Default: there is a mail server. */
  readonly hasMail?: boolean
  readonly args?: Readonly<Record<string, string>>
}

/** A forwarder to the mail server that can hold new connections. */
async function gateTo(at: string) {
  const [host, port] = at.split(':')
  let waiting: (() => void)[] | undefined
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    const pass = (): void => {
      const on = connect(Number(port), host)
      on.on('error', () => undefined)
      socket.pipe(on).pipe(socket)
    }
    if (waiting === undefined) pass()
    else waiting.push(pass)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return {
    at: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): void => void (waiting = []),
    waiting: (): number => waiting?.length ?? 0,
    open: (): void => {
      for (const pass of waiting ?? []) pass()
      waiting = undefined
    },
  }
}

/** The account whose message marks the end of earlier messages. */
const FENCE = 'fence'

/** Of `npm run test:long -- mail`: the same on PostgreSQL. Its clock is not shifted, so commands run before a wait only. */
const ofPostgres = process.env['HOLDFAST_TEST_STORE'] === 'postgres'

/** The flags of a database with what is in this folder. */
async function copied(folder: string): Promise<readonly string[]> {
  const postgres = await startPostgres()
  onTestFinished(async () => postgres.stop())
  await postgres.query('CREATE DATABASE service')
  const flags = ['--store', urlOf(postgres.port), '--hash-key-file', join(scratch(), 'hash.key')]
  const { code, stderr } = await holdfast(['admin', 'store', 'copy', `from=${folder}`, ...flags], {
    node: NODE,
  })
  expect([code, stderr]).toEqual([0, ''])
  return flags
}

/** A service with accounts, a mail server, and an adjustable clock. */
export async function accountWorld(
  accounts: readonly string[],
  { hasMail = true, args = {} }: WorldOptions = {},
) {
  const names = [FENCE, ...accounts]
  const { folder, printed } = await storeWith(
    'plan add basic',
    ...names.map((one) => `account add ${one} basic`),
  )
  const passwords = new Map(
    names.map((name, at) => [name, printed[at + 2]?.trim().split(' ').at(-1) ?? ''] as const),
  )
  const store = ofPostgres ? await copied(folder) : ['--store', folder]
  const sink = await mailServer()
  const gate = await gateTo(sink.at)
  const byMail = ['--mail-server', gate.at, '--mail-from', 'dns@holdfast.example']
  const shiftFile = join(scratch(), 'shift')
  const env = {
    NODE_OPTIONS: `--import=${join(ROOT, 'test/lab/shifted-clock.mjs')}`,
    HOLDFAST_TEST_SHIFT: shiftFile,
  }
  let shift = 0
  writeFileSync(shiftFile, '0')
  const start = async (withMail: boolean) =>
    serveWith(
      LAUNCHER,
      [
        ...store,
        '--console',
        'http://localhost',
        '--trusted-proxies',
        '127.0.0.1',
        '--nameservers',
        'ns.holdfast.example',
        ...Object.entries({ ...PATIENT, ...args }).flat(),
        ...(withMail ? byMail : []),
      ],
      env,
    )
  let at = await start(hasMail)
  const secrets = new Set(passwords.values())
  const passwordOf = (account: string): string => passwords.get(account) ?? ''

  /** Runs `holdfast admin`; resolves with its output. */
  const admin = async (...words: readonly string[]): Promise<string> => {
    const ended = await holdfast(['admin', ...words, ...store, '--console', 'http://localhost', ...byMail], {
      node: NODE,
      env,
    })
    expect([words.join(' '), ended.code, ended.stderr]).toEqual([words.join(' '), 0, ''])
    return ended.stdout
  }
  /** A request to `/v1` with the password of the account. */
  const api = async (account: string, method: string, path: string, body?: unknown, peer = HOME) => {
    const response = await fetch(`${at.url}/v1${path}`, {
      method,
      headers: {
        authorization: basic(account, passwordOf(account)),
        'content-type': 'application/json',
        'x-forwarded-for': peer,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, data: dataIn(text) }
  }
  const browser = (peer = HOME): Browser => browserAt(() => at.url, secrets, peer)
  const signedIn = async (account: string, peer = HOME): Promise<Browser> => {
    const one = browser(peer)
    const { status } = await one.send('/console/sign-in', { account, password: passwordOf(account) })
    expect([account, status]).toEqual([account, 303])
    await one.send('/console/account')
    return one
  }

  const lines = (): readonly string[] => sink.received.map(lineOf)
  const countOf = (line: string): number => lines().filter((one) => one === line).length
  /** Resolves with the newest of these messages when `count` have arrived. */
  const mail = async (kind: MailKind, to: string, count = 1): Promise<ReceivedMail> => {
    const wanted = `${kind} to ${to}`
    await expect
      .poll(() => [countOf(wanted), lines()], { timeout: SOON, interval: 20 })
      .toEqual([count, expect.anything()])
    return sink.received.findLast((one) => lineOf(one) === wanted) ?? none(wanted)
  }
  /** Sets and confirms an e-mail address. */
  const confirmed = async (account: string, address = `${account}@mail.example`): Promise<Browser> => {
    const one = await signedIn(account)
    const { status } = await one.send('/console/account/email', { email: address })
    expect([account, status]).toEqual([account, 303])
    const { path, code } = linkIn(await mail('confirm', address))
    const { status: followed } = await one.follow({ path, code })
    expect([account, 'confirms', followed < 400]).toEqual([account, 'confirms', true])
    return one
  }
  let fences = 0
  /** Resolves when all earlier messages have arrived, by waiting for a later one. */
  const settled = async (): Promise<void> => {
    if (fences === 0) await confirmed(FENCE)
    fences++
    const { status } = await api(FENCE, 'POST', '/account/api-keys', { description: 'fence' })
    expect(status).toBe(201)
    await mail('apiKey', `${FENCE}@mail.example`, fences)
  }
  /** The messages that `act` causes. */
  const mailsOf = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
    await settled()
    const before = sink.received.length
    await act()
    await settled()
    return lines()
      .slice(before)
      .filter((one) => !one.endsWith(` to ${FENCE}@mail.example`))
      .toSorted()
  }
  /** Requests a link for a new password. */
  const forgotten = async (account: string, peer = HOME) =>
    browser(peer).send('/console/forgotten', { account })
  const wait = (milliseconds: number): void => {
    writeFileSync(shiftFile, String((shift += milliseconds)))
    // The service reads the file again after a few milliseconds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  const restart = async (withMail: boolean): Promise<void> => {
    at.child.kill('SIGTERM')
    await at.ended
    at = await start(withMail)
  }
  /** Secrets in messages, in any encoding, except the codes of links. */
  const leaks = (): readonly string[] =>
    sink.received.flatMap((one) => {
      const shown = `${[...one.fields].join('\n')}\n${one.body}`
      const { code } = LINKED.includes(kindOf(one)) ? linkIn(one) : { code: '' }
      const text = code === '' ? shown : shown.replaceAll(code, '')
      const found = [...secrets].filter((secret) => leaksIn(text, formsOf(secret)).length > 0)
      const isCode = /#[\w-]{20,}/.test(text)
      return [...found, ...(isCode ? ['a link'] : [])].map((what) => `${what} in ${lineOf(one)}`)
    })
  return {
    url: () => at.url,
    log: () => at.log(),
    now: () => Date.now() + shift,
    received: sink.received,
    gate,
    secrets,
    passwordOf,
    setPassword: (account: string, password: string): void =>
      void (passwords.set(account, password), secrets.add(password)),
    admin,
    api,
    browser,
    signedIn,
    confirmed,
    lines,
    mail,
    mailsOf,
    settled,
    forgotten,
    wait,
    restart,
    leaks,
  }
}

export type AccountWorld = Awaited<ReturnType<typeof accountWorld>>

/** The default peer address (RFC 5737). */
export const HOME = '198.51.100.7'

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

const none = (what: string): never => {
  throw new Error(`no ${what}`)
}

function dataIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as { data?: Readonly<Record<string, unknown>> }).data ?? {}
  } catch {
    return {}
  }
}
