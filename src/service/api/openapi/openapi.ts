import { MAX_CHANGES } from '../request/limits.ts'
import { parametersOf } from './parameters.ts'
import {
  errorResponses,
  type HeaderName,
  json,
  NOT_MODIFIED,
  SHARED_COMPONENTS,
  type SuccessStatus,
  successResponse,
  zoneFile,
} from './responses.ts'
import type { ApiService } from '../request/context.ts'
import type { RequestFaultName } from '../request/faults.ts'
import type { Route } from '../route.ts'
import { ROUTES } from '../routes.ts'
import { list, ref, type Schema } from './schema.ts'
import { item, items, SCHEMAS, type Whole, withChanges } from './schemas.ts'

const SUCCESS = ref('CommandSuccess')
const ZONE_FILE = ref('ZoneFile')

interface Shape {
  readonly request?: Schema
  /** Without a body everything has its default. */
  readonly isRequestOptional?: true
  readonly response: Schema
  readonly statuses: readonly SuccessStatus[]
  /** Headers of a success. */
  readonly headers?: readonly HeaderName[]
  /** The faults of the handler that are not in the specification's table of errors. */
  readonly faults?: readonly RequestFaultName[]
}
const LABELS = ['Created-Labels'] as const
const TAGGED = ['ETag'] as const

const OPERATORS = ['operatorNeeded', 'operatorFactorMissing'] as const
const OF_ONE = [...OPERATORS, 'subjectNotFound'] as const

/** Request and response schema of each operation, with the statuses and headers of a success. */
// biome-ignore format: a table
export const SHAPES = {
  getAccount:       { response: item('Account'), statuses: [200] },
  changeAccount:    { request: ref('AccountPatch'), response: SUCCESS, statuses: [200], faults: ['scopeInsufficient'] },
  exportAccount:    { response: item('AccountExport'), statuses: [200], faults: ['scopeInsufficient'] },
  deleteAccount:    { response: SUCCESS, statuses: [200], faults: ['scopeInsufficient', 'queryInvalid', 'deletionNotConfirmed'] },
  changePassword:   { request: ref('PasswordChange'), response: SUCCESS, statuses: [200], faults: ['scopeInsufficient', 'oldPasswordWrong'] },
  listTrail:        { response: items('TrailEntry', 'TrailPage'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'] },
  getAccountHistory: { response: item('AccountHistory'), statuses: [200], faults: ['scopeInsufficient'] },
  listSessions:     { response: items('Session'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'] },
  deleteSession:    { response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'sessionNotFound'] },
  listSecondFactors: { response: item('SecondFactors'), statuses: [200], faults: ['scopeInsufficient'] },
  createTotp:       { request: ref('NewTotp'), isRequestOptional: true, response: item('SecondFactor'), statuses: [201], faults: ['scopeInsufficient', 'factorsOverLimit'] },
  createPasskeyOptions: { response: item('PasskeyOptions'), statuses: [200], faults: ['scopeInsufficient', 'factorsOverLimit', 'noWebsite'] },
  createPasskey:    { request: ref('NewPasskey'), response: item('SecondFactor'), statuses: [201], faults: ['scopeInsufficient', 'factorsOverLimit', 'passkeyWrong'] },
  confirmSecondFactor: { request: ref('FactorCode'), response: item('RecoveryCodes'), statuses: [200], faults: ['scopeInsufficient', 'factorNotFound', 'codeWrong'] },
  deleteSecondFactor: { response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'factorNotFound'] },
  createRecoveryCodes: { response: item('RecoveryCodes'), statuses: [201], faults: ['scopeInsufficient', 'factorNotFound'] },
  listKeys:         { response: items('Key'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'] },
  createKey:        { request: ref('KeyChange'), response: item('Key'), statuses: [201], faults: ['scopeInsufficient', 'keysOverLimit', 'hostnameNotFound', 'keyLocked'] },
  getKey:           { response: item('Key'), statuses: [200], faults: ['keyNotFound'] },
  changeKey:        { request: ref('KeyChange'), response: item('KeyChanged'), statuses: [202], faults: ['scopeInsufficient', 'keyNotFound', 'hostnameNotFound', 'keyLocked'] },
  deleteKey:        { response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'keyNotFound'] },
  listApiKeys:      { response: items('ApiKey'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'] },
  createApiKey:     { request: ref('NewApiKey'), isRequestOptional: true, response: item('ApiKey'), statuses: [201], faults: ['scopeInsufficient', 'apiKeysOverLimit'] },
  getApiKey:        { response: item('ApiKey'), statuses: [200], faults: ['scopeInsufficient', 'apiKeyNotFound'] },
  changeApiKey:     { request: ref('ApiKeyChange'), response: item('ApiKey'), statuses: [200, 202], faults: ['scopeInsufficient', 'apiKeyNotFound'] },
  deleteApiKey:     { response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'apiKeyNotFound'] },
  listTsigKeys:     { response: items('TsigKey'), statuses: [200], headers: TAGGED, faults: ['scopeInsufficient'] },
  createTsigKey:    { request: ref('NewTsigKey'), isRequestOptional: true, response: item('TsigKey'), statuses: [201], faults: ['scopeInsufficient', 'tsigKeysOverLimit'] },
  deleteTsigKey:    { response: item('KeyChanged'), statuses: [200], faults: ['scopeInsufficient', 'tsigKeyNotFound'] },
  listOperatorAccounts: { response: items('OperatorAccount'), statuses: [200], headers: TAGGED, faults: OPERATORS },
  getOperatorAccount: { response: item('OperatorAccountDetail'), statuses: [200], faults: OF_ONE },
  changeOperatorAccount: { request: ref('OperatorAccountPatch'), response: item('KeyChanged'), statuses: [200], faults: [...OF_ONE, 'operationRefused'] },
  createResetLink:  { request: ref('ResetLinkRequest'), isRequestOptional: true, response: item('NewLink'), statuses: [201], faults: [...OF_ONE, 'operationRefused'] },
  forgetSecondFactors: { response: item('KeyChanged'), statuses: [200], faults: OF_ONE },
  listPlans:        { response: items('OperatorPlan'), statuses: [200], headers: TAGGED, faults: OPERATORS },
  setPlan:          { request: ref('PlanPatch'), response: item('KeyChanged'), statuses: [200], faults: [...OPERATORS, 'operationRefused'] },
  listBlocks:       { response: items('Block'), statuses: [200], headers: TAGGED, faults: OPERATORS },
  setBlock:         { response: item('KeyChanged'), statuses: [200], faults: [...OF_ONE, 'operationRefused'] },
  deleteBlock:      { response: item('KeyChanged'), statuses: [200], faults: [...OF_ONE, 'operationRefused'] },
  listLockouts:     { response: items('Lockout'), statuses: [200], headers: TAGGED, faults: OPERATORS },
  deleteLockout:    { response: item('KeyChanged'), statuses: [200], faults: OF_ONE },
  getLoad:          { response: item('Load'), statuses: [200], faults: OPERATORS },
  listSecondaries:  { response: item('Secondaries'), statuses: [200], faults: OPERATORS },
  listInvitations:  { response: items('Invitation'), statuses: [200], headers: TAGGED, faults: OPERATORS },
  createInvitation: { request: ref('NewInvitation'), response: item('NewLink'), statuses: [201], faults: [...OF_ONE, 'operationRefused'] },
  deleteInvitation: { response: item('KeyChanged'), statuses: [200], faults: OF_ONE },
  about:            { response: item('About'), statuses: [200] },
  listZones:        { response: items('Zone'), statuses: [200], headers: TAGGED },
  createZone:       { request: ref('NewZone'), response: SUCCESS, statuses: [201], faults: ['scopeInsufficient', 'zoneNotCreatable'] },
  getZone:          { response: item('Zone'), statuses: [200] },
  changeZone:       { request: ref('ZonePatch'), response: SUCCESS, statuses: [200, 202], faults: ['scopeInsufficient'] },
  deleteZone:       { response: SUCCESS, statuses: [200], faults: ['scopeInsufficient', 'deletionNotConfirmed'] },
  exportZone:       { response: ZONE_FILE, statuses: [200], faults: ['scopeInsufficient'] },
  importZone:       { request: ZONE_FILE, response: item('ZoneImport'), statuses: [200, 202], faults: ['scopeInsufficient', 'zoneFileExpected'] },
  publishZone:      { response: SUCCESS, statuses: [202], faults: ['scopeInsufficient'] },
  getPublication:   { response: item('Publication'), statuses: [200] },
  getDelegation:    { response: item('Delegation'), statuses: [200], faults: ['tooManyRequests'] },
  getZoneMetadata:  { response: item('Metadata'), statuses: [200] },
  setZoneMetadata:  { request: ref('MetadataChange'), response: SUCCESS, statuses: [202], faults: ['scopeInsufficient'] },
  listAuthorities:  { response: items('Authority'), statuses: [200], headers: TAGGED },
  listClients:      { response: items('Client'), statuses: [200], headers: TAGGED },
  presentChallenge: { request: ref('Challenge'), response: SUCCESS, statuses: [200] },
  cleanUpChallenge: { request: ref('Challenge'), response: SUCCESS, statuses: [200] },
  listNames:        { response: items('ListedName'), statuses: [200], headers: TAGGED },
  listZoneNames:    { response: items('Name'), statuses: [200], headers: TAGGED },
  createName:       { request: ref('NewName'), response: SUCCESS, statuses: [201], headers: LABELS },
  changeRRSets:     { request: list(ref('RRSetPatch'), undefined, { maxItems: MAX_CHANGES }), response: SUCCESS, statuses: [200, 202] },
  getName:          { response: item('Name'), statuses: [200], headers: TAGGED },
  changeName:       { request: ref('NamePatch'), response: SUCCESS, statuses: [200, 202], faults: ['keyLocked'] },
  deleteName:       { response: SUCCESS, statuses: [200] },
  publishName:      { response: SUCCESS, statuses: [202] },
  getNameMetadata:  { response: item('Metadata'), statuses: [200] },
  setNameMetadata:  { request: ref('MetadataChange'), response: SUCCESS, statuses: [202] },
  getOffline:       { response: item('OfflineSettings'), statuses: [200] },
  setOffline:       { request: ref('NewOfflineSettings'), response: SUCCESS, statuses: [202] },
  deleteOffline:    { response: SUCCESS, statuses: [200] },
  listRRSets:       { response: items('RRSet'), statuses: [200], headers: TAGGED },
  createRRSets:     { request: list(ref('NewRRSet')), response: SUCCESS, statuses: [201], headers: LABELS },
  getRRSet:         { response: item('RRSet'), statuses: [200], headers: TAGGED },
  replaceRRSet:     { request: ref('RRSetChange'), response: SUCCESS, statuses: [200, 201, 202], headers: LABELS },
  deleteRRSet:      { response: SUCCESS, statuses: [200] },
  getRRSetMetadata: { response: item('Metadata'), statuses: [200] },
  setRRSetMetadata: { request: ref('MetadataChange'), response: SUCCESS, statuses: [202] },
  replaceRdata:     { request: list(ref('NewRdata')), response: SUCCESS, statuses: [202], headers: LABELS },
  appendRdata:      { request: list(ref('NewRdata')), response: SUCCESS, statuses: [201], headers: LABELS },
  setRdata:         { request: ref('RdataChange'), response: SUCCESS, statuses: [200, 201, 202] },
  deleteRdata:      { response: SUCCESS, statuses: [200] },
} as const satisfies { readonly [K in keyof typeof ROUTES]: Shape }

type Operation = keyof typeof ROUTES
type DataIn<A> = A extends { readonly data: infer D } ? D : never
/** The data that an operation answers, by its schema; undefined for one that answers none. */
export type AnswerOf<O extends Operation> = DataIn<Whole<(typeof SHAPES)[O]['response']>>
type Handled<O extends Operation> = (typeof ROUTES)[O] extends { readonly answers?: infer A }
  ? DataIn<NonNullable<A>>
  : never
type Unlike = { [O in Operation]: Handled<O> extends AnswerOf<O> ? never : O }[Operation]
/** A handler that answers something else than its schema says is a type error here, which names the operation. */
export const ALL_ANSWERS_FIT: [Unlike] extends [never] ? true : Unlike = true

/** By its media type. A master file may come as a plain text too. */
const contentOf = (request: Schema): Schema =>
  request === ZONE_FILE ? { ...zoneFile(request), 'text/plain': { schema: request } } : json(request)

function operationOf(id: keyof typeof ROUTES, route: Route): Schema {
  const {
    request,
    isRequestOptional = false,
    response,
    statuses,
    headers = [],
    faults = [],
  } = SHAPES[id] as Shape
  const shown = route.method !== 'GET' && 'properties' in response ? withChanges(response) : response
  const isTagged = headers.some((name) => name === 'ETag')
  const parameters = parametersOf(id, { ...route, isTagged })
  return {
    operationId: id,
    summary: route.summary,
    tags: [route.tag],
    ...(parameters.length > 0 && { parameters }),
    ...(request !== undefined && {
      requestBody: { required: !isRequestOptional, content: contentOf(request) },
    }),
    responses: {
      ...Object.fromEntries(
        statuses.map((status) => [
          String(status),
          {
            ...successResponse(status, shown, headers),
            ...(response === ZONE_FILE && { content: zoneFile(response) }),
          },
        ]),
      ),
      ...(isTagged && { 304: NOT_MODIFIED }),
      ...errorResponses(route, faults),
    },
    ...(route.isOpen && { security: [] }),
  }
}

const DESCRIPTION = `Zones, names, records, DDNS keys and API keys.

Objects of responses are closed: they have the described fields and no others. Unknown fields of a request are ignored,
with a warning. A request with an error changes nothing. All errors have the schema ErrorResponse, also 404 for an
unknown path, 405 with Allow for a method that a path does not have, and 413.`

/** What the API is. Its version is independent of that of the program (spec, "Versioning"). */
export const API_IDENTITY = { name: 'Holdfast DNS management API', version: '1.0.0' } as const

/** The OpenAPI 3.1 document of this API, from the table of routes. */
export function openApi({ name, version }: Pick<ApiService, 'name' | 'version'>): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const [id, route] of Object.entries(ROUTES) as [keyof typeof ROUTES, Route][]) {
    const path = `/v1${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(id, route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: name, version, description: DESCRIPTION },
    security: [{ Basic: [] }, { Bearer: [] }],
    paths,
    components: {
      schemas: SCHEMAS,
      ...SHARED_COMPONENTS,
      securitySchemes: {
        Basic: { type: 'http', scheme: 'basic' },
        Bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
