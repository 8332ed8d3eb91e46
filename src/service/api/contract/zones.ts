import { cleanUpChallenge, presentChallenge } from '../acme/httpreq.ts'
import { CLEAN_UP, IMPORT, PRESENT, QUOTAS, TTL, ZONE, ZONE_CHANGE } from '../refusal-groups.ts'
import { paged } from '../query/parameters.ts'
import { type Route, route } from '../route.ts'
import {
  createZone,
  deleteZone,
  getAbout,
  getZone,
  listAuthorities,
  listClients,
  listZones,
} from '../zones/zones.ts'
import { getDelegation } from '../zones/delegation.ts'
import { getPublication } from '../zones/publication.ts'
import { exportZone } from '../zones/zone-export.ts'
import { importZone } from '../zones/zone-import.ts'
import { changeZone, getZoneMetadata, publishZone, setZoneMetadata } from '../zones/changes.ts'
import { item, items } from '../openapi/schemas.ts'
import { ref } from '../openapi/schema.ts'
import { SUCCESS, TAGGED, ZONE_FILE } from './shared.ts'

const HTTPREQ = '/acme/httpreq'
const ZONES = '/dns/zones'
const ZONE_AT = `${ZONES}/{zone_name}`

/** The operations of zones, and the challenges of ACME. */
// biome-ignore format: a table
export const ZONE_ROUTES = {
  about: route({
    method: 'GET', path: '/dns/about', tag: 'meta', summary: 'Read the name and version of the API',
    response: item('About'), statuses: [200],
    refuses: [], handle: getAbout, isOpen: true,
  }),
  listZones: route({
    method: 'GET', path: ZONES, tag: 'zones', summary: 'List the zones of the account',
    query: { ...paged(50, 50), filter: ['is_shared', 'search'] },
    response: items('Zone'), statuses: [200], headers: TAGGED,
    refuses: [], handle: listZones,
  }),
  createZone: route({
    method: 'POST', path: ZONES, tag: 'zones', summary: 'Create a zone',
    request: ref('NewZone'), response: SUCCESS, statuses: [201], faults: ['scopeInsufficient', 'zoneNotCreatable'],
    refuses: ['namesOverLimit', 'nameMetadataOverLimit'], handle: createZone,
  }),
  getZone: route({
    method: 'GET', path: ZONE_AT, tag: 'zones', summary: 'Read a zone',
    response: item('Zone'), statuses: [200],
    refuses: ZONE, handle: getZone,
  }),
  changeZone: route({
    method: 'PATCH', path: ZONE_AT, tag: 'zones', summary: 'Change the description and the default TTL of a zone',
    request: ref('ZonePatch'), response: SUCCESS, statuses: [200, 202], faults: ['scopeInsufficient'],
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', ...TTL], handle: changeZone,
  }),
  deleteZone: route({
    method: 'DELETE', path: ZONE_AT, tag: 'zones', summary: 'Delete a zone and everything in it',
    query: { confirm: true },
    response: SUCCESS, statuses: [200], faults: ['scopeInsufficient', 'deletionNotConfirmed'],
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameChangeProhibited'], handle: deleteZone,
  }),
  exportZone: route({
    method: 'GET', path: `${ZONE_AT}/export`, tag: 'zones', summary: 'Read a zone as a master file (RFC 1035)',
    response: ZONE_FILE, statuses: [200], faults: ['scopeInsufficient'],
    refuses: [...ZONE, 'notAllowed'], handle: exportZone, isLong: true,
  }),
  importZone: route({
    method: 'POST', path: `${ZONE_AT}/import`, tag: 'zones',
    summary: 'Replace the content of a zone with the records of a master file, all or none',
    request: ZONE_FILE, response: item('ZoneImport'), statuses: [200, 202],
    faults: ['scopeInsufficient'],
    refuses: [...ZONE_CHANGE, ...IMPORT, ...QUOTAS], handle: importZone, isLong: true, takesFile: true,
  }),
  publishZone: route({
    method: 'POST', path: `${ZONE_AT}/publish`, tag: 'zones', summary: 'Publish a zone immediately',
    response: SUCCESS, statuses: [202], faults: ['scopeInsufficient'],
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'namesOverLimit', 'rdataOverLimit'], handle: publishZone,
  }),
  getPublication: route({
    method: 'GET', path: `${ZONE_AT}/publication`, tag: 'zones',
    summary: 'Read how far the changes of a zone are published, at each name server',
    response: item('Publication'), statuses: [200],
    refuses: ZONE, handle: getPublication,
  }),
  getDelegation: route({
    method: 'GET', path: `${ZONE_AT}/delegation`, tag: 'zones',
    summary: 'Check what the parent and the name servers of a zone serve, at most once a minute',
    response: item('Delegation'), statuses: [200], faults: ['tooManyRequests'],
    refuses: ZONE, handle: getDelegation,
  }),
  getZoneMetadata: route({
    method: 'GET', path: `${ZONE_AT}/metadata`, tag: 'zones', summary: 'Read the metadata of a zone',
    response: item('Metadata'), statuses: [200],
    refuses: ZONE, handle: getZoneMetadata,
  }),
  setZoneMetadata: route({
    method: 'POST', path: `${ZONE_AT}/metadata`, tag: 'zones', summary: 'Set or remove metadata of a zone',
    request: ref('MetadataChange'), response: SUCCESS, statuses: [202], faults: ['scopeInsufficient'],
    refuses: [...ZONE_CHANGE, 'nameChangeForbidden', 'nameMetadataOverLimit'], handle: setZoneMetadata,
  }),
  listAuthorities: route({
    method: 'GET', path: '/dns/zone-authorities', tag: 'zone_authorities', summary: 'List the name servers of the zones',
    query: paged(50, 50),
    response: items('Authority'), statuses: [200], headers: TAGGED,
    refuses: [], handle: listAuthorities,
  }),
  listClients: route({
    method: 'GET', path: '/dns/clients', tag: 'clients', summary: 'List the update clients of the account',
    query: { ...paged(50, 500), filter: ['ddns_key_username'] },
    response: items('Client'), statuses: [200], headers: TAGGED,
    refuses: [], handle: listClients,
  }),
  presentChallenge: route({
    method: 'POST', path: `${HTTPREQ}/present`, tag: 'ACME', summary: 'Add the TXT record of an ACME challenge, by httpreq',
    request: ref('Challenge'), response: SUCCESS, statuses: [200],
    refuses: PRESENT, handle: presentChallenge,
  }),
  cleanUpChallenge: route({
    method: 'POST', path: `${HTTPREQ}/cleanup`, tag: 'ACME', summary: 'Remove the TXT record of an ACME challenge',
    request: ref('Challenge'), response: SUCCESS, statuses: [200],
    refuses: CLEAN_UP, handle: cleanUpChallenge,
  }),
} as const satisfies Readonly<Record<string, Route>>
