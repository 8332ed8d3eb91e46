import { html } from '../../shared/html/html.ts'
import { isSameOrigin } from '../../shared/base/same-origin.ts'
import type { IncomingRequest, OutgoingResponse } from '../http/request.ts'
import {
  accountMark,
  cookieOf,
  formToken,
  isConsoleHost,
  isConsoleOrigin,
  isFormToken,
  isPlain,
  languageCookie,
  languageIn,
  markIn,
  noCookie,
  secretIn,
  serviceOrigin,
  YEAR_SECONDS,
} from './access.ts'
import { askOver, type ConsoleContext, type ShownPage } from './context.ts'
import { ICON, STYLESHEET } from './assets.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import { linkAsked, linkFollowed, ownHost, signIn } from './entry.ts'
import { unsentPage } from './pages/entry/unsent.ts'
import { linkAt, linkPage } from './pages/entry/link.ts'
import { signInPage } from './pages/entry/sign-in.ts'
import {
  ACCOUNT_PAGE,
  FORGOTTEN,
  HOME,
  ownPage,
  ROOT,
  SECOND_FACTOR,
  SIGN_IN,
  SIGN_OUT,
  withBack,
} from './paths.ts'
import { forFactor, proof } from './proof.ts'
import {
  assetResponse,
  backOf,
  documentResponse,
  type Person,
  plainResponse,
  type Reader,
  resultResponse,
  seeOther,
} from './responses.ts'
import { type ConsoleRoute, findPage } from './routes.ts'
import { isLanguage, languageFor, LANGUAGES } from './words/languages.ts'

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
    return withTransportSecurity(request, await responseTo(dependencies, reader))
  } catch (error) {
    return failedResponse(dependencies, reader, error)
  }
}

function failedResponse(
  { reportError, isPassing }: ConsoleDependencies,
  reader: Reader,
  error: unknown,
): OutgoingResponse {
  reportError(error)
  const { failed, failedWhy, away, awayWhy } = reader.words
  return isPassing(error)
    ? documentResponse(reader, messagePage(503, away, awayWhy))
    : documentResponse(reader, messagePage(500, failed, failedWhy))
}

/** RFC 6797: a proxy that ends TLS says this itself. */
const withTransportSecurity = ({ isTls }: IncomingRequest, response: OutgoingResponse): OutgoingResponse =>
  isTls === true
    ? {
        ...response,
        headers: { ...response.headers, 'strict-transport-security': `max-age=${YEAR_SECONDS}` },
      }
    : response

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
  if (request.isClear === true && !isPlain(place))
    return method === 'POST'
      ? plainResponse(
          403,
          `the console is at ${place.origin}${ROOT}; this came by http, where others can read it`,
        )
      : plainResponse(307, 'the console is at https', { location: `${place.origin}${backOf(request)}` })
  const asset = [STYLESHEET, script, ICON].find((one) => one.path === path)
  if (asset !== undefined) return assetResponse(asset)
  if (path === '/' || path === ROOT || path === `${ROOT}/`) return seeOther(HOME)
  const [, wanted] = /^\/console\/language\/(\w+)$/.exec(path) ?? []
  if (isLanguage(wanted)) return seeOther(backIn(request), { 'set-cookie': languageCookie(place, wanted) })
  const isPost = method === 'POST'
  if (!isPost && method !== 'GET' && method !== 'HEAD')
    return plainResponse(405, 'only GET, HEAD and POST are supported', { allow: 'GET, HEAD, POST' })
  if (isPost && !(isSameOrigin({ host, origin, fetchSite }) && isConsoleOrigin(place, origin)))
    return plainResponse(403, 'this request comes from another page')
  if (isPost && request.body === undefined && request.readLong === undefined) return TOO_LARGE
  // Reading many fields takes longer than anything else here.
  const isOpen = path === SIGN_IN || path === FORGOTTEN || linkAt(path) !== undefined
  if (isOpen && (request.body ?? '').length > MAX_OPEN_FORM) return TOO_LARGE
  const link = linkAt(path)
  if (link !== undefined)
    return isPost
      ? linkFollowed(dependencies, reader, link)
      : documentResponse(reader, linkPage(words, { link, host: ownHost(dependencies) }))
  if (path === SIGN_IN)
    return isPost
      ? signIn(dependencies, reader)
      : documentResponse(
          reader,
          signInPage(words, {
            passkey: await dependencies.passkeyOptions(),
            back: new URLSearchParams(request.query).get('back') ?? undefined,
          }),
        )
  if (path === FORGOTTEN) return linkAsked(dependencies, reader)
  return forPerson(dependencies, reader)
}

const backIn = ({ query }: IncomingRequest): string => ownPage(new URLSearchParams(query).get('back'))

/** In characters, of a form of a person who has not signed in: a passkey takes about two thousand. */
const MAX_OPEN_FORM = 8192
const MAX_FIELDS = 5000
const PASSWORD = `${ACCOUNT_PAGE}/password`

const fieldCount = (body: string): number => {
  let count = 1
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1)) count++
  return count
}

const TOO_LARGE = plainResponse(413, 'the form is too large')

/** A long form is read only for a person who is signed in. */
async function bodyOf({ body, readLong }: IncomingRequest): Promise<string | undefined> {
  if (body !== undefined) return body
  const parts = await readLong?.()
  return parts && Buffer.concat(parts).toString('utf8')
}

/** After the sign-in, a person goes on to the address that they asked for. */
const signInFor = (request: IncomingRequest): string =>
  request.method === 'GET' ? withBack(SIGN_IN, backOf(request)) : SIGN_IN

/** Everything that needs a session. */
async function forPerson(dependencies: ConsoleDependencies, reader: Reader): Promise<OutgoingResponse> {
  const { request, words } = reader
  const { place } = dependencies
  const secret = secretIn(place, request.cookie)
  const session = secret && (await dependencies.sessionOf(secret))
  if (secret === undefined || session === undefined)
    return secret !== undefined && isWorthKeeping(request)
      ? unsentResponse(reader, new URLSearchParams(request.body))
      : seeOther(signInFor(request))
  const known = { ...reader, person: { secret, session } }
  const body = request.method === 'POST' ? await bodyOf(request) : ''
  if (body === undefined || fieldCount(body) > MAX_FIELDS) return TOO_LARGE
  const form = new URLSearchParams(body)
  const { id } = session.caller.account
  const hasToken =
    isFormToken(formToken(secret, id), form.get('token') ?? '') || isSentAgain(request, form, id)
  if (request.method === 'POST' && !hasToken) {
    // Nothing is left of the form of a password without what it is for.
    if (request.path === PASSWORD) return seeOther(ACCOUNT_PAGE)
    return markOf(form) === accountMark(id)
      ? unsentResponse(known, form)
      : documentResponse(known, messagePage(403, words.unsent.title, words.unsent.isOthers))
  }
  if (request.path === SIGN_OUT && request.method === 'POST') {
    await dependencies.endSession(session)
    return seeOther(SIGN_IN, { 'set-cookie': noCookie(place) })
  }
  // The form waits for the code, which is given in another tab.
  const { answer } = session
  if (answer === 'factorFirst' && isWorthKeeping(request)) return unsentResponse(reader, form)
  if (answer === 'factorFirst') return forFactor(dependencies, known, form)
  const isOfAccount = request.path === ACCOUNT_PAGE || request.path.startsWith(`${ACCOUNT_PAGE}/`)
  if (answer === 'factorToSet' && !isOfAccount) return seeOther(ACCOUNT_PAGE)
  const found = findPage(request.method, request.path)
  if ('route' in found) return forRoute(dependencies, known, { ...found, form })
  if (found.length === 0) return documentResponse(known, messagePage(404, words.noPage, words.noPageWhy))
  const page = documentResponse(known, messagePage(405, words.onlyButton, words.onlyButtonWhy))
  return { ...page, headers: { ...page.headers, allow: found.join(', ') } }
}

const isWorthKeeping = ({ method, path, body = '' }: IncomingRequest): boolean =>
  method === 'POST' &&
  ![SIGN_OUT, SECOND_FACTOR, PASSWORD].includes(path) &&
  body !== '' &&
  fieldCount(body) <= MAX_FIELDS

/**
 * The page of what was not sent cannot know the token of the next session. Browsers that say where a request comes from
 * (Fetch Metadata) need none.
 */
const isSentAgain = ({ fetchSite }: IncomingRequest, form: URLSearchParams, accountId: number): boolean =>
  fetchSite === 'same-origin' && form.get('unsent') === accountMark(accountId)

/** Of the account whose page it was. */
const markOf = (form: URLSearchParams): string => form.get('unsent') ?? markIn(form.get('token') ?? '')

const unsentResponse = (reader: Reader, form: URLSearchParams): OutgoingResponse => {
  const { request, words, person } = reader
  return documentResponse(
    reader,
    unsentPage(words, { path: request.path, form, mark: markOf(form), isSignedIn: person !== undefined }),
  )
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
  const cookie = proved === person ? {} : { 'set-cookie': cookieOf(place, proved.secret) }
  if (proved.session.needsFactor) return seeOther(SECOND_FACTOR, cookie)
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
    cached: async (find) =>
      dependencies.cached(`${session.caller.account.id} ${session.caller.apiKeyId ?? ''}`, find),
  }
  const renewed = { ...reader, person: proved }
  // The browser gets the next secret also where the page fails.
  const response = await route.page(context).then(
    (result) => resultResponse(renewed, result),
    (error: unknown) => failedResponse(dependencies, renewed, error),
  )
  return { ...response, headers: { ...response.headers, ...cookie } }
}
