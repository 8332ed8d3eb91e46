import type { ErrorName } from '../model/errors.ts'

// Groups of refusals for the rows of contract/. They do not overlap where one row uses several: a row lists no error twice.

type Errors = readonly ErrorName[]

export const ZONE = ['zoneNotFound', 'zoneNotShared', 'websiteOnly'] as const satisfies Errors
export const NAME = [...ZONE, 'nameNotFound'] as const satisfies Errors
export const ZONE_CHANGE = [...ZONE, 'zoneChangeProhibited'] as const satisfies Errors
export const NAME_LOCK = [...ZONE_CHANGE, 'nameNotFound', 'nameChangeProhibited'] as const satisfies Errors
export const NAME_CHANGE = [...NAME_LOCK, 'nameChangeForbidden'] as const satisfies Errors
export const RRSET_CHANGE = [...NAME_LOCK, 'rrsetNotFound', 'rrsetChangeForbidden'] as const satisfies Errors
const NEW_NAME = [
  'nameInvalid',
  'labelCharactersInvalid',
  'wildcardNotTerminal',
  'tooManyLabels',
  'wildcardParentEmpty',
  'nameCreateForbidden',
  'zoneTakesNoNewNames',
  'wildcardRestricted',
] as const satisfies Errors
export const NAME_CREATION = [...NEW_NAME, 'nameOwned'] as const satisfies Errors
/** The rules of DNS. */
export const RESULTING_ZONE = [
  'nsInvalid',
  'ptrInvalid',
  'aliasInvalid',
  'aliasOutsideZone',
  'dnsRulesViolated',
] as const satisfies Errors
const TARGETS = ['targetExists', 'groupTargetConflicts'] as const satisfies Errors
export const KEY_TARGETS = [
  'websiteOnly',
  'zoneChangeProhibited',
  'nameChangeProhibited',
  ...TARGETS,
] as const satisfies Errors
export const TTL = ['ttlInvalid', 'ttlFixed', 'ttlTooLow'] as const satisfies Errors
/** For each value, of a request or of a master file. */
const VALUE = [
  'rdataMalformed',
  'cnameInvalid',
  ...RESULTING_ZONE,
  'urlRedirectMalformed',
  'typesDisallowed',
  'rdataCreateForbidden',
] as const satisfies Errors
/** For one Rdata whose label is in the path. */
export const RDATUM = [
  'typeUnsupported',
  'groupTargetTypeInvalid',
  'updateGroupInvalid',
  'updateGroupForbidden',
  ...VALUE,
  'rdataLabelInvalid',
  'underscoreLabelReserved',
  'rdataExists',
] as const satisfies Errors
export const RDATA = [
  ...RDATUM,
  'typeOrRdataMissing',
  'rdataLabelsNotUnique',
  'groupTargetNeedsLabel',
  'updateGroupsDuplicated',
  ...TARGETS,
] as const satisfies Errors
/** For a zone that gets the content of a master file. */
export const IMPORT = [
  ...NEW_NAME,
  'nameChangeForbidden',
  'nameChangeProhibited',
  'rrsetChangeForbidden',
  'rrsetCreateForbidden',
  'typeUnsupported',
  ...VALUE,
  ...TTL,
] as const satisfies Errors
export const OFFLINE = [
  'offlineFieldMissing',
  'offlineAddressInvalid',
  'redirectUrlInvalid',
  'logoUrlInvalid',
  'emailInvalid',
  'notAllowed',
] as const satisfies Errors
export const RECORD_QUOTAS = ['rdataOverLimit', 'rrsetMetadataOverLimit'] as const satisfies Errors
export const QUOTAS = ['namesOverLimit', ...RECORD_QUOTAS, 'nameMetadataOverLimit'] as const satisfies Errors
/** Of the TXT record of a challenge. */
export const CLEAN_UP = [
  ...ZONE_CHANGE,
  'nameOwned',
  'nameChangeForbidden',
  'nameChangeProhibited',
  'rrsetMetadataOverLimit',
  'nameMetadataOverLimit',
] as const satisfies Errors
/** The same at a name that is made where it is missing. */
export const PRESENT = [
  ...ZONE_CHANGE,
  ...NAME_CREATION,
  'nameChangeForbidden',
  'nameChangeProhibited',
  'typesDisallowed',
  'rdataCreateForbidden',
  'dnsRulesViolated',
  ...QUOTAS,
] as const satisfies Errors
