import type { paths } from './types.ts'

/** The parameters, the body and the result of an operation, from the generated types. */
type Json<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never
type Parameters<O> = O extends { readonly parameters: infer P } ? P : unknown
type Body<O> = O extends { readonly requestBody: infer B }
  ? { readonly body: Json<B> }
  : O extends { readonly requestBody?: infer B }
    ? { readonly body?: Json<NonNullable<B>> }
    : unknown
type Responses<O> = O extends { readonly responses: infer R } ? R : never
type Data<O> = Json<Responses<O>[keyof Responses<O> & (200 | 201 | 202)]>
type Request<O> = Parameters<O> & Body<O>

interface Given {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** `{sort: {name: 'asc'}}` as `sort[name]=asc`; a list repeats its name. */
const pairs = (name: string, value: unknown): readonly (readonly [string, string])[] => {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.map((one) => [name, String(one)])
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => pairs(`${name}[${key}]`, inner))
}

/** A client whose requests and responses have the types of the document. */
export const clientOf =
  (url: string, key: string) =>
  async <P extends keyof paths, M extends keyof paths[P] & string>(
    method: M,
    path: P,
    ...[request]: {} extends Request<paths[P][M]> ? [Request<paths[P][M]>?] : [Request<paths[P][M]>]
  ) => {
    const given: Given = request ?? {}
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(given.path?.[name] ?? ''),
    )
    const query = new URLSearchParams(
      Object.entries(given.query ?? {}).flatMap(([name, value]) =>
        pairs(name, value).map((pair) => [...pair]),
      ),
    )
    const response = await fetch(`${url}${target}?${query}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...given.header },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    })
    const { status, headers } = response
    return { status, headers, body: (await response.json()) as Data<paths[P][M]> }
  }
