/** A JSON schema, as OpenAPI 3.1 uses them. */
export type Schema = Readonly<Record<string, unknown>>

type Properties = Readonly<Record<string, Schema>>

export const ref = (name: string, description?: string): Schema => ({
  $ref: `#/components/schemas/${name}`,
  ...(description !== undefined && { description }),
})

export const string = (description: string, more: Schema = {}): Schema => ({
  type: 'string',
  ...more,
  description,
})
export const nullableString = (description: string, more: Schema = {}): Schema => ({
  type: ['string', 'null'],
  ...more,
  description,
})
export const wholeNumber = (description: string, more: Schema = {}): Schema => ({
  type: 'integer',
  ...more,
  description,
})
/** How many of something there are. */
export const count = (what: string): Schema => wholeNumber(`The number of ${what}.`, { minimum: 0 })
export const atMost = (what: string): Schema => wholeNumber(`The greatest number of ${what}.`, { minimum: 0 })
export const boolean = (description: string): Schema => ({ type: 'boolean', description })
export const list = (items: Schema, description?: string, more: Schema = {}): Schema => ({
  type: 'array',
  items,
  ...more,
  ...(description !== undefined && { description }),
})

/** A whole number that is not negative. */
export const INT64 = { format: 'int64', minimum: 0 } as const

const TIME = { format: 'date-time' } as const
/** RFC 3339, in UTC. */
export const time = (description: string): Schema => string(description, TIME)
export const nullableTime = (description: string): Schema => nullableString(description, TIME)

/** An object of a response: it has these properties and no others. */
export const closedObject = (
  description: string,
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
): Schema => ({ type: 'object', description, properties, required, additionalProperties: false })

/** An object of a request. The service ignores other properties, with the warning W1000. */
export const openObject = (
  description: string,
  properties: Properties,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  description: `${description} Other fields are ignored, with a warning.`,
  properties,
  ...(required.length > 0 && { required }),
})
