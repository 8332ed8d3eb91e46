/** How much a request body may contain; the OpenAPI document shows the same numbers. */

/** Of the description of a DDNS key or an API key, in characters. */
export const MAX_DESCRIPTION_LENGTH = 255
/** Of a metadata key or value, in characters. */
export const MAX_METADATA_LENGTH = 255
/** Targets of one DDNS key. */
export const MAX_HOSTNAMES = 1000
/** Of a new password of an account, in characters. */
export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 1024

/** RFC 7617 §2: a password with control characters cannot be sent. */
export function isNewPassword(text: string): boolean {
  const { length } = Array.from(text)
  const isOfLength = length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH
  return isOfLength && !/[\0-\x1f\x7f]|\p{Surrogate}/u.test(text)
}
/** Scopes of one API key. */
export const MAX_SCOPES = 50
/** Changes of an import that its response shows, and as many refused lines in a preview; it has the number of the rest. */
export const MAX_SHOWN_CHANGES = 1000
/** Errors of an import that is refused. */
export const MAX_SHOWN_FAULTS = 100
/** Names that are counted as not published yet. */
export const MAX_PENDING = 1000
/** Changes of one batch. */
export const MAX_CHANGES = 500
