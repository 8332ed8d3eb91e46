import { lateIds } from '../../publish/status.ts'
import { isAtLeast } from '../../../shared/base/level.ts'
import { after } from '../../../shared/base/time.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import type { Log } from '../../../shared/ports/log.ts'
import { limitsOf } from '../../auth/limits.ts'
import type { Publishing } from '../publishing/publishing.ts'
import { type ApiDependencies, handleApi, isApiPath } from '../../api/handle.ts'
import type { InTurn } from '../../api/request/context.ts'
import { passwordChecker } from '../../auth/login.ts'
import { dispatch, type PathHandler } from '../../http/dispatch.ts'
import type { RequestHandler } from '../../http/listen.ts'
import type { Audit } from '../../model/audit.ts'
import type { FaultRule } from '../../update/faults.ts'
import {
  handleUpdate,
  isLikeUpdatePath,
  isUpdatePath,
  MISNAMED,
  type UpdateDependencies,
} from '../../update/handle.ts'
import { hostDelegationLooks } from '../../publish/delegations.ts'
import { apiDependencies, apiHandler, networksOf } from './api.ts'
import type { OpenStore } from '../../admin/store/opened-store.ts'
import { canMail, mailer } from '../mail.ts'
import { withSites } from './sites.ts'
import { grantOf } from '../../auth/one-time-codes.ts'
import { formatBasic, Secret } from '../../../shared/base/secret.ts'
import { type CallerDependencies, countFailedLogin, lockoutOf } from '../../auth/caller.ts'
import { checkFactor } from '../../auth/factor-check.ts'
import { forgottenMail } from '../../auth/forgotten.ts'
import { followLink, LINK_OPERATIONS } from '../../auth/links.ts'
import { checkPasskey, requestOptions } from '../../auth/passkeys.ts'
import { endSession, openSession, renewSession, sessionOf } from '../../auth/sessions.ts'
import { serviceOrigin } from '../../console/access.ts'
import type { ConsoleDependencies } from '../../console/dependencies.ts'
import { costCache } from '../../console/cost-cache.ts'
import { handleConsole, isConsolePath } from '../../console/handle.ts'
import { isPassing } from '../../store/errors.ts'
import { assetOf } from '../../console/assets.ts'
import { CONSOLE_SCRIPT } from '../../console/script.ts'

/** A request of a page, with the caller of its session in the place of credentials. */
const answerToPage = async (
  api: ApiDependencies,
  ...[request, caller, outer]: Parameters<ConsoleDependencies['api']>
): ReturnType<ConsoleDependencies['api']> =>
  handleApi(
    { ...api, identify: async () => caller },
    {
      ...request,
      // A master file is read by `readLong` alone.
      body: request.contentType === 'text/dns' ? '' : request.body,
      authorization: undefined,
      ifNoneMatch: undefined,
      networks: networksOf(outer),
      isGone: outer.isGone,
      readLong: async () => [Buffer.from(request.body)],
    },
  )

type Parts = ApiDependencies & { readonly gate: CallerDependencies }
type ReportFailure = (what: string, error: unknown) => void

/** Who is at the browser: sessions, and what people give to sign in. */
function peopleOf(origin: string, { gate, ...api }: Parts) {
  const { store, now } = api
  const sessions = { store, now, readPause: gate.readPause }
  return {
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
    renewSession: async (id, given) => renewSession(sessions, id, given),
    endSession: async (session) => endSession(sessions, session),
    checkFactor: async (given, request) => checkFactor(gate, given, networksOf(request)),
    passkeyOptions: async (account) => {
      const site = { pepper: gate.pepper, origin, now: now() }
      if (account === undefined) return JSON.stringify(requestOptions(site))
      const factors = await store.read(async (r) => r.factorsOf(account.id))
      return factors.some(({ kind }) => kind === 'passkey')
        ? JSON.stringify(requestOptions(site, factors))
        : undefined
    },
    checkPasskey: async (credential, request) =>
      checkPasskey(gate, { origin, credential }, networksOf(request)),
  } satisfies Partial<ConsoleDependencies>
}

/** Sends a link for another password, if the account has an address. */
const resetSender = (
  origin: string,
  { gate, service }: Parts,
  reportFailure: ReportFailure,
): NonNullable<ConsoleDependencies['sendResetLink']> => {
  const send = async (request: Parameters<typeof forgottenMail>[1]): Promise<void> => {
    try {
      const mail = await forgottenMail(gate, request)
      const fault = mail && (await service.sendMail(mail))
      if (fault !== undefined) throw new Error(`a message was not sent: ${fault}`)
    } catch (error) {
      reportFailure('a link for another password', error)
    }
  }
  return async (account, request) => {
    const networks = networksOf(request)
    const locked = await lockoutOf(gate, networks)
    if (locked !== undefined) return locked
    await countFailedLogin(gate, networks)
    // What follows takes longer for an account that exists: no answer waits for it.
    void send({ account, origin: serviceOrigin({ origin }, request.host) })
    return undefined
  }
}

const linkFollower =
  (gate: CallerDependencies): ConsoleDependencies['followLink'] =>
  async (form, request) => {
    const followed = await followLink(gate, form, networksOf(request))
    if ('account' in followed && form.purpose !== 'open') {
      const { name } = followed.account
      const operation = LINK_OPERATIONS[form.purpose]
      const { peer } = request
      gate.audit({ kind: 'changed', operation, account: name, apiKey: undefined, subject: name, peer })
    }
    return followed
  }

/** The console, over the operations of `/v1` in this process: it can do nothing that these cannot (decision 0059). */
export function consolePart(
  { origin, hasMail }: { readonly origin: string; readonly hasMail: boolean },
  api: Parts,
  reportFailure: ReportFailure,
): PathHandler {
  const dependencies: ConsoleDependencies = {
    ...peopleOf(origin, api),
    place: { origin },
    script: assetOf('script', 'javascript', CONSOLE_SCRIPT),
    now: api.now,
    cached: costCache(api.now, api.gate.readPause),
    sendResetLink: hasMail ? resetSender(origin, api, reportFailure) : undefined,
    invitedZone: async (code) => {
      const given = { purpose: 'invitation', code, now: api.now() } as const
      const { zone } = (await api.store.read(async (r) => grantOf(r, given))) ?? {}
      return typeof zone === 'string' ? zone : undefined
    },
    followLink: linkFollower(api.gate),
    api: async (...request) => answerToPage(api, ...request),
    isPassing,
    reportError: (error) => reportFailure('a request to the console', error),
  }
  return {
    matches: isConsolePath,
    handle: async (request) => handleConsole(dependencies, request),
    logFields: ({ method }) => ({ method }),
  }
}

export interface HandlerParts {
  readonly health: PathHandler
  readonly audit: Audit
  readonly reportFailure: (what: string, error: unknown) => void
  readonly publishing: Pick<Publishing, 'wake' | 'whenServed' | 'notifier'>
  readonly inTurn: InTurn
  readonly log: Log
  readonly ending: AbortSignal
  readonly faults: readonly FaultRule[]
}

/** Makes the handler of all requests for some settings. State that lasts over requests, such as counts, is made once. */
export function handlerMaker(
  { store, pepper }: Pick<OpenStore, 'store' | 'pepper'>,
  parts: HandlerParts,
): (settings: ServiceSettings) => RequestHandler {
  const { log, publishing } = parts
  const passwords = passwordChecker(pepper)
  const delegation = hostDelegationLooks()
  return (settings) => {
    const update = updateDependencies(settings, { store, passwords }, parts)
    const api = apiDependencies(settings, {
      store,
      pepper,
      passwords,
      audit: parts.audit,
      requestFlush: publishing.wake,
      whenServed: publishing.whenServed,
      secondaries: (id) => publishing.notifier.zoneAt(id),
      lateZones: () => lateIds(publishing.notifier.status()),
      delegation,
      sendMail: mailer(settings, parts.ending),
      inTurn: parts.inTurn,
      reportFailure: parts.reportFailure,
    })
    const handlers: readonly PathHandler[] = [
      updatePart(update),
      {
        matches: isApiPath,
        handle: apiHandler(settings, api),
        rejectsLongBodies: true,
        logFields: ({ method }) => ({ method }),
      },
      ...(settings.console === undefined
        ? []
        : [consolePart({ origin: settings.console, hasMail: canMail(settings) }, api, parts.reportFailure)]),
      parts.health,
      { matches: isLikeUpdatePath, handle: async () => MISNAMED, logFields: () => ({}) },
    ]
    const handle = dispatch(handlers, { log, isLogged: isAtLeast('debug', settings.logLevel) })
    return settings.redirectAddresses.length === 0 ? handle : withSites(handle, store)
  }
}

/** In characters. */
const MAX_LOGGED_REPLY = 100

const updatePart = (dependencies: UpdateDependencies): PathHandler => ({
  matches: isUpdatePath,
  takesNoHost: true,
  handle: async (request) => handleUpdate(dependencies, request),
  logFields: (_, { body }) => ({ reply: body.slice(0, MAX_LOGGED_REPLY) }),
})

function updateDependencies(
  settings: ServiceSettings,
  updater: Pick<UpdateDependencies['updater'], 'store' | 'passwords'>,
  { ending, faults, audit, reportFailure, inTurn }: HandlerParts,
): UpdateDependencies {
  const { allHostnames, strictAgents, blockedAgents, realm } = settings
  return {
    updater: {
      ...updater,
      policy: { limits: limitsOf(settings), allHostnames, strictAgents, blockedAgents },
      now: () => systemClock.now(),
      audit,
    },
    realm,
    faults,
    pause: async (span) => steadyClock.sleep(after(steadyClock.now(), span), ending),
    inTurn: async (key, work) => inTurn({ kind: 'update', key, isGone: undefined }, work),
    reportError: (error) => reportFailure('an update request', error),
  }
}
