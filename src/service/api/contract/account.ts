import { getAccountHistory } from '../account/history.ts'
import { changeAccount, getAccount } from '../account/account.ts'
import { deleteAccount, exportAccount } from '../account/whole-account.ts'
import { changePassword, preparePassword } from '../account/password.ts'
import {
  confirmSecondFactor,
  createRecoveryCodes,
  createTotp,
  deleteSecondFactor,
  listSecondFactors,
} from '../account/second-factors.ts'
import { createPasskey, createPasskeyOptions, preparePasskey } from '../account/passkeys.ts'
import { deleteSession, listSessions } from '../account/sessions.ts'
import { listTrail } from '../account/trail.ts'
import { changeApiKey, createApiKey, deleteApiKey, getApiKey, listApiKeys } from '../keys/api-keys.ts'
import { createTsigKey, deleteTsigKey, listTsigKeys } from '../keys/tsig-keys.ts'
import { changeKey, createKey, deleteKey, getKey, listKeys } from '../keys/keys.ts'
import { KEY_TARGETS } from '../refusal-groups.ts'
import { paged } from '../query/parameters.ts'
import { type Route, route } from '../route.ts'
import { item, items } from '../openapi/schemas.ts'
import { ref } from '../openapi/schema.ts'
import { SUCCESS, TAGGED } from './shared.ts'

const OWN_ACCOUNT = '/account'
const FACTORS = `${OWN_ACCOUNT}/second-factors`
const KEYS = '/account/ddns-keys'
const KEY = `${KEYS}/{ddns_key_username}`
const API_KEYS = '/account/api-keys'
const TSIG_KEYS = '/account/tsig-keys'

/** The operations of keys and of the account. */
// biome-ignore format: a table
export const ACCOUNT_ROUTES = {
  getAccount: route({
    method: 'GET', path: OWN_ACCOUNT, tag: 'Account', summary: 'Read the account, its plan and its usage',
    response: item('Account'), statuses: [200],
    refuses: [], handle: getAccount,
  }),
  changeAccount: route({
    method: 'PATCH', path: OWN_ACCOUNT, tag: 'Account', summary: 'Set where links for a new password go',
    request: ref('AccountPatch'), response: SUCCESS, statuses: [200], faults: ['scopeInsufficient'],
    refuses: [], handle: changeAccount, isRateLimited: true,
  }),
  exportAccount: route({
    method: 'GET', path: `${OWN_ACCOUNT}/export`, tag: 'Account', summary: 'Read everything that the account has',
    response: item('AccountExport'), statuses: [200], faults: ['scopeInsufficient'],
    refuses: [], handle: exportAccount, isLong: true, isRateLimited: true,
  }),
  deleteAccount: route({
    method: 'DELETE', path: OWN_ACCOUNT, tag: 'Account', summary: 'Delete the account with its zones, names and keys',
    query: { confirmName: true },
    response: SUCCESS, statuses: [200], faults: ['scopeInsufficient', 'deletionNotConfirmed'],
    refuses: ['zoneChangeProhibited', 'nameChangeProhibited'], handle: deleteAccount, isRateLimited: true,
  }),
  changePassword: route({
    method: 'PUT', path: `${OWN_ACCOUNT}/password`, tag: 'Account', summary: 'Change the password of the account',
    request: ref('PasswordChange'), response: SUCCESS, statuses: [200], faults: ['scopeInsufficient', 'oldPasswordWrong'],
    refuses: [], prepare: preparePassword, handle: changePassword, isRateLimited: true,
  }),
  listTrail: route({
    method: 'GET', path: `${OWN_ACCOUNT}/trail`, tag: 'Account', summary: 'List who changed what, the newest first',
    query: { cursor: { fallback: 50, max: 500 }, trail: true },
    response: items('TrailEntry', 'TrailPage'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'],
    refuses: [], handle: listTrail,
  }),
  getAccountHistory: route({
    method: 'GET', path: `${OWN_ACCOUNT}/history`, tag: 'Account', summary: 'List sign-ins and account events, newest first',
    response: item('AccountHistory'), statuses: [200], faults: ['scopeInsufficient'],
    refuses: [], handle: getAccountHistory,
  }),
  listSessions: route({
    method: 'GET', path: `${OWN_ACCOUNT}/sessions`, tag: 'Account', summary: 'List the sessions of the website',
    query: paged(50, 100),
    response: items('Session'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'],
    refuses: [], handle: listSessions,
  }),
  deleteSession: route({
    method: 'DELETE', path: `${OWN_ACCOUNT}/sessions/{id}`, tag: 'Account', summary: 'End a session of the website',
    response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'sessionNotFound'],
    refuses: [], handle: deleteSession,
  }),
  listSecondFactors: route({
    method: 'GET', path: FACTORS, tag: 'Account', summary: 'List the second factors of the account',
    response: item('SecondFactors'), statuses: [200], faults: ['scopeInsufficient'],
    refuses: [], handle: listSecondFactors,
  }),
  createTotp: route({
    method: 'POST', path: `${FACTORS}/totp`, tag: 'Account',
    summary: 'Make a secret for an authenticator app; it is shown once',
    request: ref('NewTotp'), isRequestOptional: true, response: item('SecondFactor'), statuses: [201],
    faults: ['scopeInsufficient', 'factorsOverLimit'],
    refuses: [], handle: createTotp, isRateLimited: true,
  }),
  createPasskeyOptions: route({
    method: 'POST', path: `${FACTORS}/passkey-options`, tag: 'Account',
    summary: 'Read what a browser needs for a new passkey',
    response: item('PasskeyOptions'), statuses: [200], faults: ['scopeInsufficient', 'factorsOverLimit', 'noWebsite'],
    refuses: [], handle: createPasskeyOptions, isRateLimited: true,
  }),
  createPasskey: route({
    method: 'POST', path: `${FACTORS}/passkeys`, tag: 'Account', summary: 'Store a passkey that a browser has made',
    request: ref('NewPasskey'), response: item('SecondFactor'), statuses: [201],
    faults: ['scopeInsufficient', 'factorsOverLimit', 'passkeyWrong'],
    refuses: [], prepare: preparePasskey, handle: createPasskey, isRateLimited: true,
  }),
  confirmSecondFactor: route({
    method: 'POST', path: `${FACTORS}/{id}/confirm`, tag: 'Account',
    summary: 'Confirm an authenticator app with a code',
    request: ref('FactorCode'), response: item('RecoveryCodes'), statuses: [200],
    faults: ['scopeInsufficient', 'factorNotFound', 'codeWrong'],
    refuses: [], handle: confirmSecondFactor, isRateLimited: true,
  }),
  deleteSecondFactor: route({
    method: 'DELETE', path: `${FACTORS}/{id}`, tag: 'Account', summary: 'Delete a second factor',
    response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'factorNotFound'],
    refuses: [], handle: deleteSecondFactor, isRateLimited: true,
  }),
  createRecoveryCodes: route({
    method: 'POST', path: `${OWN_ACCOUNT}/recovery-codes`, tag: 'Account',
    summary: 'Replace the recovery codes; they are shown once',
    response: item('RecoveryCodes'), statuses: [201], faults: ['scopeInsufficient', 'factorNotFound'],
    refuses: [], handle: createRecoveryCodes, isRateLimited: true,
  }),
  listKeys: route({
    method: 'GET', path: KEYS, tag: 'DDNS Keys', summary: 'List the DDNS keys of the account',
    query: { ...paged(50, 100), sort: ['created_at'], filter: ['description', 'search'] },
    response: items('Key'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'],
    refuses: ['sortKeyInvalid'], handle: listKeys, isRateLimited: true,
  }),
  createKey: route({
    method: 'POST', path: KEYS, tag: 'DDNS Keys', summary: 'Create a DDNS key; its password is shown once',
    request: ref('NewKey'), response: item('Key'), statuses: [201],
    faults: ['scopeInsufficient', 'keysOverLimit', 'hostnameNotFound', 'keyLocked'],
    refuses: KEY_TARGETS, handle: createKey, isRateLimited: true,
  }),
  getKey: route({
    method: 'GET', path: KEY, tag: 'DDNS Keys', summary: 'Read a DDNS key and its targets',
    response: item('Key'), statuses: [200], faults: ['keyNotFound'],
    refuses: [], handle: getKey, isRateLimited: true,
  }),
  changeKey: route({
    method: 'PUT', path: KEY, tag: 'DDNS Keys', summary: 'Change a DDNS key and its targets',
    request: ref('KeyChange'), response: item('KeyChanged'), statuses: [202],
    faults: ['scopeInsufficient', 'keyNotFound', 'hostnameNotFound', 'keyLocked'],
    refuses: KEY_TARGETS, handle: changeKey, isRateLimited: true,
  }),
  deleteKey: route({
    method: 'DELETE', path: KEY, tag: 'DDNS Keys', summary: 'Delete a DDNS key',
    response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'keyNotFound'],
    refuses: [], handle: deleteKey, isRateLimited: true,
  }),
  listApiKeys: route({
    method: 'GET', path: API_KEYS, tag: 'API Keys', summary: 'List the API keys of the account',
    query: { ...paged(50, 100), filter: ['search'] },
    response: items('ApiKey'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'],
    refuses: [], handle: listApiKeys, isRateLimited: true,
  }),
  createApiKey: route({
    method: 'POST', path: API_KEYS, tag: 'API Keys', summary: 'Create an API key; it is shown once',
    request: ref('NewApiKey'), isRequestOptional: true, response: item('ApiKey'), statuses: [201],
    faults: ['scopeInsufficient', 'apiKeysOverLimit'],
    refuses: [], handle: createApiKey, isRateLimited: true,
  }),
  getApiKey: route({
    method: 'GET', path: `${API_KEYS}/{id}`, tag: 'API Keys', summary: 'Read an API key, without the key itself',
    response: item('ApiKey'), statuses: [200], faults: ['scopeInsufficient', 'apiKeyNotFound'],
    refuses: [], handle: getApiKey, isRateLimited: true,
  }),
  changeApiKey: route({
    method: 'PUT', path: `${API_KEYS}/{id}`, tag: 'API Keys', summary: 'Change the description of an API key, or narrow it',
    request: ref('ApiKeyChange'), response: item('ApiKey'), statuses: [200, 202],
    faults: ['scopeInsufficient', 'apiKeyNotFound'],
    refuses: [], handle: changeApiKey, isRateLimited: true,
  }),
  deleteApiKey: route({
    method: 'DELETE', path: `${API_KEYS}/{id}`, tag: 'API Keys', summary: 'Delete an API key',
    response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'apiKeyNotFound'],
    refuses: [], handle: deleteApiKey, isRateLimited: true,
  }),
  listTsigKeys: route({
    method: 'GET', path: TSIG_KEYS, tag: 'TSIG Keys', summary: 'List the TSIG keys of the account',
    query: { ...paged(50, 100), filter: ['search'] },
    response: items('TsigKey'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'],
    refuses: [], handle: listTsigKeys, isRateLimited: true,
  }),
  createTsigKey: route({
    method: 'POST', path: TSIG_KEYS, tag: 'TSIG Keys', summary: 'Create a TSIG key for UPDATE; its secret is shown once',
    request: ref('NewTsigKey'), isRequestOptional: true, response: item('TsigKey'), statuses: [201],
    faults: ['scopeInsufficient', 'tsigKeysOverLimit'],
    refuses: [], handle: createTsigKey, isRateLimited: true,
  }),
  deleteTsigKey: route({
    method: 'DELETE', path: `${TSIG_KEYS}/{key_name}`, tag: 'TSIG Keys', summary: 'Delete a TSIG key',
    response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'tsigKeyNotFound'],
    refuses: [], handle: deleteTsigKey, isRateLimited: true,
  }),
} as const satisfies Readonly<Record<string, Route>>
