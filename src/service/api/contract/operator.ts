import {
  changeOperatorAccount,
  createResetLink,
  forgetSecondFactors,
  getOperatorAccount,
  listOperatorAccounts,
} from '../operator/accounts.ts'
import { deleteBlock, deleteLockout, listBlocks, listLockouts, setBlock } from '../operator/blocks.ts'
import { createInvitation, deleteInvitation, listInvitations } from '../operator/invitations.ts'
import { listPlans, setPlan } from '../operator/plans.ts'
import { getLoad, listSecondaries } from '../operator/status.ts'
import { paged } from '../query/parameters.ts'
import { type Route, route } from '../route.ts'
import { item, items } from '../openapi/schemas.ts'
import { ref } from '../openapi/schema.ts'
import { OF_ONE, OPERATORS, TAGGED } from './shared.ts'

const ACCOUNTS = '/operator/accounts'
const OPERATED_ACCOUNT = `${ACCOUNTS}/{account_name}`
const BLOCK = '/operator/blocks/{subject}'
const INVITATIONS = '/operator/invitations'

/** What operators do at the website; `service/admin` does it with the operations of `holdfast admin`. */
// biome-ignore format: a table
export const OPERATOR_ROUTES = {
  listOperatorAccounts: route({
    method: 'GET', path: ACCOUNTS, tag: 'Operator', summary: 'List all accounts with what they use',
    query: { ...paged(50, 100), filter: ['search'] },
    response: items('OperatorAccount'), statuses: [200], headers: TAGGED, faults: OPERATORS,
    refuses: [], handle: listOperatorAccounts,
  }),
  getOperatorAccount: route({
    method: 'GET', path: OPERATED_ACCOUNT, tag: 'Operator', summary: 'Read an account, with its first zones and keys',
    response: item('OperatorAccountDetail'), statuses: [200], faults: OF_ONE,
    refuses: [], handle: getOperatorAccount,
  }),
  changeOperatorAccount: route({
    method: 'PATCH', path: OPERATED_ACCOUNT, tag: 'Operator', summary: 'Change the plan of an account, or suspend it',
    request: ref('OperatorAccountPatch'), response: item('KeyChanged'), statuses: [200],
    faults: [...OF_ONE, 'operationRefused'],
    refuses: [], handle: changeOperatorAccount,
  }),
  createResetLink: route({
    method: 'POST', path: `${OPERATED_ACCOUNT}/reset-link`, tag: 'Operator',
    summary: 'Create a link for setting a new password; it is shown once',
    request: ref('ResetLinkRequest'), isRequestOptional: true, response: item('NewLink'), statuses: [201],
    faults: [...OF_ONE, 'operationRefused'],
    refuses: [], handle: createResetLink,
  }),
  forgetSecondFactors: route({
    method: 'DELETE', path: `${OPERATED_ACCOUNT}/second-factors`, tag: 'Operator',
    summary: 'Delete the second factors of an account',
    response: item('KeyChanged'), statuses: [200], faults: OF_ONE,
    refuses: [], handle: forgetSecondFactors,
  }),
  listPlans: route({
    method: 'GET', path: '/operator/plans', tag: 'Operator', summary: 'List the plans',
    query: paged(50, 1000),
    response: items('OperatorPlan'), statuses: [200], headers: TAGGED, faults: OPERATORS,
    refuses: [], handle: listPlans,
  }),
  setPlan: route({
    method: 'PUT', path: '/operator/plans/{plan_name}', tag: 'Operator', summary: 'Change a plan, or make it',
    request: ref('PlanPatch'), response: item('KeyChanged'), statuses: [200], faults: [...OPERATORS, 'operationRefused'],
    refuses: [], handle: setPlan,
  }),
  listBlocks: route({
    method: 'GET', path: '/operator/blocks', tag: 'Operator', summary: 'List the blocks, after abuse or by an operator',
    query: paged(50, 100),
    response: items('Block'), statuses: [200], headers: TAGGED, faults: OPERATORS,
    refuses: [], handle: listBlocks,
  }),
  setBlock: route({
    method: 'PUT', path: BLOCK, tag: 'Operator', summary: 'Block a DDNS key, an account or a name',
    response: item('KeyChanged'), statuses: [200], faults: [...OF_ONE, 'operationRefused'],
    refuses: [], handle: setBlock,
  }),
  deleteBlock: route({
    method: 'DELETE', path: BLOCK, tag: 'Operator',
    summary: 'End the blocks of a DDNS key, an account or a name, or the lockout of an address',
    response: item('KeyChanged'), statuses: [200], faults: [...OF_ONE, 'operationRefused'],
    refuses: [], handle: deleteBlock,
  }),
  listLockouts: route({
    method: 'GET', path: '/operator/lockouts', tag: 'Operator',
    summary: 'List the networks that are locked out after failed logins',
    query: paged(50, 100),
    response: items('Lockout'), statuses: [200], headers: TAGGED, faults: OPERATORS,
    refuses: [], handle: listLockouts,
  }),
  deleteLockout: route({
    method: 'DELETE', path: '/operator/lockouts/{subject}', tag: 'Operator',
    summary: 'End the lockout of a network, or of the second factor of an account',
    response: item('KeyChanged'), statuses: [200], faults: OF_ONE,
    refuses: [], handle: deleteLockout,
  }),
  getLoad: route({
    method: 'GET', path: '/operator/load', tag: 'Operator', summary: 'Read which accounts take the most time of the service',
    response: item('Load'), statuses: [200], faults: OPERATORS,
    refuses: [], handle: getLoad,
  }),
  listSecondaries: route({
    method: 'GET', path: '/operator/secondaries', tag: 'Operator', summary: 'Read how far each secondary is behind',
    response: item('Secondaries'), statuses: [200], faults: OPERATORS,
    refuses: [], handle: listSecondaries,
  }),
  listInvitations: route({
    method: 'GET', path: INVITATIONS, tag: 'Operator', summary: 'List the invitations that are not used yet',
    query: paged(50, 100),
    response: items('Invitation'), statuses: [200], headers: TAGGED, faults: OPERATORS,
    refuses: [], handle: listInvitations,
  }),
  createInvitation: route({
    method: 'POST', path: INVITATIONS, tag: 'Operator', summary: 'Make a link for a new account; it is shown once',
    request: ref('NewInvitation'), response: item('NewLink'), statuses: [201], faults: [...OF_ONE, 'operationRefused'],
    refuses: [], handle: createInvitation,
  }),
  deleteInvitation: route({
    method: 'DELETE', path: `${INVITATIONS}/{id}`, tag: 'Operator', summary: 'Revoke an invitation',
    response: item('KeyChanged'), statuses: [200], faults: OF_ONE,
    refuses: [], handle: deleteInvitation,
  }),
} as const satisfies Readonly<Record<string, Route>>
