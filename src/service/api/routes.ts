import { cleanUpChallenge, presentChallenge } from './acme/httpreq.ts'
import { changeRRSets } from './records/batch.ts'
import { listNames, listZoneNames } from './names/listing.ts'
import { changeName } from './names/change.ts'
import { createName, deleteName, getName, publishName } from './names/names.ts'
import { deleteOffline, getOffline, setOffline } from './names/offline.ts'
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
} from './records/rrsets.ts'
import { deleteRdata, setRdata } from './records/rdata-item.ts'
import {
  CLEAN_UP,
  IMPORT,
  NAME,
  NAME_CHANGE,
  NAME_CREATION,
  NAME_LOCK,
  OFFLINE,
  PRESENT,
  QUOTAS,
  RDATA,
  RDATUM,
  RECORD_QUOTAS,
  RESULTING_ZONE,
  RRSET_CHANGE,
  TTL,
  ZONE,
  ZONE_CHANGE,
} from './refusal-groups.ts'
import { replaceRRSet } from './records/rrset.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { OPERATOR_ROUTES } from './operator-routes.ts'
import { type Route, route } from './route.ts'
import {
  createZone,
  deleteZone,
  getAbout,
  getZone,
  listAuthorities,
  listClients,
  listZones,
} from './zones/zones.ts'
import { getDelegation } from './zones/delegation.ts'
import { getPublication } from './zones/publication.ts'
import { exportZone } from './zones/zone-export.ts'
import { importZone } from './zones/zone-import.ts'
import { changeZone, getZoneMetadata, publishZone, setZoneMetadata } from './zones/changes.ts'

const HTTPREQ = '/acme/httpreq'
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
  ...ACCOUNT_ROUTES,
  ...OPERATOR_ROUTES,
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
  changeZone: route({
    method: 'PATCH', path: ZONE_AT, tag: 'zones', summary: 'Change the description and the default TTL of a zone',
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', ...TTL], handle: changeZone,
  }),
  deleteZone: route({
    method: 'DELETE', path: ZONE_AT, tag: 'zones', summary: 'Delete a zone and everything in it',
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameChangeProhibited'], handle: deleteZone,
  }),
  exportZone: route({
    method: 'GET', path: `${ZONE_AT}/export`, tag: 'zones', summary: 'Read a zone as a master file (RFC 1035)',
    refuses: [...ZONE, 'notAllowed'], handle: exportZone, isLong: true,
  }),
  importZone: route({
    method: 'POST', path: `${ZONE_AT}/import`, tag: 'zones',
    summary: 'Make the records of a master file the content of a zone, all or none',
    refuses: [...ZONE_CHANGE, ...IMPORT, ...QUOTAS], handle: importZone, isLong: true, takesFile: true,
  }),
  publishZone: route({
    method: 'POST', path: `${ZONE_AT}/publish`, tag: 'zones', summary: 'Publish a zone immediately',
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'namesOverLimit', 'rdataOverLimit'], handle: publishZone,
  }),
  getPublication: route({
    method: 'GET', path: `${ZONE_AT}/publication`, tag: 'zones',
    summary: 'Read how far the changes of a zone are published, at each name server',
    refuses: ZONE, handle: getPublication,
  }),
  getDelegation: route({
    method: 'GET', path: `${ZONE_AT}/delegation`, tag: 'zones',
    summary: 'Look at what the parent and the name servers of a zone give, at most once a minute',
    refuses: ZONE, handle: getDelegation,
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
  presentChallenge: route({
    method: 'POST', path: `${HTTPREQ}/present`, tag: 'ACME', summary: 'Add the TXT record of an ACME challenge, by httpreq',
    refuses: PRESENT, handle: presentChallenge,
  }),
  cleanUpChallenge: route({
    method: 'POST', path: `${HTTPREQ}/cleanup`, tag: 'ACME', summary: 'Remove the TXT record of an ACME challenge',
    refuses: CLEAN_UP, handle: cleanUpChallenge,
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
  changeName: route({
    method: 'PATCH', path: AT, tag: 'records', summary: 'Take a name offline or online, or rename it',
    refuses: [...NAME_CHANGE, ...NAME_CREATION, 'nameExists', 'typesDisallowed', 'zoneOwnerOnly', 'rdataCreateForbidden',
      'ttlFixed', 'ttlTooLow', 'notAllowed', 'offlineSettingsExpected', ...RESULTING_ZONE],
    handle: changeName,
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
