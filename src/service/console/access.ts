import { createHash, timingSafeEqual } from 'node:crypto'
import { isLoopbackHost } from '../../shared/base/network.ts'
import { Secret } from '../../shared/base/secret.ts'

/** Where the console is: its origin (RFC 6454), such as https://dns.example. */
export interface ConsolePlace {
  readonly origin: string
}

/** On loopback alone. */
export const isPlain = ({ origin }: ConsolePlace): boolean => origin.startsWith('http:')

/** A cookie with this prefix comes from this host alone, by TLS (RFC 6265bis §4.1.3.2). Plain http is for loopback. */
const cookieName = (place: ConsolePlace): string => (isPlain(place) ? 'holdfast' : '__Host-holdfast')

/** Whether the Host header (RFC 9110 §7.2) is that of the console; another may be a name of an attacker that leads here. */
export const isConsoleHost = ({ origin }: ConsolePlace, host: string | undefined): boolean => {
  const own = new URL(origin)
  return (
    host?.toLowerCase() === own.host ||
    // On loopback the port is not known before the service listens.
    (isPlain({ origin }) && host !== undefined && isLoopbackHost(host))
  )
}

/** Whether a request that acts may come from this origin; old browsers send none. The scheme counts too (RFC 6454 §5). */
export const isConsoleOrigin = (place: ConsolePlace, origin: string | undefined): boolean =>
  origin === undefined || isPlain(place) || origin === place.origin

/** The address of the service for programs. On loopback it has the port of the request. */
export const serviceOrigin = ({ origin }: ConsolePlace, host = ''): string =>
  isPlain({ origin }) ? `http://${host}` : origin

/** The secret of the session; undefined without the cookie. */
export function secretIn(place: ConsolePlace, cookies: string | undefined): Secret | undefined {
  const name = cookieName(place)
  const [value] = (cookies ?? '').split(';').flatMap((one) => {
    const [key = '', text = ''] = one.trim().split('=')
    return key === name && /^[\w-]{43}$/.test(text) ? [text] : []
  })
  return value === undefined ? undefined : new Secret(value)
}

/** Without Max-Age: the browser forgets it at its end, and the service before. */
export const cookieOf = (place: ConsolePlace, secret: Secret): string =>
  `${cookieName(place)}=${secret.reveal()}; Path=/; HttpOnly; SameSite=Strict${isPlain(place) ? '' : '; Secure'}`

export const noCookie = (place: ConsolePlace): string =>
  `${cookieName(place)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${isPlain(place) ? '' : '; Secure'}`

const LANGUAGE = 'holdfast-language'
export const YEAR_SECONDS = 31_536_000

/** The language that a person has chosen. */
export const languageIn = (cookies: string | undefined): string | undefined =>
  /(?:^|;\s*)holdfast-language=(\w+)/.exec(cookies ?? '')?.[1]

export const languageCookie = (place: ConsolePlace, language: string): string =>
  `${LANGUAGE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Strict${isPlain(place) ? '' : '; Secure'}`

/** What a form says of the account that it was made for: one that was left open must not act for another account. */
export const accountMark = (accountId: number): string =>
  createHash('sha256').update(`account ${accountId}`).digest('base64url').slice(0, 11)

/** Of SHA-256, in base64url. */
const DIGEST_LENGTH = 43
export const markIn = (token: string): string => token.slice(DIGEST_LENGTH)

/** Each form of the session contains this token, in addition to the check of the origin, which old browsers do not send. */
export const formToken = (secret: Secret, accountId: number): string =>
  createHash('sha256').update(`form ${secret.reveal()}`).digest('base64url') + accountMark(accountId)

export function isFormToken(own: string, given: string): boolean {
  const [one, other] = [Buffer.from(own), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
