/**
 * Zones and accounts that come or go in steps are hidden: each has the name "#" and its id, which no other one can have, and
 * no reader sees it (decision 0050). In SQL, that name.
 */
export const HIDDEN_NAME = "'#' || id"

/** In SQL: whether this name is that of a zone or an account that readers see. */
export const isShown = (name: string): string => `substr(${name}, 1, 1) <> '#'`

/** In SQL, by the index of the names: '$' is the character after '#'. */
export const IS_HIDDEN = "name >= '#' AND name < '$'"

/** The same, for a few rows of large tables: it reads the zone of each. */
export const isZoneShown = (zoneId: string): string =>
  `(SELECT ${isShown('zone.name')} FROM zone WHERE zone.id = ${zoneId})`

/** In SQL: whether this column has the id of a zone that readers see. */
export const isInShownZone = (zoneId: string): string =>
  `${zoneId} NOT IN (SELECT id FROM zone WHERE ${IS_HIDDEN})`
