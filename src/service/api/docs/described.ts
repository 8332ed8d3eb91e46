import type { Schema } from '../openapi/schema.ts'

/** The parts of an OpenAPI document that its page shows. */
export interface DescribedApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Schemas }
}
export type Schemas = Readonly<Record<string, Schema>>

/** By media type. */
export type DescribedContent = Readonly<Record<string, { readonly schema: Schema }>>

export interface DescribedParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly content?: DescribedContent
}

interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly DescribedParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: DescribedContent }
  readonly responses: Readonly<Record<string, DescribedResponse>>
  readonly security?: readonly unknown[]
}

export interface DescribedResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: DescribedContent
}

/** An operation with its place. */
export interface PlacedOperation extends DescribedOperation {
  readonly method: string
  readonly path: string
}

/** All operations, in the order of the document. */
export const placedOperations = ({ paths }: DescribedApi): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, method: method.toUpperCase(), path })),
  )

/** The schema of a parameter, also of one whose value is JSON. */
export const parameterSchema = ({ schema, content = {} }: DescribedParameter): Schema =>
  schema ?? Object.values(content)[0]?.schema ?? {}

/** The name of the schema that a reference leads to; undefined for a schema that is no reference. */
export const referredSchema = ({ $ref }: Schema): string | undefined =>
  typeof $ref === 'string' ? $ref.replace(/^.*\//, '') : undefined
