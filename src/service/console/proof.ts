import type { OutgoingResponse } from '../http/request.ts'
import { cookieOf } from './access.ts'
import type { ConsoleDependencies } from './dependencies.ts'
import type { ShownPage } from './context.ts'
import { factorPage } from './pages/entry/factor.ts'
import { proofPage } from './pages/entry/proof.ts'
import { ownPage, SECOND_FACTOR, withBack } from './paths.ts'
import { backOf, documentResponse, type Person, type Reader, seeOther } from './responses.ts'

type PersonReader = Reader & { readonly person: Person }

/** Of a person who has given the password, and not yet the second factor: nothing else is shown. */
export async function forFactor(
  dependencies: ConsoleDependencies,
  reader: PersonReader,
  form: URLSearchParams,
): Promise<OutgoingResponse> {
  const { request, words, person } = reader
  const { account } = person.session.caller
  if (request.path !== SECOND_FACTOR)
    return seeOther(request.method === 'GET' ? withBack(SECOND_FACTOR, backOf(request)) : SECOND_FACTOR)
  const back = ownPage(form.get('back') ?? new URLSearchParams(request.query).get('back'))
  const passkey = await dependencies.passkeyOptions(account)
  if (request.method !== 'POST') return documentResponse(reader, factorPage(words, { passkey, back }))
  const isRight = form.has('credential')
    ? await isPasskeyOf(dependencies, reader, form.get('credential') ?? '')
    : await dependencies.checkFactor({ account, code: form.get('code') ?? '' }, request)
  const wait = typeof isRight === 'object' ? isRight.retryAfter : undefined
  if (isRight !== true)
    return documentResponse(reader, factorPage(words, { passkey, back, refused: { wait } }))
  const secret = await dependencies.renewSession(person.session.id, { hasFactor: true })
  return seeOther(back, { 'set-cookie': cookieOf(dependencies.place, secret) })
}

async function isPasskeyOf(
  dependencies: ConsoleDependencies,
  { request, person }: PersonReader,
  credential: string,
): Promise<boolean | { readonly retryAfter: number }> {
  const found = await dependencies.checkPasskey(credential, request)
  if (found !== undefined && 'retryAfter' in found) return found
  return found?.account.id === person.session.caller.account.id
}

/** A person gives the password or a passkey again, with the form that needs it; the session has another secret then. */
export async function proof(
  dependencies: ConsoleDependencies,
  reader: PersonReader,
  form: URLSearchParams,
): Promise<Person | ShownPage> {
  const {
    request,
    words,
    person: { session },
  } = reader
  const given = form.get('proof')
  const { account, apiKeyId } = session.caller
  const byKey = apiKeyId !== undefined
  const asked = {
    path: request.path,
    form,
    byKey,
    passkey: byKey ? undefined : await dependencies.passkeyOptions(account),
  }
  const credential = form.get('passkey')
  if (given === null && credential === null) return proofPage(words, asked)
  const identified =
    credential !== null && !byKey
      ? await dependencies.checkPasskey(credential, request)
      : await dependencies.identify(
          byKey ? { apiKey: given ?? '' } : { account: account.name, password: given ?? '' },
          request,
        )
  if (identified !== undefined && 'retryAfter' in identified)
    return proofPage(words, { ...asked, refused: { wait: identified.retryAfter } })
  const isSame = identified?.account.id === account.id && identified.apiKeyId === apiKeyId
  if (!isSame) return proofPage(words, { ...asked, refused: {} })
  const secret = await dependencies.renewSession(session.id, { hasFactor: credential !== null && !byKey })
  // Something may have happened to it while the password was checked.
  const renewed = await dependencies.sessionOf(secret)
  return renewed === undefined ? proofPage(words, { ...asked, refused: {} }) : { secret, session: renewed }
}
