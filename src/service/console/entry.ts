import { Secret } from '../../shared/base/secret.ts'
import type { IncomingRequest, OutgoingResponse } from '../http/request.ts'
import { cookieOf, secretIn } from './access.ts'
import type { ConsoleDependencies, SignedIn } from './dependencies.ts'
import { forgottenPage } from './pages/entry/forgotten.ts'
import { type Link, linkFormFault, linkPage } from './pages/entry/link.ts'
import { type SignIn, signInPage } from './pages/entry/sign-in.ts'
import { ACCOUNT_PAGE, HOME, ownPage, SIGN_IN } from './paths.ts'
import { fieldError, type FormErrors } from './parts.ts'
import { documentResponse, type Reader, savedPath, seeOther } from './responses.ts'

/** Opens a session for who gives an account with its password, an API key, or a passkey. */
export async function signIn(dependencies: ConsoleDependencies, reader: Reader): Promise<OutgoingResponse> {
  const { request, words } = reader
  const form = new URLSearchParams(request.body)
  const given = givenIn(form)
  const caller = await ('passkey' in given
    ? dependencies.checkPasskey(given.passkey, request)
    : dependencies.identify(given, request))
  if (caller === undefined || 'retryAfter' in caller) {
    const refused = { given, wait: caller?.retryAfter }
    const back = form.get('back') ?? undefined
    const passkey = await dependencies.passkeyOptions()
    return documentResponse(reader, signInPage(words, { passkey, back, refused }))
  }
  return opened(dependencies, request, { caller, to: ownPage(form.get('back')) })
}

const givenIn = (form: URLSearchParams): SignIn | { readonly passkey: string } => {
  const [key, passkey] = [form.get('key') ?? '', form.get('credential') ?? '']
  if (passkey !== '') return { passkey }
  if (key !== '') return { apiKey: key }
  return { account: form.get('account') ?? '', password: form.get('password') ?? '' }
}

async function opened(
  dependencies: ConsoleDependencies,
  { peer, userAgent, cookie }: IncomingRequest,
  { caller, to = HOME }: { readonly caller: SignedIn; readonly to?: string },
): Promise<OutgoingResponse> {
  const secret = await dependencies.openSession(caller, { peer, userAgent })
  if (secret === undefined) return seeOther(SIGN_IN)
  // The browser forgets its earlier session, so its user could no longer end it.
  const former = secretIn(dependencies.place, cookie)
  const session = former && (await dependencies.sessionOf(former))
  if (session !== undefined) await dependencies.endSession(session)
  return seeOther(to, { 'set-cookie': cookieOf(dependencies.place, secret) })
}

/** Says the same whether there is such an account or not. */
export async function linkAsked(
  { sendResetLink }: ConsoleDependencies,
  reader: Reader,
): Promise<OutgoingResponse> {
  const { request, words } = reader
  if (request.method !== 'POST' || sendResetLink === undefined)
    return documentResponse(reader, forgottenPage(words, { hasMail: sendResetLink !== undefined }))
  const account = (new URLSearchParams(request.body).get('account') ?? '').trim()
  const refused = await sendResetLink(account, request)
  return documentResponse(reader, forgottenPage(words, { hasMail: true, isSent: true, ...refused }))
}

/** The public host name of the service. */
export const ownHost = ({ place }: Pick<ConsoleDependencies, 'place'>): string => new URL(place.origin).host

/** Does what a link is for. */
export async function linkFollowed(
  dependencies: ConsoleDependencies,
  reader: Reader,
  link: Link,
): Promise<OutgoingResponse> {
  const { request, words } = reader
  const t = words.links
  const form = new URLSearchParams(request.body)
  const code = new Secret((form.get('code') ?? '').trim().replace(/^.*#/, ''))
  const zone = link === 'invitation' ? await dependencies.invitedZone(code) : undefined
  const host = ownHost(dependencies)
  const again = (errors: FormErrors): OutgoingResponse =>
    documentResponse(reader, linkPage(words, { link, form, host, zone, errors }))
  const password = form.get('password') ?? ''
  const fault = linkFormFault(words, link, form)
  if (fault !== undefined) return again(fault)
  const account = (form.get('account') ?? '').trim()
  const followed = await dependencies.followLink(
    { purpose: link, code, account, password: new Secret(password) },
    request,
  )
  if ('retryAfter' in followed) return again(fieldError('code', words.retryAfter(followed.retryAfter)))
  if ('account' in followed && link === 'confirm') return seeOther(savedPath(ACCOUNT_PAGE))
  if ('account' in followed)
    return link === 'reset'
      ? seeOther(savedPath(SIGN_IN))
      : opened(dependencies, request, { caller: { account: followed.account, isReadOnly: false } })
  if (followed.field === 'code') return again(fieldError('code', t.useless))
  return again(fieldError('account', followed.fault ?? t.taken))
}
