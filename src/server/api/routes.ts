import type { ErrorName } from '../errors/errors.ts'
import { changeKey, createKey, deleteKey, getKey, listKeys } from './keys.ts'
import { listNames, listZoneNames } from './listing.ts'
import { createName, deleteName, getName, publishName } from './names.ts'
import { deleteOffline, getOffline, setOffline } from './offline.ts'
import { appendRdata, deleteRdata, replaceRdata, setRdata } from './rdata.ts'
import type { HandlerResult, RequestContext } from './request-context.ts'
import {
  createRRSets,
  deleteRRSet,
  getNameMetadata,
  getRRSet,
  getRRSetMetadata,
  listRRSets,
  setNameMetadata,
  setRRSetMetadata,
} from './rrsets.ts'
import { about, createZone, deleteZone, getZone, listAuthorities, listClients, listZones } from './zones.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Route<R extends ErrorName = ErrorName> {
  readonly method: Method
  /** As the specification writes it, after /v1. */
  readonly path: string
  readonly says: string
  readonly tag: 'records' | 'zones' | 'zone_authorities' | 'clients' | 'meta' | 'DDNS Keys'
  /** What it may refuse; the specification's table of the operation. */
  readonly refuses: readonly R[]
  /** Answers without credentials too. */
  readonly isOpen?: true
  /** Counted per account, because each may make a secret. */
  readonly isRateLimited?: true
  readonly handle: (visit: RequestContext) => Promise<HandlerResult<R>>
}

/** A handler that may refuse what its row does not list does not compile. */
export const route = <const R extends ErrorName>(
  row: Omit<Route<R>, 'handle'> & {
    readonly handle: (visit: RequestContext) => Promise<HandlerResult<NoInfer<R>>>
  },
): Route => row

const ZONE = ['zoneNotFound', 'zoneNotShared', 'websiteOnly'] as const
const ZONE_CHANGE = [...ZONE, 'zoneChangeProhibited'] as const
const NAME = [...ZONE, 'nameNotFound'] as const
const NAME_CHANGE = [...ZONE_CHANGE, 'nameNotFound', 'nameChangeForbidden', 'nameChangeProhibited'] as const
const RRSET_CHANGE = [
  ...ZONE_CHANGE,
  'nameNotFound',
  'nameChangeProhibited',
  'rrsetNotFound',
  'rrsetChangeForbidden',
] as const
const SHAPE = [
  'typeOrRdataMissing',
  'typeUnsupported',
  'ttlInvalid',
  'rdataLabelInvalid',
  'rdataLabelsNotUnique',
  'groupTargetNeedsLabel',
  'groupTargetTypeInvalid',
  'updateGroupsDuplicated',
  'updateGroupInvalid',
  'rdataMalformed',
  'cnameInvalid',
  'nsInvalid',
  'ptrInvalid',
  'aliasInvalid',
  'urlRedirectMalformed',
  'dnsRulesViolated',
] as const
const OFFLINE = [
  'offlineFieldMissing',
  'typeOrRdataMissing',
  'offlineAddressInvalid',
  'redirectUrlInvalid',
  'logoUrlInvalid',
  'emailInvalid',
] as const
const PERMISSION = [
  'typesDisallowed',
  'zoneOwnerOnly',
  'rrsetCreateForbidden',
  'rdataCreateForbidden',
  'ttlFixed',
  'ttlTooLow',
  'underscoreLabelReserved',
  'updateGroupForbidden',
] as const
const CREATION = [
  'nameInvalid',
  'labelCharactersInvalid',
  'wildcardNotTerminal',
  'tooManyLabels',
  'wildcardParentEmpty',
  'nameCreateForbidden',
  'zoneTakesNoNewNames',
  'wildcardRestricted',
  'nameExists',
  'nameOwned',
] as const
const VALUES = ['rdataExists', 'aliasOutsideZone'] as const
const TARGETS = ['targetExists', 'groupTargetConflicts'] as const
const RECORD_QUOTAS = ['rdataOverLimit', 'rrsetMetadataOverLimit'] as const
const QUOTAS = ['namesOverLimit', ...RECORD_QUOTAS, 'nameMetadataOverLimit'] as const
const RECORDS = [...SHAPE, ...PERMISSION, ...VALUES] as const

const NAMES = '/dns/records/{zone_name}'
const AT = `${NAMES}/{name}`
const SETS = `${AT}/rrsets`
const SET = `${SETS}/{dns_type}`
const KEYS = '/account/ddns-keys'

/** Every operation of the API, in the order of the specification. */
// biome-ignore format: a table
export const ROUTES = {
  listKeys:           route({ method: 'GET',    path: KEYS,                             tag: 'DDNS Keys',        says: 'list the DDNS keys',                       refuses: [],                                    handle: listKeys,         isRateLimited: true }),
  createKey:          route({ method: 'POST',   path: KEYS,                             tag: 'DDNS Keys',        says: 'make a DDNS key; its password is shown once', refuses: ['websiteOnly', 'zoneChangeProhibited', 'nameChangeProhibited'],                                 handle: createKey,        isRateLimited: true }),
  getKey:             route({ method: 'GET',    path: `${KEYS}/{ddns_key_username}`,    tag: 'DDNS Keys',        says: 'a DDNS key with its targets',              refuses: [],                                    handle: getKey,           isRateLimited: true }),
  changeKey:          route({ method: 'PUT',    path: `${KEYS}/{ddns_key_username}`,    tag: 'DDNS Keys',        says: 'change a DDNS key and what it is attached to', refuses: ['websiteOnly', 'zoneChangeProhibited', 'nameChangeProhibited'],                                handle: changeKey,        isRateLimited: true }),
  deleteKey:          route({ method: 'DELETE', path: `${KEYS}/{ddns_key_username}`,    tag: 'DDNS Keys',        says: 'delete a DDNS key',                        refuses: [],                                    handle: deleteKey,        isRateLimited: true }),
  about:              route({ method: 'GET',    path: '/dns/about',                     tag: 'meta',             says: 'name and version of the API',              refuses: [],                                    handle: about,            isOpen: true }),
  listZones:          route({ method: 'GET',    path: '/dns/zones',                     tag: 'zones',            says: 'list the zones',                           refuses: [],                                    handle: listZones }),
  createZone:         route({ method: 'POST',   path: '/dns/zones',                     tag: 'zones',            says: 'make a zone',                              refuses: ['namesOverLimit', 'nameMetadataOverLimit'],                                    handle: createZone }),
  getZone:            route({ method: 'GET',    path: '/dns/zones/{zone_name}',         tag: 'zones',            says: 'a zone',                                   refuses: ZONE,                                  handle: getZone }),
  deleteZone:         route({ method: 'DELETE', path: '/dns/zones/{zone_name}',         tag: 'zones',            says: 'delete a zone with all that is in it',     refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameChangeProhibited'], handle: deleteZone }),
  listAuthorities:    route({ method: 'GET',    path: '/dns/zone-authorities',          tag: 'zone_authorities', says: 'the nameservers that zones are served by', refuses: [],                                    handle: listAuthorities }),
  listClients:        route({ method: 'GET',    path: '/dns/clients',                   tag: 'clients',          says: 'the update clients that were seen',        refuses: [],                                    handle: listClients }),
  listNames:          route({ method: 'GET',    path: '/dns/records',                   tag: 'records',          says: 'list names, of all zones',                 refuses: ['sortKeyInvalid'],                    handle: listNames }),
  listZoneNames:      route({ method: 'GET',    path: NAMES,                            tag: 'records',          says: 'list the names of a zone',                 refuses: [...ZONE, 'sortKeyInvalid'],           handle: listZoneNames }),
  createName:         route({ method: 'POST',   path: NAMES,                            tag: 'records',          says: 'make a name with all that is at it',       refuses: [...ZONE_CHANGE, ...CREATION, ...RECORDS, ...OFFLINE, 'offlineSettingsExpected', 'groupTargetAmbiguous', 'notAllowed', ...TARGETS, ...QUOTAS], handle: createName }),
  getName:            route({ method: 'GET',    path: AT,                               tag: 'records',          says: 'a name',                                   refuses: NAME,                                  handle: getName }),
  deleteName:         route({ method: 'DELETE', path: AT,                               tag: 'records',          says: 'delete a name with all that is at it',     refuses: NAME_CHANGE,                           handle: deleteName }),
  publishName:        route({ method: 'POST',   path: `${AT}/publish`,                  tag: 'records',          says: 'publish a name at once',                   refuses: [...NAME_CHANGE, ...QUOTAS],           handle: publishName }),
  getNameMetadata:    route({ method: 'GET',    path: `${AT}/metadata`,                 tag: 'records',          says: 'the metadata of a name',                   refuses: NAME,                                  handle: getNameMetadata }),
  setNameMetadata:    route({ method: 'POST',   path: `${AT}/metadata`,                 tag: 'records',          says: 'add to the metadata of a name',            refuses: [...NAME_CHANGE, 'nameMetadataOverLimit'], handle: setNameMetadata }),
  getOffline:         route({ method: 'GET',    path: `${AT}/offline-settings`,         tag: 'records',          says: 'what takes the place of an offline name',  refuses: ['zoneNotFound', 'nameNotFound'],      handle: getOffline }),
  setOffline:         route({ method: 'PUT',    path: `${AT}/offline-settings`,         tag: 'records',          says: 'set that',                                 refuses: [...NAME_CHANGE, ...OFFLINE, 'notAllowed'], handle: setOffline }),
  deleteOffline:      route({ method: 'DELETE', path: `${AT}/offline-settings`,         tag: 'records',          says: 'take that away',                           refuses: NAME_CHANGE,                           handle: deleteOffline }),
  listRRSets:         route({ method: 'GET',    path: SETS,                             tag: 'records',          says: 'list the RRSets of a name',                refuses: NAME,                                  handle: listRRSets }),
  createRRSets:       route({ method: 'POST',   path: SETS,                             tag: 'records',          says: 'make RRSets',                              refuses: [...NAME_CHANGE, ...RECORDS, 'rrsetExists', ...TARGETS, ...RECORD_QUOTAS], handle: createRRSets }),
  getRRSet:           route({ method: 'GET',    path: SET,                              tag: 'records',          says: 'an RRSet',                                 refuses: [...NAME, 'rrsetNotFound'],            handle: getRRSet }),
  deleteRRSet:        route({ method: 'DELETE', path: SET,                              tag: 'records',          says: 'delete an RRSet with its metadata',        refuses: RRSET_CHANGE,                          handle: deleteRRSet }),
  getRRSetMetadata:   route({ method: 'GET',    path: `${SET}/metadata`,                tag: 'records',          says: 'the metadata of an RRSet',                 refuses: [...ZONE, 'rrsetNotFound'],            handle: getRRSetMetadata }),
  setRRSetMetadata:   route({ method: 'POST',   path: `${SET}/metadata`,                tag: 'records',          says: 'add to the metadata of an RRSet',          refuses: [...RRSET_CHANGE, 'rrsetMetadataOverLimit'], handle: setRRSetMetadata }),
  replaceRdata:       route({ method: 'PUT',    path: `${SET}/rdata`,                   tag: 'records',          says: 'replace all records of a type',            refuses: [...NAME_CHANGE, 'rrsetChangeForbidden', 'rdataChangeForbidden', ...RECORDS, ...TARGETS, ...RECORD_QUOTAS], handle: replaceRdata }),
  appendRdata:        route({ method: 'POST',   path: `${SET}/rdata`,                   tag: 'records',          says: 'add records of a type; makes the name where it is missing', refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameChangeProhibited', 'rrsetChangeForbidden', 'rdataChangeForbidden', ...CREATION, ...RECORDS, ...TARGETS, ...QUOTAS], handle: appendRdata }),
  setRdata:           route({ method: 'PUT',    path: `${SET}/rdata/{label}`,           tag: 'records',          says: 'set the record with a label',              refuses: [...NAME_CHANGE, 'rrsetChangeForbidden', 'rdataChangeForbidden', 'groupTargetAmbiguous', ...RECORDS, ...RECORD_QUOTAS], handle: setRdata }),
  deleteRdata:        route({ method: 'DELETE', path: `${SET}/rdata/{label}`,           tag: 'records',          says: 'delete the record with a label',           refuses: [...NAME_CHANGE, 'rrsetNotFound', 'rdataChangeForbidden'], handle: deleteRdata }),
} as const satisfies Readonly<Record<string, Route>>
