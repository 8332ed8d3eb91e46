declare const value: unique symbol
declare const refersTo: unique symbol

/** What a value of a request is besides its type. `what` completes "it is". */
interface FormRule {
  readonly what: string
  accepts(value: unknown): boolean
}
/** These two are for `readBody`: no JSON has them. */
export const RULE: unique symbol = Symbol('rule')
export const OWN_CODE: unique symbol = Symbol('own code')

/**
 * What its handler judges: all; the type, not whether it is a text; the characters, not the type.
 */
export type CodedAs = 'any' | 'text' | 'characters'

/** A JSON schema, as OpenAPI 3.1 uses them; T is the type of what it describes. */
export interface Schema<T = unknown> {
  readonly [key: string]: unknown
  readonly [RULE]?: FormRule
  readonly [OWN_CODE]?: CodedAs
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

/** A value of a request that a rule judges too. */
export const ruled = <T>(schema: Schema<T>, what: string, accepts: (value: T) => boolean): Schema<T> => ({
  ...schema,
  [RULE]: { what, accepts },
})
/** A field of a request whose faults have codes of the specification: its handler judges it. */
export const coded = <T, const H extends CodedAs = 'any'>(
  schema: Schema<T>,
  how?: H,
): Schema<H extends 'characters' ? T : unknown> => ({ ...schema, [OWN_CODE]: how ?? 'any' })

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
export const atMost = (what: string): Schema<number> => wholeNumber(`The greatest number of ${what}.`, LIMIT)
/** The greatest one that `holdfast admin` reads. */
export const LIMIT = { minimum: 0, maximum: 999_999_999 } as const
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
export const nullableList = <T>(
  items: Schema<T>,
  description: string,
  more: More = {},
): Schema<readonly T[] | null> => list(items, description, { ...more, type: ['array', 'null'] })
/** An object, or null. */
export const orNull = <T>(schema: Schema<T>, description: string): Schema<T | null> => ({
  oneOf: [schema, { type: 'null' }],
  description,
})
/** An object of texts. */
export const texts = (more: More): Schema<Readonly<Record<string, string>>> => ({ type: 'object', ...more })
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

/** An object of a response, or of a request where a field that is misspelt would do more than is meant: it has no others. */
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
