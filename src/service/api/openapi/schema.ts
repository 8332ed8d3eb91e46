declare const value: unique symbol
declare const refersTo: unique symbol

/** A JSON schema, as OpenAPI 3.1 uses them; T is the type of what it describes. */
export interface Schema<T = unknown> {
  readonly [key: string]: unknown
  readonly [value]?: T
}
/** What a schema describes; a `Ref` has the type of the schema that it names. */
export type Described<S> = S extends Schema<infer T> ? T : never
export interface Ref<N extends string> {
  readonly [refersTo]: N
}

type Properties = Readonly<Record<string, Schema>>
type PropertyName<P> = keyof P & string
type Objects<P extends Properties, R extends PropertyName<P>> = {
  readonly [K in R]: Described<P[K]>
} & { readonly [K in Exclude<PropertyName<P>, R>]?: Described<P[K]> }

interface More {
  readonly enum?: readonly string[]
  readonly [key: string]: unknown
}
type TextOf<M> = M extends { readonly enum: readonly (infer E)[] } ? E : string

export const ref = <const N extends string>(name: N, description?: string): Schema<Ref<N>> => ({
  $ref: `#/components/schemas/${name}`,
  ...(description !== undefined && { description }),
})

export const string = <const M extends More = More>(description: string, more?: M): Schema<TextOf<M>> => ({
  type: 'string',
  ...more,
  description,
})
export const nullableString = <const M extends More = More>(
  description: string,
  more?: M,
): Schema<TextOf<M> | null> => ({ type: ['string', 'null'], ...more, description })
export const wholeNumber = (description: string, more: More = {}): Schema<number> => ({
  type: 'integer',
  ...more,
  description,
})
export const nullableNumber = (description: string, more: More = {}): Schema<number | null> => ({
  type: ['integer', 'null'],
  ...more,
  description,
})
/** How many of something there are. */
export const count = (what: string): Schema<number> => wholeNumber(`The number of ${what}.`, { minimum: 0 })
export const atMost = (what: string): Schema<number> =>
  wholeNumber(`The greatest number of ${what}.`, { minimum: 0 })
export const boolean = (description: string): Schema<boolean> => ({ type: 'boolean', description })
export const nullableBoolean = (description: string): Schema<boolean | null> => ({
  type: ['boolean', 'null'],
  description,
})
export const list = <T>(items: Schema<T>, description?: string, more: More = {}): Schema<readonly T[]> => ({
  type: 'array',
  items,
  ...more,
  ...(description !== undefined && { description }),
})
export const nullableList = <T>(items: Schema<T>, description: string): Schema<readonly T[] | null> =>
  list(items, description, { type: ['array', 'null'] })
/** An object, or null. */
export const orNull = <T>(schema: Schema<T>, description: string): Schema<T | null> => ({
  oneOf: [schema, { type: 'null' }],
  description,
})
/** An object whose members are described elsewhere. */
export const anyObject = (description: string): Schema<object> => ({
  type: 'object',
  description,
  additionalProperties: true,
})

/** A whole number that is not negative. */
export const INT64 = { format: 'int64', minimum: 0 } as const

const TIME = { format: 'date-time' } as const
/** RFC 3339, in UTC. */
export const time = (description: string): Schema<string> => string(description, TIME)
export const nullableTime = (description: string): Schema<string | null> => nullableString(description, TIME)

export const keysOf = <P extends Properties>(properties: P): readonly PropertyName<P>[] =>
  Object.keys(properties)

/** An object of a response: it has these properties and no others. */
export const closedObject = <const P extends Properties, R extends PropertyName<P> = PropertyName<P>>(
  description: string,
  properties: P,
  required: readonly R[] = keysOf(properties) as readonly R[],
): Schema<Objects<P, R>> => ({
  type: 'object',
  description,
  properties,
  required,
  additionalProperties: false,
})

/** An object of a request. The service ignores other properties, with the warning W1000. */
export const openObject = <const P extends Properties, R extends PropertyName<P> = never>(
  description: string,
  properties: P,
  required: readonly R[] = [],
): Schema<Objects<P, R>> => ({
  type: 'object',
  description: `${description} Other fields are ignored, with a warning.`,
  properties,
  ...(required.length > 0 && { required }),
})
