import type { Instant } from '../../base/time.ts'
import { html } from '../../html/html.ts'
import { isSameOrigin } from '../../net/same-origin.ts'
import { Secret } from '../../net/secret.ts'
import type { Rendered } from '../api/answer/render.ts'
import type { FollowedLink, LinkForm } from '../auth/links.ts'
import type { Browser, Session } from '../auth/sessions.ts'
import type { IncomingRequest, OutgoingResponse } from '../http/request.ts'
import {
  type ConsolePlace,
  cookieOf,
  isConsoleHost,
  isFormToken,
  languageCookie,
  languageIn,
  noCookie,
  secretIn,
  serviceOrigin,
} from './access.ts'
import { askOver, type ConsoleApiRequest } from './ask.ts'
import { type Asset, ICON, STYLESHEET } from './assets.ts'
import type { ConsoleContext, ShownPage } from './context.ts'
import { type Link, linkAt, linkFormFault, linkPage } from './pages/link.ts'
import { type SignIn, signInPage } from './pages/sign-in.ts'
import { factorPage } from './pages/factor.ts'
import { proofPage } from './pages/proof.ts'
import { fieldError, type FormErrors } from './refusals.ts'
import {
  assetResponse,
  documentResponse,
  type Person,
  plainResponse,
  type Reader,
  resultResponse,
  seeOther,
} from './responses.ts'
import { type ConsoleRoute, findPage } from './routes.ts'
import { isLanguage, LANGUAGES, languageFor } from './words/languages.ts'

type Caller = Session['caller']

/** Identifies a person by what a form has; `retryAfter` in seconds if nothing was checked. */
type Identified = Caller | { readonly retryAfter: number } | undefined

export interface ConsoleDependencies {
  readonly place: ConsolePlace
  /** The script of its pages. */
  readonly script: Asset
  readonly now: () => Instant
  readonly identify: (given: SignIn, request: IncomingRequest) => Promise<Identified>
  readonly openSession: (caller: Caller, browser: Browser) => Promise<Secret>
  readonly sessionOf: (secret: Secret) => Promise<Session | undefined>
  readonly renewSession: (id: number) => Promise<Secret>
  readonly endSession: (session: Session) => Promise<unknown>
  /** Whether the code of the second factor is right; `retryAfter` as of `identify`. */
  readonly checkFactor: (
    given: { readonly account: Caller['account']; readonly code: string },
    request: IncomingRequest,
  ) => Promise<boolean | { readonly retryAfter: number }>
  /** Does what a link is for, once. */
  readonly followLink: (form: LinkForm, request: IncomingRequest) => Promise<FollowedLink>
  /** A request to `/v1` of this caller. */
  readonly api: (request: ConsoleApiRequest, caller: Caller, outer: IncomingRequest) => Promise<Rendered>
  readonly reportError: (error: unknown) => void
}

const ROOT = '/console'
const HOME = `${ROOT}/names`
const SIGN_IN = `${ROOT}/sign-in`
const SECOND_FACTOR = `${ROOT}/second-factor`
const SIGN_OUT = `${ROOT}/sign-out`

export const isConsolePath = (path: string): boolean =>
  path === '/' || path === ROOT || path.startsWith(`${ROOT}/`)

/** From request to response. Precedence: host, path, origin of the request, session, form, proof, then the page. */
export async function handleConsole(
  dependencies: ConsoleDependencies,
  request: IncomingRequest,
): Promise<OutgoingResponse> {
  const language = languageFor(languageIn(request.cookie), request.acceptLanguage)
  const reader: Reader = { request, words: LANGUAGES[language].words, script: dependencies.script }
  try {
    return await responseTo(dependencies, reader)
  } catch (error) {
    dependencies.reportError(error)
    const { failed, failedWhy } = reader.words
    return documentResponse(reader, messagePage(500, failed, failedWhy))
  }
}

const messagePage = (status: number, title: string, text: string): ShownPage => ({
  status,
  title,
  main: html`<p>${text}</p>`,
})

async function responseTo(dependencies: ConsoleDependencies, reader: Reader): Promise<OutgoingResponse> {
  const { request, words } = reader
  const { place, script } = dependencies
  const { method, path, host, origin, fetchSite } = request
  // The host of a redirect or of a page that is offline has a root of its own.
  if (path === '/' && !isConsoleHost(place, host)) return plainResponse(404, 'not found')
  if (!isConsoleHost(place, host))
    return plainResponse(
      421,
      `the console is at ${place.origin}${ROOT}, and not at the name in the address bar`,
    )
  const asset = [STYLESHEET, script, ICON].find((one) => one.path === path)
  if (asset !== undefined) return assetResponse(asset)
  if (path === '/' || path === ROOT || path === `${ROOT}/`) return seeOther(HOME)
  const [, wanted] = /^\/console\/language\/(\w+)$/.exec(path) ?? []
  if (isLanguage(wanted)) return seeOther(backIn(request), { 'set-cookie': languageCookie(place, wanted) })
  const isPost = method === 'POST'
  if (!isPost && method !== 'GET' && method !== 'HEAD')
    return plainResponse(405, 'only GET, HEAD and POST are supported', { allow: 'GET, HEAD, POST' })
  if (isPost && !isSameOrigin({ host, origin, fetchSite }))
    return plainResponse(403, 'this request comes from another page')
  if (isPost && request.body === undefined && request.readLong === undefined) return TOO_LARGE
  const link = linkAt(path)
  if (link !== undefined)
    return isPost
      ? linkFollowed(dependencies, reader, link)
      : documentResponse(reader, linkPage(words, { link }))
  if (path === SIGN_IN)
    return isPost ? signIn(dependencies, reader) : documentResponse(reader, signInPage(words))
  return forPerson(dependencies, reader)
}

/** Only a page of the console: a link must not lead elsewhere. */
const backIn = ({ query }: IncomingRequest): string => {
  const back = new URLSearchParams(query).get('back') ?? HOME
  return /^\/console\/[\w/.%?=&@+~-]*$/.test(back) ? back : HOME
}

const TOO_LARGE = plainResponse(413, 'the form is too large')

/** A long form is read only for a person who is signed in. */
async function bodyOf({ body, readLong }: IncomingRequest): Promise<string | undefined> {
  if (body !== undefined) return body
  const parts = await readLong?.()
  return parts && Buffer.concat(parts).toString('utf8')
}

/** Everything that needs a session. */
async function forPerson(dependencies: ConsoleDependencies, reader: Reader): Promise<OutgoingResponse> {
  const { request, words } = reader
  const { place } = dependencies
  const secret = secretIn(place, request.cookie)
  const session = secret && (await dependencies.sessionOf(secret))
  if (secret === undefined || session === undefined)
    return seeOther(SIGN_IN, secret && { 'set-cookie': noCookie(place) })
  const known = { ...reader, person: { secret, session } }
  const body = request.method === 'POST' ? await bodyOf(request) : ''
  if (body === undefined) return TOO_LARGE
  const form = new URLSearchParams(body)
  if (request.method === 'POST' && !isFormToken(secret, form.get('token') ?? ''))
    return documentResponse(known, messagePage(403, words.oldForm, words.oldFormWhy))
  if (request.path === SIGN_OUT && request.method === 'POST') {
    await dependencies.endSession(session)
    return seeOther(SIGN_IN, { 'set-cookie': noCookie(place) })
  }
  if (session.needsFactor) return forFactor(dependencies, known, form)
  const found = findPage(request.method, request.path)
  if ('route' in found) return forRoute(dependencies, known, { ...found, form })
  return found.length === 0
    ? documentResponse(known, messagePage(404, words.noPage, words.noPageWhy))
    : plainResponse(405, 'this is a button of a page', { allow: found.join(', ') })
}

/** Of a person who has given the password, and not yet the second factor: nothing else is shown. */
async function forFactor(
  dependencies: ConsoleDependencies,
  reader: Reader & { readonly person: Person },
  form: URLSearchParams,
): Promise<OutgoingResponse> {
  const { request, words, person } = reader
  if (request.path !== SECOND_FACTOR) return seeOther(SECOND_FACTOR)
  if (request.method !== 'POST') return documentResponse(reader, factorPage(words))
  const { account } = person.session.caller
  const isRight = await dependencies.checkFactor({ account, code: form.get('code') ?? '' }, request)
  if (typeof isRight === 'object')
    return documentResponse(reader, factorPage(words, { wait: isRight.retryAfter }))
  if (!isRight) return documentResponse(reader, factorPage(words, {}))
  const secret = await dependencies.renewSession(person.session.id)
  return seeOther(HOME, { 'set-cookie': cookieOf(dependencies.place, secret) })
}

interface Matched {
  readonly route: ConsoleRoute
  readonly params: Readonly<Record<string, string>>
  readonly form: URLSearchParams
}

async function forRoute(
  dependencies: ConsoleDependencies,
  reader: Reader & { readonly person: Person },
  { route, params, form }: Matched,
): Promise<OutgoingResponse> {
  const { place, now } = dependencies
  const { request, words, person } = reader
  const { session } = person
  const needsProof = route.needsProof === true && request.method === 'POST' && !session.isProved
  const proved = needsProof ? await proof(dependencies, reader, form) : person
  if ('title' in proved) return documentResponse(reader, proved)
  const context: ConsoleContext = {
    words,
    params,
    query: new URLSearchParams(request.query),
    form,
    here: request.query === '' ? request.path : `${request.path}?${request.query}`,
    now: now(),
    session,
    ask: askOver(async (asked) => dependencies.api(asked, session.caller, request)),
    origin: serviceOrigin(place, request.host),
  }
  const response = resultResponse({ ...reader, person: proved }, await route.page(context))
  const cookie = proved === person ? {} : { 'set-cookie': cookieOf(place, proved.secret) }
  return { ...response, headers: { ...response.headers, ...cookie } }
}

/** A person gives the password again, with the form that needs it; the session has another secret then. */
async function proof(
  dependencies: ConsoleDependencies,
  { request, words, person: { session } }: Reader & { readonly person: Person },
  form: URLSearchParams,
): Promise<Person | ShownPage> {
  const given = form.get('proof')
  const { account, apiKeyId } = session.caller
  const byKey = apiKeyId !== undefined
  const asked = { path: request.path, form, byKey }
  if (given === null) return proofPage(words, asked)
  const credentials = byKey ? { apiKey: given } : { account: account.name, password: given }
  const identified = await dependencies.identify(credentials, request)
  if (identified !== undefined && 'retryAfter' in identified)
    return proofPage(words, { ...asked, refused: { wait: identified.retryAfter } })
  const isSame = identified?.account.id === account.id && identified.apiKeyId === apiKeyId
  if (!isSame) return proofPage(words, { ...asked, refused: {} })
  return { secret: await dependencies.renewSession(session.id), session }
}

async function signIn(dependencies: ConsoleDependencies, reader: Reader): Promise<OutgoingResponse> {
  const { request, words } = reader
  const form = new URLSearchParams(request.body)
  const key = form.get('key') ?? ''
  const given: SignIn =
    key === ''
      ? { account: form.get('account') ?? '', password: form.get('password') ?? '' }
      : { apiKey: key }
  const caller = await dependencies.identify(given, request)
  if (caller === undefined || 'retryAfter' in caller)
    return documentResponse(reader, signInPage(words, { given, wait: caller?.retryAfter }))
  return opened(dependencies, request, caller)
}

async function opened(
  dependencies: ConsoleDependencies,
  { peer, userAgent }: IncomingRequest,
  caller: Caller,
): Promise<OutgoingResponse> {
  const secret = await dependencies.openSession(caller, { peer, userAgent })
  return seeOther(HOME, { 'set-cookie': cookieOf(dependencies.place, secret) })
}

async function linkFollowed(
  dependencies: ConsoleDependencies,
  reader: Reader,
  link: Link,
): Promise<OutgoingResponse> {
  const { request, words } = reader
  const t = words.links
  const form = new URLSearchParams(request.body)
  const again = (errors: FormErrors): OutgoingResponse =>
    documentResponse(reader, linkPage(words, { link, form, errors }))
  const password = form.get('password') ?? ''
  const fault = linkFormFault(words, link, form)
  if (fault !== undefined) return again(fault)
  const account = (form.get('account') ?? '').trim()
  const code = new Secret((form.get('code') ?? '').trim().replace(/^.*#/, ''))
  const followed = await dependencies.followLink(
    { purpose: link, code, account, password: new Secret(password) },
    request,
  )
  if ('retryAfter' in followed) return again(fieldError('code', words.retryAfter(followed.retryAfter)))
  if ('account' in followed)
    return link === 'reset'
      ? seeOther(SIGN_IN)
      : opened(dependencies, request, { account: followed.account, isReadOnly: false })
  if (followed.field === 'code') return again(fieldError('code', t.useless))
  return again(fieldError('account', followed.fault ?? t.taken))
}
