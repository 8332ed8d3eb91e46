import { consolePart } from '../../../src/service/program/http/handlers.ts'
import { apiDependencies } from '../../../src/service/program/http/api.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { afterEach, beforeEach, expect } from 'vitest'
import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import type { IncomingRequest, OutgoingResponse } from '../../../src/service/http/request.ts'
import type { OutgoingMail } from '../../../src/shared/base/mail.ts'
import { StoreAway } from '../../../src/service/store/errors.ts'
import type { ApiService } from '../../../src/service/api/request/context.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { AT_ONCE } from '../api/at-once.ts'
import { PEPPER } from '../api/inside.ts'
import { NOTHING_FOUND } from '../api/nothing-found.ts'
import { apiWorld, type World } from '../api/world.ts'

export const ORIGIN = 'https://dns.example'
const PASSWORDS = passwordChecker(PEPPER)

interface Sent {
  readonly method?: string
  readonly form?: Readonly<Record<string, string | readonly string[]>>
  readonly host?: string
  /** Default: 198.51.100.1. */
  readonly peer?: string
  readonly headers?: {
    readonly origin?: string
    readonly fetchSite?: string
    readonly cookie?: string
    readonly ifNoneMatch?: string
    readonly acceptLanguage?: string
    readonly body?: undefined
    readonly isClear?: true
    readonly readLong?: () => Promise<readonly Uint8Array[] | undefined>
  }
}

export interface Shown {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly html: string
  /** Without tags. */
  readonly text: string
}

interface Surroundings {
  /** A mail server, which keeps what it is given. */
  readonly hasMail?: boolean
  readonly sent?: OutgoingMail[]
  readonly badauthLimit?: number
  readonly keyRequestLimit?: number
  /** Each request to the store fails. */
  readonly isAway?: boolean
  readonly now?: () => Instant
  readonly failures?: unknown[]
  /** Other settings, by their names in the table. */
  readonly settings?: Readonly<Record<string, string>>
  /** What this node knows of the name servers of a zone. */
  readonly secondaries?: ApiService['secondaries']
}

/** A store that is away for a moment. */
const AWAY = new Proxy({} as Store, {
  get: () => async () => {
    throw new StoreAway('it is away')
  },
})

/** The console on a store, without a socket. */
export function consoleOn(
  store: Store,
  {
    now,
    failures = [],
    sent = [],
    hasMail = false,
    badauthLimit = 1_000_000,
    keyRequestLimit = 1_000_000,
    isAway = false,
    settings: more = {},
    secondaries,
  }: Surroundings = {},
) {
  const settings = readServiceConfig({
    flags: {
      console: { value: ORIGIN, where: '' },
      nameservers: { value: 'ns1.operator.test,ns2.operator.test', where: '' },
      keyRequestLimit: { value: String(keyRequestLimit), where: '' },
      badauthLimit: { value: String(badauthLimit), where: '' },
      ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, { value, where: '' }])),
    },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const api = apiDependencies(settings.value, {
    store: isAway ? AWAY : store,
    pepper: PEPPER,
    sendMail: async (mail) => {
      sent.push(mail)
      return undefined
    },
    passwords: PASSWORDS,
    requestFlush: () => undefined,
    delegation: async () => NOTHING_FOUND,
    inTurn: AT_ONCE,
    ...(now !== undefined && { now }),
    ...(secondaries !== undefined && { secondaries }),
    audit: () => undefined,
    reportFailure: (_, error) => void failures.push(error),
  })
  return consolePart({ origin: ORIGIN, hasMail }, api, (_, error) => void failures.push(error)).handle
}

const FORM_TOKEN = /name="token" value="([\w-]{54})"/
const textOf = (html: string): string =>
  html
    .replaceAll(/<(style|script)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

/** A browser with its cookie; a POST has the token of the page that was shown last. */
export function personAt(handle: ReturnType<typeof consoleOn>) {
  let cookie: string | undefined
  let token = ''
  const send = async (
    path: string,
    { method = 'GET', form = {}, host, headers = {}, peer = '198.51.100.1' }: Sent = {},
  ): Promise<Shown> => {
    const [at = '', query = ''] = path.split('?')
    const body = new URLSearchParams(
      Object.entries({ token, ...form }).flatMap(([name, value]) =>
        (typeof value === 'string' ? [value] : value).map((one): [string, string] => [name, one]),
      ),
    ).toString()
    const address = parseAddress(peer)
    if (address === undefined) throw new Error('no address')
    const request = {
      method,
      path: at,
      query,
      host: host ?? new URL(ORIGIN).host,
      userAgent: 'Firefox <b>',
      authorization: undefined,
      peer: address,
      isProxy: false,
      ...(method === 'POST' && { body, fetchSite: 'same-origin' }),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    }
    const answer: OutgoingResponse = await handle(request as IncomingRequest)
    const set = answer.headers['set-cookie']
    if (set !== undefined) cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]
    token = FORM_TOKEN.exec(answer.body)?.[1] ?? token
    return { status: answer.status, headers: answer.headers, html: answer.body, text: textOf(answer.body) }
  }
  const post = async (
    path: string,
    form: Sent['form'] = {},
    more: Omit<Sent, 'form' | 'method'> = {},
  ): Promise<Shown> => send(path, { method: 'POST', form, ...more })
  return {
    send,
    post,
    cookie: () => cookie,
    signIn: async (account: string, password: string): Promise<Shown> =>
      post('/console/sign-in', { account, password }),
    signInWith: async (key: string): Promise<Shown> => post('/console/sign-in', { key }),
  }
}

/** A new store for each test of a file, its clock, and people at its console; no request may fail inside. */
export function consoleTests() {
  const at = { now: instant(Date.UTC(2026, 0, 2)) } as {
    now: Instant
    world: World
    sent: OutgoingMail[]
  }
  let failures: unknown[] = []
  beforeEach(async () => {
    at.world = await apiWorld()
    at.now = instant(Date.UTC(2026, 0, 2))
    failures = []
    at.sent = []
  })
  afterEach(async () => {
    await at.world.close()
    expect(failures.filter((one) => !(one instanceof StoreAway))).toEqual([])
  })
  const person = (more: Surroundings = {}) =>
    personAt(consoleOn(at.world.store, { now: () => at.now, failures, sent: at.sent, ...more }))
  return { at, person }
}
