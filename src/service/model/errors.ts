/** Spec, "Errors": codes, statuses and texts are those of the specification. The names on the left are for the program. */
interface ErrorRow {
  readonly code: number
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 422
  readonly meaning: string
}

// biome-ignore format: a table
export const ERRORS = {
  sortKeyInvalid:            { code: 4251, status: 400, meaning: 'invalid sort key' },
  tooManyLabels:             { code: 2324, status: 400, meaning: 'hostname contains too many labels' },
  rdataLabelsNotUnique:      { code: 2008, status: 400, meaning: 'Rdata labels must be unique in an RRset' },
  labelCharactersInvalid:    { code: 3284, status: 400, meaning: 'a label contains characters outside the allowed set' },
  wildcardNotTerminal:       { code: 3893, status: 400, meaning: 'a wildcard label must be the terminal label of a name' },
  wildcardParentEmpty:       { code: 3624, status: 400, meaning: 'the parent of a wildcard cannot be an empty nonterminal node' },
  updateGroupsDuplicated:    { code: 4344, status: 400, meaning: 'duplicated update groups for RRset' },
  updateGroupInvalid:        { code: 3315, status: 400, meaning: 'invalid DNS update group' },
  groupTargetNeedsLabel:     { code: 4945, status: 400, meaning: 'label is required for Rdata update group targets' },
  groupTargetTypeInvalid:    { code: 3325, status: 400, meaning: 'update group target dns type must be A, AAAA or _URL' },
  groupTargetAmbiguous:      { code: 3731, status: 400, meaning: 'update group target on both name and rdata' },
  offlineSettingsExpected:   { code: 2212, status: 400, meaning: 'expected valid offline settings for an offline name' },
  offlineFieldMissing:       { code: 2714, status: 400, meaning: 'required field missing for offline action' },
  typeOrRdataMissing:        { code: 2128, status: 400, meaning: 'dns type or rdata is missing' },
  offlineAddressInvalid:     { code: 2711, status: 400, meaning: 'invalid offline IP address' },
  redirectUrlInvalid:        { code: 2788, status: 400, meaning: 'invalid redirect URL' },
  urlRedirectMalformed:      { code: 3564, status: 400, meaning: 'invalid format for URL redirect' },
  logoUrlInvalid:            { code: 3562, status: 400, meaning: 'invalid logo URL' },
  emailInvalid:              { code: 3588, status: 400, meaning: 'invalid email address' },
  aliasInvalid:              { code: 4159, status: 400, meaning: 'invalid ALIAS record' },
  cnameInvalid:              { code: 4659, status: 400, meaning: 'invalid CNAME record' },
  nsInvalid:                 { code: 3111, status: 400, meaning: 'invalid NS record' },
  ptrInvalid:                { code: 4619, status: 400, meaning: 'invalid PTR record' },
  rdataLabelInvalid:         { code: 4819, status: 400, meaning: 'invalid Rdata label' },
  ttlInvalid:                { code: 3295, status: 400, meaning: 'invalid TTL' },
  rdataMalformed:            { code: 2839, status: 400, meaning: 'invalid format for Rdata' },
  nameInvalid:               { code: 3607, status: 400, meaning: 'invalid name' },
  dnsRulesViolated:          { code: 3363, status: 400, meaning: 'operation violates DNS rules' },
  typeUnsupported:           { code: 3252, status: 400, meaning: 'unsupported DNS record type' },

  unauthorized:              { code: 2465, status: 401, meaning: 'unauthorized' },

  namesOverLimit:            { code: 3354, status: 402, meaning: 'DNS names over limit' },
  rrsetMetadataOverLimit:    { code: 4556, status: 402, meaning: 'RRset metadata over limit' },
  rdataOverLimit:            { code: 4428, status: 402, meaning: 'Rdata count over limit' },
  nameMetadataOverLimit:     { code: 2218, status: 402, meaning: 'DNS name metadata over limit' },

  typesDisallowed:           { code: 2051, status: 403, meaning: 'DNS types disallowed' },
  ttlFixed:                  { code: 4535, status: 403, meaning: 'RRset TTL cannot be changed' },
  ttlTooLow:                 { code: 3655, status: 403, meaning: 'requested RRset TTL too low' },
  zoneChangeProhibited:      { code: 3903, status: 403, meaning: 'changing this zone is prohibited' },
  nameChangeForbidden:       { code: 3998, status: 403, meaning: 'changing this DNS name is forbidden' },
  nameChangeProhibited:      { code: 4821, status: 403, meaning: 'changing this DNS name is prohibited' },
  rrsetChangeForbidden:      { code: 2710, status: 403, meaning: 'changing this RRset is forbidden' },
  rdataChangeForbidden:      { code: 2730, status: 403, meaning: 'changing this Rdata is forbidden' },
  nameCreateForbidden:       { code: 3331, status: 403, meaning: 'creating a DNS name in this zone is forbidden' },
  zoneTakesNoNewNames:       { code: 2784, status: 403, meaning: 'new names cannot be created in this zone' },
  rrsetCreateForbidden:      { code: 4403, status: 403, meaning: 'creating this RRset is forbidden' },
  rdataCreateForbidden:      { code: 4635, status: 403, meaning: 'creating Rdata in this zone is forbidden' },
  zoneOwnerOnly:             { code: 4365, status: 403, meaning: 'only the zone owner may create this record' },
  underscoreLabelReserved:   { code: 4555, status: 403, meaning: 'only auto-generated Rdata labels may start with an underscore' },
  updateGroupForbidden:      { code: 4127, status: 403, meaning: 'updating this DNS update group is forbidden' },
  wildcardRestricted:        { code: 4072, status: 403, meaning: 'wildcards in labels are restricted' },
  notAllowed:                { code: 4748, status: 403, meaning: 'not allowed' },
  websiteOnly:               { code: 4786, status: 403, meaning: 'operation only available via the website' },

  zoneNotFound:              { code: 2510, status: 404, meaning: 'zone not found' },
  zoneNotShared:             { code: 2728, status: 404, meaning: 'zone not shared' },
  nameNotFound:              { code: 4809, status: 404, meaning: 'DNS name not found' },
  rrsetNotFound:             { code: 2373, status: 404, meaning: 'RRset not found' },

  nameExists:                { code: 4285, status: 409, meaning: 'DNS name already exists' },
  nameOwned:                 { code: 3424, status: 409, meaning: 'DNS name is already owned' },
  rrsetExists:               { code: 2204, status: 409, meaning: 'RRset already exists' },
  rdataExists:               { code: 2722, status: 409, meaning: 'Rdata value already exists' },
  groupTargetConflicts:      { code: 3311, status: 409, meaning: 'conflicting target already exists in a group' },
  targetExists:              { code: 3676, status: 409, meaning: 'target already exists' },

  aliasOutsideZone:          { code: 4145, status: 422, meaning: 'alias points to a name outside the zone' },
} as const satisfies Record<string, ErrorRow>

export type ErrorName = keyof typeof ERRORS

/** The place of a fault in the request. */
interface ErrorPlace {
  readonly location?: 'path' | 'query' | 'body' | 'header'
  /** JSON pointer into the body (RFC 6901). */
  readonly pointer?: string
}

/** A refusal by its name in the table of errors. `answer/render.ts` turns it into a response. */
export interface Refusal<Name extends ErrorName = ErrorName> extends ErrorPlace {
  readonly refused: Name
  readonly detail?: string
}

export const refuse = <Name extends ErrorName>(
  refused: Name,
  detail?: string,
  place: ErrorPlace = {},
): Refusal<Name> => ({ refused, ...(detail !== undefined && { detail }), ...place })
