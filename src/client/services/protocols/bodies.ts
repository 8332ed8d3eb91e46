import { Secret, SecretText } from '../../../shared/base/secret.ts'

/** What a request has to say, with secrets in their places. */
export type BodyValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Secret
  | readonly BodyValue[]
  | { readonly [member: string]: BodyValue }

/** As a JSON document. Members without a value are left out. */
export function jsonBody(value: BodyValue): SecretText {
  if (value instanceof Secret) return new SecretText(value.derive((text) => JSON.stringify(text)))
  if (typeof value !== 'object' || value === null) return new SecretText(JSON.stringify(value))
  if (Array.isArray(value)) return between('[', value.map(jsonBody), ']')
  const members = Object.entries(value).flatMap(([name, one]) =>
    one === undefined ? [] : [new SecretText(`${JSON.stringify(name)}:`, jsonBody(one))],
  )
  return between('{', members, '}')
}

/** As a form (application/x-www-form-urlencoded). */
export const formBody = (members: Readonly<Record<string, string | number | Secret>>): SecretText =>
  new SecretText(
    ...Object.entries(members).flatMap(([name, value], at) => [
      `${at === 0 ? '' : '&'}${name}=`,
      value instanceof Secret ? value.derive(encodeURIComponent) : encodeURIComponent(String(value)),
    ]),
  )

const between = (start: string, parts: readonly SecretText[], end: string): SecretText =>
  new SecretText(start, ...parts.flatMap((part, at) => (at === 0 ? [part] : [',', part])), end)
