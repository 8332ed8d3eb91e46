import type { Metadata } from '../../model/tree.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_METADATA_LENGTH } from './limits.ts'
import { type RequestFault, unexpected, type Warning } from './context.ts'
import { REQUEST_FAULTS } from './faults.ts'

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const badBody = (detail: string, pointer = ''): RequestFault => ({
  ...REQUEST_FAULTS.bodyInvalid,
  detail,
  location: 'body',
  pointer,
})

/**
 * Whether it can be stored: half of a surrogate pair is no character and would
 * become U+FFFD, U+0000 ends a text in many programs.
 */
export const isText = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)
const NOT_TEXT = 'the text contains U+0000 or half of a surrogate pair'

/** A text of the user for a key or a zone. */
export const descriptionFaults = (description: unknown): readonly RequestFault[] =>
  typeof description === 'string' && description.length <= MAX_DESCRIPTION_LENGTH && isText(description)
    ? []
    : [
        badBody(
          `description is a string of at most ${MAX_DESCRIPTION_LENGTH} characters, without U+0000`,
          '/description',
        ),
      ]

/** Parses metadata, or reports all of its faults. */
export function readMetadata(value: unknown, pointer: string): Metadata | readonly RequestFault[] {
  if (value === undefined) return {}
  if (!isObject(value)) return [badBody('metadata is an object with string values', pointer)]
  const faults = Object.entries(value).flatMap(([key, text]) => {
    const shown = key.slice(0, MAX_METADATA_LENGTH).replace(/\p{Surrogate}/gu, '\ufffd')
    const at = `${pointer}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (key === '' || key.length > MAX_METADATA_LENGTH)
      return [badBody(`a key has 1 to ${MAX_METADATA_LENGTH} characters`, at)]
    if (typeof text !== 'string') return [badBody('a value is a string', at)]
    if (!isText(key) || !isText(text)) return [badBody(NOT_TEXT, at)]
    return text.length > MAX_METADATA_LENGTH
      ? [badBody(`a value has at most ${MAX_METADATA_LENGTH} characters`, at)]
      : []
  })
  return faults.length > 0 ? faults : (value as Metadata)
}

export const isFaulty = (value: Metadata | readonly RequestFault[]): value is readonly RequestFault[] =>
  Array.isArray(value)

/** Offline settings: the message of a page is text, and so is every other string. */
export const textFaults = (settings: unknown, pointer: string): readonly RequestFault[] =>
  isObject(settings)
    ? Object.entries(settings).flatMap(([field, value]) => {
        const at = `${pointer}/${field.slice(0, 60)}`
        if (field === 'message' && value !== undefined && typeof value !== 'string')
          return [badBody('message is a string', at)]
        return typeof value === 'string' && !isText(value) ? [badBody(NOT_TEXT, at)] : []
      })
    : []

/** The body of a change of metadata: `{"metadata": {…}}`. */
export function readMetadataBody(
  body: unknown,
):
  | { readonly malformed: readonly RequestFault[] }
  | { readonly metadata: Metadata; readonly warnings: readonly Warning[] } {
  if (!isObject(body) || body['metadata'] === undefined)
    return { malformed: [badBody('the body is {"metadata": {…}}', '/metadata')] }
  const metadata = readMetadata(body['metadata'], '/metadata')
  return isFaulty(metadata)
    ? { malformed: metadata }
    : { metadata, warnings: unknownFields(body, ['metadata']) }
}

/** Unknown fields are ignored, with a warning. */
export function unknownFields(body: Fields, known: readonly string[], pointer = ''): readonly Warning[] {
  return Object.keys(body)
    .filter((key) => !known.includes(key))
    .map((key) => unexpected(`${pointer}/${key.slice(0, 60)} is not a known field and was ignored`))
}

/** The same where a field that is misspelt would make a key that may do more than is meant: it is refused. */
export const unknownFieldFaults = (body: Fields, known: readonly string[]): readonly RequestFault[] =>
  Object.keys(body)
    .filter((key) => !known.includes(key))
    .map((key) => badBody(`it is none of the fields ${known.join(', ')}`, `/${key.slice(0, 60)}`))

export const RRSET_FIELDS = ['dns_type', 'ttl', 'rdata', 'metadata'] as const
const RDATA_FIELDS = ['value', 'label', 'update_group'] as const

/** The same for RRSets and their Rdata. */
export function unknownInRRSets(list: readonly unknown[], pointer: string): readonly Warning[] {
  return list.flatMap((one, n) =>
    isObject(one)
      ? [
          ...unknownFields(one, RRSET_FIELDS, `${pointer}/${n}`),
          ...(Array.isArray(one['rdata']) ? unknownInRdata(one['rdata'], `${pointer}/${n}/rdata`) : []),
        ]
      : [],
  )
}

export const unknownInRdata = (list: readonly unknown[], pointer: string): readonly Warning[] =>
  list.flatMap((one, n) => (isObject(one) ? unknownFields(one, RDATA_FIELDS, `${pointer}/${n}`) : []))
