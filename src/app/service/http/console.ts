import { formatBasic } from '../../../net/basic.ts'
import { Secret } from '../../../net/secret.ts'
import { type ApiDependencies, handleApi } from '../../../server/api/handle.ts'
import type { CallerDependencies } from '../../../server/auth/caller.ts'
import { checkFactor } from '../../../server/auth/factor-check.ts'
import { followLink } from '../../../server/auth/links.ts'
import { endSession, openSession, renewSession, sessionOf } from '../../../server/auth/sessions.ts'
import { type ConsoleDependencies, handleConsole, isConsolePath } from '../../../server/console/handle.ts'
import type { PathHandler } from '../../../server/http/dispatch.ts'
import { assetOf } from '../../../server/console/assets.ts'
import { networksOf } from './api.ts'
import { CONSOLE_SCRIPT } from './console-script.ts'

/** A request of a page, with the caller of its session in the place of credentials. */
const askedOf = async (
  api: ApiDependencies,
  ...[asked, caller, outer]: Parameters<ConsoleDependencies['api']>
): ReturnType<ConsoleDependencies['api']> =>
  handleApi(
    { ...api, identify: async () => caller },
    {
      ...asked,
      // A master file is read by `readLong` alone.
      body: asked.contentType === 'text/dns' ? '' : asked.body,
      authorization: undefined,
      ifMatch: undefined,
      ifNoneMatch: undefined,
      networks: networksOf(outer),
      isGone: outer.isGone,
      readLong: async () => [Buffer.from(asked.body)],
    },
  )

/** What the log says of a link that was followed. */
const LINK_OPERATIONS = { invitation: 'acceptInvitation', reset: 'resetPassword' } as const

/** The console, over the operations of `/v1` in this process: it can do nothing that these cannot (decision 0059). */
export function consolePart(
  origin: string,
  { gate, ...api }: ApiDependencies & { readonly gate: CallerDependencies },
  reportFailure: (what: string, error: unknown) => void,
): PathHandler {
  const { store, now } = api
  const sessions = { store, now }
  const dependencies: ConsoleDependencies = {
    place: { origin },
    script: assetOf('script', 'javascript', CONSOLE_SCRIPT),
    now,
    identify: async (given, request) =>
      api.identify(
        'apiKey' in given
          ? `Bearer ${given.apiKey}`
          : formatBasic({ username: given.account, password: new Secret(given.password) }).reveal(),
        networksOf(request),
      ),
    openSession: async (caller, browser) => {
      const { account, apiKeyId } = caller
      gate.audit({ kind: 'signedIn', account: account.name, apiKey: apiKeyId, peer: browser.peer })
      return openSession(sessions, caller, browser)
    },
    sessionOf: async (secret) => sessionOf(sessions, secret),
    renewSession: async (id) => renewSession(sessions, id),
    endSession: async (session) => endSession(sessions, session),
    checkFactor: async (given, request) => checkFactor(gate, given, networksOf(request)),
    followLink: async (form, request) => {
      const followed = await followLink(gate, form, networksOf(request))
      if ('account' in followed && form.purpose !== 'open') {
        const { name } = followed.account
        const operation = LINK_OPERATIONS[form.purpose]
        gate.audit({
          kind: 'changed',
          operation,
          account: name,
          apiKey: undefined,
          subject: name,
          peer: request.peer,
        })
      }
      return followed
    },
    api: async (...asked) => askedOf(api, ...asked),
    reportError: (error) => reportFailure('a request to the console', error),
  }
  return {
    matches: isConsolePath,
    handle: async (request) => handleConsole(dependencies, request),
    logFields: ({ method }) => ({ method }),
  }
}
