import type { ConsolePage } from './context.ts'
import {
  accountPage,
  changeEmailAction,
  changePasswordAction,
  deleteAccountAction,
  endSessionAction,
  exportAccountAction,
} from './pages/account.ts'
import { bulkAction, bulkAttachment, bulkDeletion, bulkReview } from './pages/bulk/bulk.ts'
import { bulkDetachment, bulkUndo } from './pages/bulk/bulk-undo.ts'
import { importAction, importAgain, importPage, importPreview } from './pages/import.ts'
import { apiKeyDeletion, tsigKeyDeletion } from './pages/program-keys.ts'
import {
  createApiKeyAction,
  createTsigKeyAction,
  newApiKeyPage,
  newTsigKeyPage,
} from './pages/new-program-key.ts'
import { changeKeyAction, keyDeletion, keyPage, keysPage, renewKeyAction } from './pages/keys.ts'
import {
  confirmTotpAction,
  createPasskeyAction,
  createTotpAction,
  factorDeletion,
  newPasskeyPage,
  recoveryCodesAction,
} from './pages/factors.ts'
import { createKeyAction, newKeyPage } from './pages/new-key.ts'
import { namePage, offlineAction } from './pages/name.ts'
import { createNameAction, namesPage, newNamePage } from './pages/names.ts'
import {
  changeAccountAction,
  forgetFactorsAction,
  operatorAccountPage,
  operatorAccountsPage,
  resetLinkAction,
} from './pages/operator/accounts.ts'
import { changePlanAction, createPlanAction, planPage, plansPage } from './pages/operator/plans.ts'
import {
  blockAction,
  blockReview,
  createInvitationAction,
  deleteInvitationAction,
  lockoutEnd,
  operatorPage,
  unblockAction,
} from './pages/operator/operator.ts'
import { recordsAction, reviewRecords } from './pages/records.ts'
import { namedPage, trailFile, trailPage } from './pages/trail.ts'
import { trailUndoPage } from './pages/trail-undo.ts'
import {
  changeZoneAction,
  createZoneAction,
  exportFile,
  zoneDeletion,
  zonePage,
  zonesPage,
} from './pages/zones.ts'

export interface ConsoleRoute {
  readonly method: 'GET' | 'POST'
  /** After /console; a part in braces has any value. */
  readonly path: string
  /** The person gives the password, if that was longer ago than some minutes. */
  readonly needsProof?: true
  readonly page: ConsolePage
}

const NAME_PATH = '/names/{zone}/{name}'
const ZONE_PATH = '/zones/{zone}'
const OPERATED_ACCOUNT = '/operator/accounts/{account}'

/** Every page of a person who is signed in, and every button. */
// biome-ignore format: a table
const PAGES: readonly ConsoleRoute[] = [
  { method: 'GET',  path: '/names',                   page: namesPage },
  { method: 'GET',  path: '/names/new',               page: newNamePage },
  { method: 'POST', path: '/names/new',               page: createNameAction },
  { method: 'POST', path: '/names/bulk',              page: bulkReview },
  { method: 'POST', path: '/names/bulk/apply',        page: bulkAction },
  { method: 'POST', path: '/names/bulk/delete',       page: bulkDeletion, needsProof: true },
  { method: 'POST', path: '/names/bulk/undo',         page: bulkUndo },
  { method: 'POST', path: '/names/bulk/attach',       page: bulkAttachment, needsProof: true },
  { method: 'POST', path: '/names/bulk/detach',       page: bulkDetachment, needsProof: true },
  { method: 'GET',  path: NAME_PATH,                       page: namePage },
  { method: 'POST', path: `${NAME_PATH}/review`,           page: reviewRecords },
  { method: 'POST', path: `${NAME_PATH}/records`,          page: recordsAction },
  { method: 'POST', path: `${NAME_PATH}/offline`,          page: offlineAction },
  { method: 'GET',  path: '/zones',                   page: zonesPage },
  { method: 'POST', path: '/zones',                   page: createZoneAction },
  { method: 'GET',  path: ZONE_PATH,                       page: zonePage },
  { method: 'POST', path: ZONE_PATH,                       page: changeZoneAction },
  { method: 'GET',  path: `${ZONE_PATH}/export`,           page: exportFile },
  { method: 'GET',  path: `${ZONE_PATH}/import`,           page: importPage },
  { method: 'POST', path: `${ZONE_PATH}/import/preview`,   page: importPreview },
  { method: 'POST', path: `${ZONE_PATH}/import/again`,     page: importAgain },
  { method: 'POST', path: `${ZONE_PATH}/import`,           page: importAction, needsProof: true },
  { method: 'POST', path: `${ZONE_PATH}/delete`,           page: zoneDeletion, needsProof: true },
  { method: 'GET',  path: '/keys',                    page: keysPage },
  { method: 'GET',  path: '/keys/new',                page: newKeyPage },
  { method: 'POST', path: '/keys/new',                page: createKeyAction, needsProof: true },
  { method: 'GET',  path: '/keys/ddns/{key}',         page: keyPage },
  { method: 'POST', path: '/keys/ddns/{key}',         page: changeKeyAction, needsProof: true },
  { method: 'POST', path: '/keys/ddns/{key}/renew',   page: renewKeyAction, needsProof: true },
  { method: 'POST', path: '/keys/ddns/{key}/delete',  page: keyDeletion, needsProof: true },
  { method: 'GET',  path: '/keys/new-api-key',        page: newApiKeyPage },
  { method: 'POST', path: '/keys/new-api-key',        page: createApiKeyAction, needsProof: true },
  { method: 'POST', path: '/keys/api/{key}/delete',   page: apiKeyDeletion, needsProof: true },
  { method: 'GET',  path: '/keys/new-tsig-key',       page: newTsigKeyPage },
  { method: 'POST', path: '/keys/new-tsig-key',       page: createTsigKeyAction, needsProof: true },
  { method: 'POST', path: '/keys/tsig/{key}/delete',  page: tsigKeyDeletion, needsProof: true },
  { method: 'GET',  path: '/trail',                   page: trailPage },
  { method: 'GET',  path: '/trail/file',              page: trailFile },
  { method: 'GET',  path: '/trail/undo',              page: trailUndoPage },
  { method: 'GET',  path: '/find',                    page: namedPage },
  { method: 'GET',  path: '/account',                 page: accountPage },
  { method: 'POST', path: '/account/password',        page: changePasswordAction },
  { method: 'POST', path: '/account/email',           page: changeEmailAction, needsProof: true },
  { method: 'POST', path: '/account/passkeys',        page: newPasskeyPage, needsProof: true },
  { method: 'POST', path: '/account/passkeys/new',    page: createPasskeyAction, needsProof: true },
  { method: 'POST', path: '/account/sessions/{id}',   page: endSessionAction },
  { method: 'POST', path: '/account/export',          page: exportAccountAction, needsProof: true },
  { method: 'POST', path: '/account/delete',          page: deleteAccountAction, needsProof: true },
  { method: 'POST', path: '/account/factors',         page: createTotpAction, needsProof: true },
  { method: 'POST', path: '/account/factors/{id}/confirm', page: confirmTotpAction, needsProof: true },
  { method: 'POST', path: '/account/factors/{id}/delete', page: factorDeletion, needsProof: true },
  { method: 'POST', path: '/account/recovery-codes',  page: recoveryCodesAction, needsProof: true },
  { method: 'GET',  path: '/operator',                page: operatorPage },
  { method: 'POST', path: '/operator/invitations',    page: createInvitationAction, needsProof: true },
  { method: 'POST', path: '/operator/invitations/{id}/delete', page: deleteInvitationAction, needsProof: true },
  { method: 'POST', path: '/operator/blocks',         page: blockReview },
  { method: 'POST', path: '/operator/blocks/set',     page: blockAction, needsProof: true },
  { method: 'POST', path: '/operator/blocks/end',     page: unblockAction, needsProof: true },
  { method: 'POST', path: '/operator/blocks/{subject}/end', page: unblockAction, needsProof: true },
  { method: 'POST', path: '/operator/lockouts/{subject}/end', page: lockoutEnd, needsProof: true },
  { method: 'GET',  path: '/operator/accounts',       page: operatorAccountsPage },
  { method: 'GET',  path: OPERATED_ACCOUNT,                page: operatorAccountPage },
  { method: 'POST', path: OPERATED_ACCOUNT,                page: changeAccountAction, needsProof: true },
  { method: 'POST', path: `${OPERATED_ACCOUNT}/reset-link`, page: resetLinkAction, needsProof: true },
  { method: 'POST', path: `${OPERATED_ACCOUNT}/forget-factors`, page: forgetFactorsAction, needsProof: true },
  { method: 'GET',  path: '/operator/plans',          page: plansPage },
  { method: 'POST', path: '/operator/plans',          page: createPlanAction, needsProof: true },
  { method: 'GET',  path: '/operator/plans/{plan}',   page: planPage },
  { method: 'POST', path: '/operator/plans/{plan}',   page: changePlanAction, needsProof: true },
]

interface FoundPage {
  readonly route: ConsoleRoute
  readonly params: Readonly<Record<string, string>>
}

/** The page of a request, or the methods of its path. */
export function findPage(method: string, path: string): FoundPage | readonly string[] {
  const all = PAGES.flatMap((route) => {
    const params = paramsOf(route.path, path)
    return params === undefined ? [] : [{ route, params }]
  })
  const wanted = method === 'HEAD' ? 'GET' : method
  return all.find(({ route }) => route.method === wanted) ?? all.map(({ route }) => route.method)
}

/** Undefined if the path does not match, or is not well encoded. */
function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = `/console${pattern}`.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [nth, part] of wanted.entries()) {
    const value = given[nth] ?? ''
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name === undefined && part !== value) return undefined
    if (name === undefined) continue
    // An empty one would be another path of the API.
    if (value === '') return undefined
    try {
      params[name] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return params
}
