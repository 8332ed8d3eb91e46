import { changeRRSets } from '../records/batch.ts'
import { listNames, listZoneNames } from '../names/listing.ts'
import { changeName } from '../names/change.ts'
import { createName, deleteName, getName, publishName } from '../names/names.ts'
import { deleteOffline, getOffline, setOffline } from '../names/offline.ts'
import {
  appendRdata,
  createRRSets,
  deleteRRSet,
  getNameMetadata,
  getRRSet,
  getRRSetMetadata,
  listRRSets,
  replaceRdata,
  setNameMetadata,
  setRRSetMetadata,
} from '../records/rrsets.ts'
import { deleteRdata, setRdata } from '../records/rdata-item.ts'
import {
  NAME,
  NAME_CHANGE,
  NAME_CREATION,
  NAME_LOCK,
  OFFLINE,
  QUOTAS,
  RDATA,
  RDATUM,
  RECORD_QUOTAS,
  RESULTING_ZONE,
  RRSET_CHANGE,
  TTL,
  ZONE,
  ZONE_CHANGE,
} from '../refusal-groups.ts'
import { replaceRRSet } from '../records/rrset.ts'
import { SORT_KEYS, ZONE_SORT_KEYS } from '../../model/query.ts'
import { EXPANSIONS, EXPRESSIONS, paged, VIEWS } from '../query/parameters.ts'
import { type Route, route } from '../route.ts'
import { item, items } from '../openapi/schemas.ts'
import { list, ref } from '../openapi/schema.ts'
import { LABELS, SUCCESS, TAGGED } from './shared.ts'
import { RRSET_CHANGES } from '../openapi/request-schemas.ts'

const ZONE_NAMES = '/dns/records/{zone_name}'
const AT = `${ZONE_NAMES}/{name}`
const SETS = `${AT}/rrsets`
const SET = `${SETS}/{dns_type}`
const DATA = `${SET}/rdata`

/** Of names; those of one zone have neither the name of the zone nor whether it is shared. */
// biome-ignore format: a table
const NAME_FILTERS = ['dns_name', 'name', 'dns_type', 'update_group', 'label', 'rdata', 'dynupdate', 'search', 'offline',
  'state'] as const

/** The operations of names and their records. */
// biome-ignore format: a table
export const RECORD_ROUTES = {
  listNames: route({
    method: 'GET', path: '/dns/records', tag: 'records', summary: 'List the names of all zones',
    query: { view: VIEWS, ...paged(50, 500), sort: SORT_KEYS, expand: EXPANSIONS, expressions: EXPRESSIONS,
      filter: [...NAME_FILTERS, 'zone_name', 'zone_is_shared'] },
    response: items('ListedName'), statuses: [200], headers: TAGGED,
    refuses: ['sortKeyInvalid'], handle: listNames,
  }),
  listZoneNames: route({
    method: 'GET', path: ZONE_NAMES, tag: 'records', summary: 'List the names of a zone',
    query: { ...paged(50, 500), sort: ZONE_SORT_KEYS, expand: EXPANSIONS, expressions: ['metadata', 'rrset_metadata'],
      filter: NAME_FILTERS },
    response: items('Name'), statuses: [200], headers: TAGGED,
    refuses: [...ZONE, 'sortKeyInvalid'], handle: listZoneNames,
  }),
  createName: route({
    method: 'POST', path: ZONE_NAMES, tag: 'records',
    summary: 'Create a name with its RRSets, metadata and offline settings',
    request: ref('NewName'), response: SUCCESS, statuses: [201], headers: LABELS,
    refuses: [...ZONE_CHANGE, ...NAME_CREATION, 'nameExists', ...RDATA, ...TTL, 'zoneOwnerOnly',
      ...OFFLINE, 'offlineSettingsExpected', 'groupTargetAmbiguous', ...QUOTAS],
    handle: createName,
  }),
  changeRRSets: route({
    method: 'PATCH', path: ZONE_NAMES, tag: 'records',
    summary: 'Create, replace and delete RRSets of several names, all or none',
    request: RRSET_CHANGES, response: SUCCESS, statuses: [200, 202],
    refuses: [...ZONE_CHANGE, ...NAME_CREATION, 'nameChangeForbidden', 'nameChangeProhibited', 'rrsetExists',
      'rrsetNotFound', 'rrsetChangeForbidden', 'rrsetCreateForbidden', ...RDATA, ...TTL, ...QUOTAS],
    handle: changeRRSets,
  }),
  getName: route({
    method: 'GET', path: AT, tag: 'records', summary: 'Read a name with everything at it',
    query: { expand: EXPANSIONS },
    response: item('Name'), statuses: [200], headers: TAGGED,
    refuses: NAME, handle: getName,
  }),
  changeName: route({
    method: 'PATCH', path: AT, tag: 'records', summary: 'Take a name offline or online, or rename it',
    request: ref('NamePatch'), response: SUCCESS, statuses: [200, 202], faults: ['keyLocked'],
    refuses: [...NAME_CHANGE, ...NAME_CREATION, 'nameExists', 'typesDisallowed', 'zoneOwnerOnly', 'rdataCreateForbidden',
      'ttlFixed', 'ttlTooLow', 'notAllowed', 'offlineSettingsExpected', ...RESULTING_ZONE],
    handle: changeName,
  }),
  deleteName: route({
    method: 'DELETE', path: AT, tag: 'records', summary: 'Delete a name with everything at it',
    response: SUCCESS, statuses: [200],
    refuses: [...NAME_CHANGE, 'dnsRulesViolated'], handle: deleteName,
  }),
  publishName: route({
    method: 'POST', path: `${AT}/publish`, tag: 'records', summary: 'Publish a name immediately',
    response: SUCCESS, statuses: [202],
    refuses: [...NAME_CHANGE, ...QUOTAS], handle: publishName,
  }),
  getNameMetadata: route({
    method: 'GET', path: `${AT}/metadata`, tag: 'records', summary: 'Read the metadata of a name',
    response: item('Metadata'), statuses: [200],
    refuses: NAME, handle: getNameMetadata,
  }),
  setNameMetadata: route({
    method: 'POST', path: `${AT}/metadata`, tag: 'records', summary: 'Set or remove metadata of a name',
    request: ref('MetadataChange'), response: SUCCESS, statuses: [202],
    refuses: [...NAME_CHANGE, 'nameMetadataOverLimit'], handle: setNameMetadata,
  }),
  getOffline: route({
    method: 'GET', path: `${AT}/offline-settings`, tag: 'records', summary: 'Read the offline settings of a name',
    response: item('OfflineSettings'), statuses: [200],
    refuses: ['zoneNotFound', 'nameNotFound'], handle: getOffline,
  }),
  setOffline: route({
    method: 'PUT', path: `${AT}/offline-settings`, tag: 'records', summary: 'Set the offline settings of a name',
    request: ref('NewOfflineSettings'), response: SUCCESS, statuses: [202],
    refuses: [...NAME_CHANGE, 'typeOrRdataMissing', ...OFFLINE], handle: setOffline,
  }),
  deleteOffline: route({
    method: 'DELETE', path: `${AT}/offline-settings`, tag: 'records', summary: 'Delete the offline settings of a name',
    response: SUCCESS, statuses: [200],
    refuses: NAME_CHANGE, handle: deleteOffline,
  }),
  listRRSets: route({
    method: 'GET', path: SETS, tag: 'records', summary: 'List the RRSets of a name',
    query: { ...paged(50, 500), sort: ['dns_type'], expressions: ['metadata'] },
    response: items('RRSet'), statuses: [200], headers: TAGGED,
    refuses: [...NAME, 'sortKeyInvalid'], handle: listRRSets,
  }),
  createRRSets: route({
    method: 'POST', path: SETS, tag: 'records', summary: 'Create RRSets at a name',
    request: list(ref('NewRRSet')), response: SUCCESS, statuses: [201], headers: LABELS,
    refuses: [...NAME_LOCK, 'rrsetCreateForbidden', 'rrsetExists', ...RDATA, ...TTL, 'zoneOwnerOnly', ...RECORD_QUOTAS],
    handle: createRRSets,
  }),
  getRRSet: route({
    method: 'GET', path: SET, tag: 'records', summary: 'Read an RRSet',
    response: item('RRSet'), statuses: [200], headers: TAGGED,
    refuses: [...NAME, 'rrsetNotFound'], handle: getRRSet,
  }),
  replaceRRSet: route({
    method: 'PUT', path: SET, tag: 'records', summary: 'Create or replace an RRSet, or change its TTL or metadata alone',
    request: ref('RRSetChange'), response: SUCCESS, statuses: [200, 201, 202], headers: LABELS,
    refuses: [...NAME_CHANGE, 'rrsetNotFound', 'rrsetChangeForbidden', 'rrsetCreateForbidden', ...RDATA, ...TTL,
      ...RECORD_QUOTAS],
    handle: replaceRRSet,
  }),
  deleteRRSet: route({
    method: 'DELETE', path: SET, tag: 'records', summary: 'Delete an RRSet and its metadata',
    response: SUCCESS, statuses: [200],
    refuses: [...RRSET_CHANGE, 'dnsRulesViolated'], handle: deleteRRSet,
  }),
  getRRSetMetadata: route({
    method: 'GET', path: `${SET}/metadata`, tag: 'records', summary: 'Read the metadata of an RRSet',
    response: item('Metadata'), statuses: [200],
    refuses: [...ZONE, 'rrsetNotFound'], handle: getRRSetMetadata,
  }),
  setRRSetMetadata: route({
    method: 'POST', path: `${SET}/metadata`, tag: 'records', summary: 'Set or remove metadata of an RRSet',
    request: ref('MetadataChange'), response: SUCCESS, statuses: [202],
    refuses: [...RRSET_CHANGE, 'rrsetMetadataOverLimit'], handle: setRRSetMetadata,
  }),
  replaceRdata: route({
    method: 'PUT', path: DATA, tag: 'records', summary: 'Replace all Rdata of an RRSet',
    request: list(ref('NewRdata')), response: SUCCESS, statuses: [202], headers: LABELS,
    refuses: [...NAME_CHANGE, 'rrsetChangeForbidden', 'rrsetCreateForbidden', ...RDATA, ...RECORD_QUOTAS],
    handle: replaceRdata,
  }),
  appendRdata: route({
    method: 'POST', path: DATA, tag: 'records', summary: 'Add Rdata to an RRSet; creates the name if it is missing',
    request: list(ref('NewRdata')), response: SUCCESS, statuses: [201], headers: LABELS,
    refuses: [...ZONE_CHANGE, ...NAME_CREATION, 'nameChangeForbidden', 'nameChangeProhibited', 'rrsetCreateForbidden',
      ...RDATA, 'zoneOwnerOnly', ...QUOTAS],
    handle: appendRdata,
  }),
  setRdata: route({
    method: 'PUT', path: `${DATA}/{label}`, tag: 'records', summary: 'Create or change the Rdata with a label',
    request: ref('RdataChange'), response: SUCCESS, statuses: [200, 201, 202],
    refuses: [...NAME_CHANGE, 'rdataChangeForbidden', 'rrsetCreateForbidden', 'groupTargetAmbiguous', ...RDATUM,
      ...RECORD_QUOTAS],
    handle: setRdata,
  }),
  deleteRdata: route({
    method: 'DELETE', path: `${DATA}/{label}`, tag: 'records', summary: 'Delete the Rdata with a label',
    response: SUCCESS, statuses: [200],
    refuses: [...NAME_CHANGE, 'rrsetNotFound', 'rdataChangeForbidden', 'dnsRulesViolated'], handle: deleteRdata,
  }),
} as const satisfies Readonly<Record<string, Route>>
