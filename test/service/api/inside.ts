import { apiDependencies, apiHandler } from '../../../src/service/program/http/api.ts'
import { failureLog } from '../../../src/service/program/failures.ts'
import { instant } from '../../../src/shared/base/time.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { keyedHash, pepperOf } from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import type { IncomingRequest } from '../../../src/service/http/request.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { misfit } from './document.ts'
import type { Reply } from './world.ts'
import { AT_ONCE } from './at-once.ts'
import { withOperator } from './at-the-website.ts'
import { NOTHING_FOUND } from './nothing-found.ts'

export const PEPPER = pepperOf(new Uint8Array(32))
/** One for all: making one computes a slow hash. */
const PASSWORDS = passwordChecker(PEPPER)
export const NOW = instant(Date.UTC(2026, 0, 1))

export interface LogLine {
  readonly level: string
  readonly msg: string
  readonly fields: unknown
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly body?: string
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly authorization?: string
  readonly origin?: string
  readonly ifMatch?: string
  readonly ifNoneMatch?: string
  readonly peer?: string
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Inside {
  readonly send: (asked: Asked) => Promise<Answered>
  readonly lines: readonly LogLine[]
  readonly audited: readonly AuditEvent[]
}

interface Options {
  readonly badauthLimit?: number
  readonly keyRequestLimit?: number
  readonly corsOrigins?: string
}

/** The management API on a store, without a socket; collects the log. */
export function inside(store: Store, options: Options = {}): Inside {
  const { badauthLimit = 1_000_000, keyRequestLimit = 1_000_000, corsOrigins } = options
  const flag = (value: string) => ({ value, where: '' })
  const settings = readServiceConfig({
    flags: {
      nameservers: flag('ns1.operator.test,ns2.operator.test'),
      console: flag('https://dns.example'),
      dnsListen: flag('127.0.0.1:5300'),
      answerQueries: flag('yes'),
      badauthLimit: flag(String(badauthLimit)),
      keyRequestLimit: flag(String(keyRequestLimit)),
      ...(corsOrigins !== undefined && { corsOrigins: flag(corsOrigins) }),
    },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const lines: LogLine[] = []
  const audited: AuditEvent[] = []
  const dependencies = apiDependencies(settings.value, {
    store,
    pepper: PEPPER,
    passwords: PASSWORDS,
    requestFlush: () => undefined,
    delegation: async () => NOTHING_FOUND,
    inTurn: AT_ONCE,
    audit: (event) => void audited.push(event),
    reportFailure: failureLog(
      (level, msg, details) => void lines.push({ level, msg, fields: details?.fields }),
      () => 0,
    ).report,
  })
  const api = apiHandler(settings.value, withOperator(dependencies))
  const send = async ({
    query = '',
    peer = '198.51.100.1',
    body: sent,
    ...rest
  }: Asked): Promise<Answered> => {
    const address = parseAddress(peer)
    if (address === undefined) throw new Error(`no address: ${peer}`)
    const isFile = rest.method === 'POST' && /\/import\/?$/.test(rest.path)
    const request: IncomingRequest = {
      userAgent: 'test',
      authorization: undefined,
      ...rest,
      query,
      peer: address,
      isProxy: false,
      // A master file is read by `readLong` alone.
      ...(isFile
        ? { readLong: async () => [Buffer.from(sent ?? '')] }
        : sent !== undefined && { body: sent }),
    }
    const { status, headers, body } = await api(request)
    const { method, path } = rest
    const answer = { method, path, status, headers: Object.entries(headers) }
    const isText = headers['content-type']?.startsWith('text/dns') === true
    const fault = body === '' ? undefined : misfit({ ...answer, body: isText ? body : JSON.parse(body) })
    if (fault !== undefined) throw new Error(`${fault}\n${body}`)
    return { status, headers, text: body }
  }
  return { send, lines, audited }
}

export const bodyIn = ({ text }: Answered): Reply['body'] => JSON.parse(text) as Reply['body']

export const codesOf = ({ body }: Pick<Reply, 'body'>): readonly string[] =>
  (body.errors ?? []).map(({ code }) => code)

/** Creates another API key, like the operator. */
export async function addApiKey(
  store: Store,
  accountId: number,
  key: string,
  more: { readonly scopes?: readonly string[]; readonly expiresAt?: number } = {},
): Promise<void> {
  const { scopes = [], expiresAt } = more
  await store.write(async (w) =>
    w.addApiKey(
      {
        accountId,
        hash: keyedHash(PEPPER, key),
        description: '',
        scopes,
        ...(expiresAt !== undefined && { expiresAt: instant(expiresAt) }),
      },
      NOW,
    ),
  )
}

export interface Listing {
  readonly data: readonly unknown[]
  readonly page: {
    readonly offset: number
    readonly limit: number
    readonly total: number
    readonly next: string | null
  }
}

/** Every page of a listing, by the rule of the specification: advance by page.limit, stop at page.total. */
export async function walk(page: (offset: number) => Promise<Listing>): Promise<{
  readonly rows: readonly unknown[]
  readonly total: number
  readonly limits: readonly number[]
}> {
  const rows: unknown[] = []
  const limits: number[] = []
  for (let offset = 0, turns = 0; ; turns++) {
    if (turns > 5000) throw new Error('the listing does not end')
    const { data, page: reported } = await page(offset)
    if (reported.offset !== offset) throw new Error(`requested ${offset}, got ${reported.offset}`)
    if (reported.limit < 1) throw new Error('a page without a limit')
    rows.push(...data)
    limits.push(reported.limit)
    offset += reported.limit
    if (offset >= reported.total) return { rows, total: reported.total, limits }
  }
}
