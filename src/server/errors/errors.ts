/** Spec, "Errors". Status and wording are the specification's; only the names on the left are ours. */
interface Row {
  readonly code: number
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 422
  readonly means: string
}

// biome-ignore format: a table
export const ERRORS = {
  sortKeyInvalid:            { code: 4251, status: 400, means: 'invalid sort key' },
  tooManyLabels:             { code: 2324, status: 400, means: 'hostname contains too many labels' },
  rdataLabelsNotUnique:      { code: 2008, status: 400, means: 'Rdata labels must be unique in an RRset' },
  labelCharactersInvalid:    { code: 3284, status: 400, means: 'a label contains characters outside the allowed set' },
  wildcardNotTerminal:       { code: 3893, status: 400, means: 'a wildcard label must be the terminal label of a name' },
  wildcardParentEmpty:       { code: 3624, status: 400, means: 'the parent of a wildcard cannot be an empty nonterminal node' },
  updateGroupsDuplicated:    { code: 4344, status: 400, means: 'duplicated update groups for RRset' },
  updateGroupInvalid:        { code: 3315, status: 400, means: 'invalid DNS update group' },
  groupTargetNeedsLabel:     { code: 4945, status: 400, means: 'label is required for Rdata update group targets' },
  groupTargetTypeInvalid:    { code: 3325, status: 400, means: 'update group target dns type must be A, AAAA or _URL' },
  groupTargetAmbiguous:      { code: 3731, status: 400, means: 'update group target on both name and rdata' },
  offlineSettingsExpected:   { code: 2212, status: 400, means: 'expected valid offline settings for an offline name' },
  offlineFieldMissing:       { code: 2714, status: 400, means: 'required field missing for offline action' },
  typeOrRdataMissing:        { code: 2128, status: 400, means: 'dns type or rdata is missing' },
  offlineAddressInvalid:     { code: 2711, status: 400, means: 'invalid offline IP address' },
  redirectUrlInvalid:        { code: 2788, status: 400, means: 'invalid redirect URL' },
  urlRedirectMalformed:      { code: 3564, status: 400, means: 'invalid format for URL redirect' },
  logoUrlInvalid:            { code: 3562, status: 400, means: 'invalid logo URL' },
  emailInvalid:              { code: 3588, status: 400, means: 'invalid email address' },
  aliasInvalid:              { code: 4159, status: 400, means: 'invalid ALIAS record' },
  cnameInvalid:              { code: 4659, status: 400, means: 'invalid CNAME record' },
  nsInvalid:                 { code: 3111, status: 400, means: 'invalid NS record' },
  ptrInvalid:                { code: 4619, status: 400, means: 'invalid PTR record' },
  rdataLabelInvalid:         { code: 4819, status: 400, means: 'invalid Rdata label' },
  ttlInvalid:                { code: 3295, status: 400, means: 'invalid TTL' },
  rdataMalformed:            { code: 2839, status: 400, means: 'invalid format for Rdata' },
  nameInvalid:               { code: 3607, status: 400, means: 'invalid name' },
  dnsRulesViolated:          { code: 3363, status: 400, means: 'operation violates DNS rules' },
  typeUnsupported:           { code: 3252, status: 400, means: 'unsupported DNS record type' },

  unauthorized:              { code: 2465, status: 401, means: 'unauthorized' },

  namesOverLimit:            { code: 3354, status: 402, means: 'DNS names over limit' },
  rrsetMetadataOverLimit:    { code: 4556, status: 402, means: 'RRset metadata over limit' },
  rdataOverLimit:            { code: 4428, status: 402, means: 'Rdata count over limit' },
  nameMetadataOverLimit:     { code: 2218, status: 402, means: 'DNS name metadata over limit' },

  typesDisallowed:           { code: 2051, status: 403, means: 'DNS types disallowed' },
  ttlFixed:                  { code: 4535, status: 403, means: 'RRset TTL cannot be changed' },
  ttlTooLow:                 { code: 3655, status: 403, means: 'requested RRset TTL too low' },
  zoneChangeProhibited:      { code: 3903, status: 403, means: 'changing this zone is prohibited' },
  nameChangeForbidden:       { code: 3998, status: 403, means: 'changing this DNS name is forbidden' },
  nameChangeProhibited:      { code: 4821, status: 403, means: 'changing this DNS name is prohibited' },
  rrsetChangeForbidden:      { code: 2710, status: 403, means: 'changing this RRset is forbidden' },
  rdataChangeForbidden:      { code: 2730, status: 403, means: 'changing this Rdata is forbidden' },
  nameCreateForbidden:       { code: 3331, status: 403, means: 'creating a DNS name in this zone is forbidden' },
  zoneTakesNoNewNames:       { code: 2784, status: 403, means: 'new names cannot be created in this zone' },
  rrsetCreateForbidden:      { code: 4403, status: 403, means: 'creating this RRset is forbidden' },
  rdataCreateForbidden:      { code: 4635, status: 403, means: 'creating Rdata in this zone is forbidden' },
  zoneOwnerOnly:             { code: 4365, status: 403, means: 'only the zone owner may create this record' },
  underscoreLabelReserved:   { code: 4555, status: 403, means: 'only auto-generated Rdata labels may start with an underscore' },
  updateGroupForbidden:      { code: 4127, status: 403, means: 'updating this DNS update group is forbidden' },
  wildcardRestricted:        { code: 4072, status: 403, means: 'wildcards in labels are restricted' },
  notAllowed:                { code: 4748, status: 403, means: 'not allowed' },
  websiteOnly:               { code: 4786, status: 403, means: 'operation only available via the website' },

  zoneNotFound:              { code: 2510, status: 404, means: 'zone not found' },
  zoneNotShared:             { code: 2728, status: 404, means: 'zone not shared' },
  nameNotFound:              { code: 4809, status: 404, means: 'DNS name not found' },
  rrsetNotFound:             { code: 2373, status: 404, means: 'RRset not found' },

  nameExists:                { code: 4285, status: 409, means: 'DNS name already exists' },
  nameOwned:                 { code: 3424, status: 409, means: 'DNS name is already owned' },
  rrsetExists:               { code: 2204, status: 409, means: 'RRset already exists' },
  rdataExists:               { code: 2722, status: 409, means: 'Rdata value already exists' },
  groupTargetConflicts:      { code: 3311, status: 409, means: 'conflicting target already exists in a group' },
  targetExists:              { code: 3676, status: 409, means: 'target already exists' },

  aliasOutsideZone:          { code: 4145, status: 422, means: 'alias points to a name outside the zone' },
} as const satisfies Record<string, Row>

export type ErrorName = keyof typeof ERRORS

/** Where in the request the fault is. */
export interface Place {
  readonly location?: 'path' | 'query' | 'body' | 'header'
  /** JSON pointer into the body (RFC 6901). */
  readonly pointer?: string
}

/** A request turned down, by name. Rendered to HTTP in exactly one place. */
export interface Refusal<Name extends ErrorName = ErrorName> extends Place {
  readonly refused: Name
  readonly detail?: string
}

export const refuse = <Name extends ErrorName>(
  refused: Name,
  detail?: string,
  place: Place = {},
): Refusal<Name> => ({ refused, ...(detail !== undefined && { detail }), ...place })
