import { getAccount } from './account/account.ts'
import { changePassword, preparePassword } from './account/password.ts'
import { listTrail } from './account/trail.ts'
import { changeApiKey, createApiKey, deleteApiKey, getApiKey, listApiKeys } from './keys/api-keys.ts'
import { createTsigKey, deleteTsigKey, listTsigKeys } from './keys/tsig-keys.ts'
import { changeRRSets } from './records/batch.ts'
import { changeKey, createKey, deleteKey, getKey, listKeys } from './keys/keys.ts'
import { listNames, listZoneNames } from './names/listing.ts'
import { createName, deleteName, getName, publishName } from './names/names.ts'
import { deleteOffline, getOffline, setOffline } from './names/offline.ts'
import { appendRdata, replaceRdata } from './records/rdata.ts'
import { deleteRdata, setRdata } from './records/rdata-item.ts'
import {
  createRRSets,
  deleteRRSet,
  getNameMetadata,
  getRRSet,
  getRRSetMetadata,
  listRRSets,
  setNameMetadata,
  setRRSetMetadata,
} from './records/rrsets.ts'
import {
  KEY_TARGETS,
  NAME,
  NAME_CHANGE,
  NAME_LOCK,
  NAME_CREATION,
  OFFLINE,
  QUOTAS,
  RDATA,
  RDATUM,
  RECORD_QUOTAS,
  RRSET_CHANGE,
  TTL,
  ZONE,
  ZONE_CHANGE,
} from './refusal-groups.ts'
import { replaceRRSet } from './records/rrset.ts'
import { type Route, route } from './route.ts'
import {
  getAbout,
  createZone,
  deleteZone,
  getZone,
  listAuthorities,
  listClients,
  listZones,
} from './zones/zones.ts'

import { getZoneMetadata, publishZone, setZoneMetadata } from './zones/changes.ts'

const OWN_ACCOUNT = '/account'
const KEYS = '/account/ddns-keys'
const KEY = `${KEYS}/{ddns_key_username}`
const API_KEYS = '/account/api-keys'
const TSIG_KEYS = '/account/tsig-keys'
const ZONES = '/dns/zones'
const ZONE_AT = `${ZONES}/{zone_name}`
const ZONE_NAMES = '/dns/records/{zone_name}'
const AT = `${ZONE_NAMES}/{name}`
const SETS = `${AT}/rrsets`
const SET = `${SETS}/{dns_type}`
const DATA = `${SET}/rdata`

/** Every operation of the API, in the order of the specification. */
// biome-ignore format: a table
export const ROUTES = {
  getAccount: route({
    method: 'GET', path: OWN_ACCOUNT, tag: 'Account', summary: 'Read the account, its plan and what it uses of it',
    refuses: [], handle: getAccount,
  }),
  changePassword: route({
    method: 'PUT', path: `${OWN_ACCOUNT}/password`, tag: 'Account', summary: 'Change the password of the account',
    refuses: [], prepare: preparePassword, handle: changePassword, isRateLimited: true,
  }),
  listTrail: route({
    method: 'GET', path: `${OWN_ACCOUNT}/trail`, tag: 'Account', summary: 'List who changed what, the newest first',
    refuses: [], handle: listTrail,
  }),
  listKeys: route({
    method: 'GET', path: KEYS, tag: 'DDNS Keys', summary: 'List the DDNS keys of the account',
    refuses: ['sortKeyInvalid'], handle: listKeys, isRateLimited: true,
  }),
  createKey: route({
    method: 'POST', path: KEYS, tag: 'DDNS Keys', summary: 'Create a DDNS key; its password is shown once',
    refuses: KEY_TARGETS, handle: createKey, isRateLimited: true,
  }),
  getKey: route({
    method: 'GET', path: KEY, tag: 'DDNS Keys', summary: 'Read a DDNS key and its targets',
    refuses: [], handle: getKey, isRateLimited: true,
  }),
  changeKey: route({
    method: 'PUT', path: KEY, tag: 'DDNS Keys', summary: 'Change a DDNS key and its targets',
    refuses: KEY_TARGETS, handle: changeKey, isRateLimited: true,
  }),
  deleteKey: route({
    method: 'DELETE', path: KEY, tag: 'DDNS Keys', summary: 'Delete a DDNS key',
    refuses: [], handle: deleteKey, isRateLimited: true,
  }),
  listApiKeys: route({
    method: 'GET', path: API_KEYS, tag: 'API Keys', summary: 'List the API keys of the account',
    refuses: [], handle: listApiKeys, isRateLimited: true,
  }),
  createApiKey: route({
    method: 'POST', path: API_KEYS, tag: 'API Keys', summary: 'Create an API key; it is shown once',
    refuses: [], handle: createApiKey, isRateLimited: true,
  }),
  getApiKey: route({
    method: 'GET', path: `${API_KEYS}/{id}`, tag: 'API Keys', summary: 'Read an API key, without the key itself',
    refuses: [], handle: getApiKey, isRateLimited: true,
  }),
  changeApiKey: route({
    method: 'PUT', path: `${API_KEYS}/{id}`, tag: 'API Keys', summary: 'Change the description of an API key, or narrow it',
    refuses: [], handle: changeApiKey, isRateLimited: true,
  }),
  deleteApiKey: route({
    method: 'DELETE', path: `${API_KEYS}/{id}`, tag: 'API Keys', summary: 'Delete an API key',
    refuses: [], handle: deleteApiKey, isRateLimited: true,
  }),
  listTsigKeys: route({
    method: 'GET', path: TSIG_KEYS, tag: 'TSIG Keys', summary: 'List the TSIG keys of the account',
    refuses: [], handle: listTsigKeys, isRateLimited: true,
  }),
  createTsigKey: route({
    method: 'POST', path: TSIG_KEYS, tag: 'TSIG Keys', summary: 'Create a TSIG key for UPDATE; its secret is shown once',
    refuses: [], handle: createTsigKey, isRateLimited: true,
  }),
  deleteTsigKey: route({
    method: 'DELETE', path: `${TSIG_KEYS}/{key_name}`, tag: 'TSIG Keys', summary: 'Delete a TSIG key',
    refuses: [], handle: deleteTsigKey, isRateLimited: true,
  }),
  about: route({
    method: 'GET', path: '/dns/about', tag: 'meta', summary: 'Read the name and version of the API',
    refuses: [], handle: getAbout, isOpen: true,
  }),
  listZones: route({
    method: 'GET', path: ZONES, tag: 'zones', summary: 'List the zones of the account',
    refuses: [], handle: listZones,
  }),
  createZone: route({
    method: 'POST', path: ZONES, tag: 'zones', summary: 'Create a zone',
    refuses: ['namesOverLimit', 'nameMetadataOverLimit'], handle: createZone,
  }),
  getZone: route({
    method: 'GET', path: ZONE_AT, tag: 'zones', summary: 'Read a zone',
    refuses: ZONE, handle: getZone,
  }),
  deleteZone: route({
    method: 'DELETE', path: ZONE_AT, tag: 'zones', summary: 'Delete a zone and everything in it',
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameChangeProhibited'], handle: deleteZone,
  }),
  publishZone: route({
    method: 'POST', path: `${ZONE_AT}/publish`, tag: 'zones', summary: 'Publish a zone immediately',
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'namesOverLimit', 'rdataOverLimit'], handle: publishZone,
  }),
  getZoneMetadata: route({
    method: 'GET', path: `${ZONE_AT}/metadata`, tag: 'zones', summary: 'Read the metadata of a zone',
    refuses: ZONE, handle: getZoneMetadata,
  }),
  setZoneMetadata: route({
    method: 'POST', path: `${ZONE_AT}/metadata`, tag: 'zones', summary: 'Set or remove metadata of a zone',
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameMetadataOverLimit'], handle: setZoneMetadata,
  }),
  listAuthorities: route({
    method: 'GET', path: '/dns/zone-authorities', tag: 'zone_authorities', summary: 'List the name servers of the zones',
    refuses: [], handle: listAuthorities,
  }),
  listClients: route({
    method: 'GET', path: '/dns/clients', tag: 'clients', summary: 'List the update clients of the account',
    refuses: [], handle: listClients,
  }),
  listNames: route({
    method: 'GET', path: '/dns/records', tag: 'records', summary: 'List the names of all zones',
    refuses: ['sortKeyInvalid'], handle: listNames,
  }),
  listZoneNames: route({
    method: 'GET', path: ZONE_NAMES, tag: 'records', summary: 'List the names of a zone',
    refuses: [...ZONE, 'sortKeyInvalid'], handle: listZoneNames,
  }),
  createName: route({
    method: 'POST', path: ZONE_NAMES, tag: 'records',
    summary: 'Create a name with its RRSets, metadata and offline settings',
    refuses: [...ZONE_CHANGE, ...NAME_CREATION, 'nameExists', ...RDATA, ...TTL, 'zoneOwnerOnly',
      ...OFFLINE, 'offlineSettingsExpected', 'groupTargetAmbiguous', ...QUOTAS],
    handle: createName,
  }),
  changeRRSets: route({
    method: 'PATCH', path: ZONE_NAMES, tag: 'records',
    summary: 'Create, replace and delete RRSets of several names, all or none',
    refuses: [...ZONE_CHANGE, ...NAME_CREATION, 'nameChangeForbidden', 'nameChangeProhibited', 'rrsetExists',
      'rrsetNotFound', 'rrsetChangeForbidden', 'rrsetCreateForbidden', ...RDATA, ...TTL, ...QUOTAS],
    handle: changeRRSets,
  }),
  getName: route({
    method: 'GET', path: AT, tag: 'records', summary: 'Read a name with everything at it',
    refuses: NAME, handle: getName,
  }),
  deleteName: route({
    method: 'DELETE', path: AT, tag: 'records', summary: 'Delete a name with everything at it',
    refuses: [...NAME_CHANGE, 'dnsRulesViolated'], handle: deleteName,
  }),
  publishName: route({
    method: 'POST', path: `${AT}/publish`, tag: 'records', summary: 'Publish a name immediately',
    refuses: [...NAME_CHANGE, ...QUOTAS], handle: publishName,
  }),
  getNameMetadata: route({
    method: 'GET', path: `${AT}/metadata`, tag: 'records', summary: 'Read the metadata of a name',
    refuses: NAME, handle: getNameMetadata,
  }),
  setNameMetadata: route({
    method: 'POST', path: `${AT}/metadata`, tag: 'records', summary: 'Set or remove metadata of a name',
    refuses: [...NAME_CHANGE, 'nameMetadataOverLimit'], handle: setNameMetadata,
  }),
  getOffline: route({
    method: 'GET', path: `${AT}/offline-settings`, tag: 'records', summary: 'Read the offline settings of a name',
    refuses: ['zoneNotFound', 'nameNotFound'], handle: getOffline,
  }),
  setOffline: route({
    method: 'PUT', path: `${AT}/offline-settings`, tag: 'records', summary: 'Set the offline settings of a name',
    refuses: [...NAME_CHANGE, 'typeOrRdataMissing', ...OFFLINE], handle: setOffline,
  }),
  deleteOffline: route({
    method: 'DELETE', path: `${AT}/offline-settings`, tag: 'records', summary: 'Delete the offline settings of a name',
    refuses: NAME_CHANGE, handle: deleteOffline,
  }),
  listRRSets: route({
    method: 'GET', path: SETS, tag: 'records', summary: 'List the RRSets of a name',
    refuses: [...NAME, 'sortKeyInvalid'], handle: listRRSets,
  }),
  createRRSets: route({
    method: 'POST', path: SETS, tag: 'records', summary: 'Create RRSets at a name',
    refuses: [...NAME_LOCK, 'rrsetCreateForbidden', 'rrsetExists', ...RDATA, ...TTL, 'zoneOwnerOnly', ...RECORD_QUOTAS],
    handle: createRRSets,
  }),
  getRRSet: route({
    method: 'GET', path: SET, tag: 'records', summary: 'Read an RRSet',
    refuses: [...NAME, 'rrsetNotFound'], handle: getRRSet,
  }),
  replaceRRSet: route({
    method: 'PUT', path: SET, tag: 'records', summary: 'Create or replace an RRSet, or change its TTL or metadata alone',
    refuses: [...NAME_CHANGE, 'rrsetNotFound', 'rrsetChangeForbidden', 'rrsetCreateForbidden', ...RDATA, ...TTL,
      ...RECORD_QUOTAS],
    handle: replaceRRSet,
  }),
  deleteRRSet: route({
    method: 'DELETE', path: SET, tag: 'records', summary: 'Delete an RRSet and its metadata',
    refuses: [...RRSET_CHANGE, 'dnsRulesViolated'], handle: deleteRRSet,
  }),
  getRRSetMetadata: route({
    method: 'GET', path: `${SET}/metadata`, tag: 'records', summary: 'Read the metadata of an RRSet',
    refuses: [...ZONE, 'rrsetNotFound'], handle: getRRSetMetadata,
  }),
  setRRSetMetadata: route({
    method: 'POST', path: `${SET}/metadata`, tag: 'records', summary: 'Set or remove metadata of an RRSet',
    refuses: [...RRSET_CHANGE, 'rrsetMetadataOverLimit'], handle: setRRSetMetadata,
  }),
  replaceRdata: route({
    method: 'PUT', path: DATA, tag: 'records', summary: 'Replace all Rdata of an RRSet',
    refuses: [...NAME_CHANGE, 'rrsetChangeForbidden', 'rrsetCreateForbidden', ...RDATA, ...RECORD_QUOTAS],
    handle: replaceRdata,
  }),
  appendRdata: route({
    method: 'POST', path: DATA, tag: 'records', summary: 'Add Rdata to an RRSet; creates the name where it is missing',
    refuses: [...ZONE_CHANGE, ...NAME_CREATION, 'nameChangeForbidden', 'nameChangeProhibited', 'rrsetCreateForbidden',
      ...RDATA, 'zoneOwnerOnly', ...QUOTAS],
    handle: appendRdata,
  }),
  setRdata: route({
    method: 'PUT', path: `${DATA}/{label}`, tag: 'records', summary: 'Create or change the Rdata with a label',
    refuses: [...NAME_CHANGE, 'rdataChangeForbidden', 'rrsetCreateForbidden', 'groupTargetAmbiguous', ...RDATUM,
      ...RECORD_QUOTAS],
    handle: setRdata,
  }),
  deleteRdata: route({
    method: 'DELETE', path: `${DATA}/{label}`, tag: 'records', summary: 'Delete the Rdata with a label',
    refuses: [...NAME_CHANGE, 'rrsetNotFound', 'rdataChangeForbidden', 'dnsRulesViolated'], handle: deleteRdata,
  }),
} as const satisfies Readonly<Record<string, Route>>
