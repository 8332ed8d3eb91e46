import type { ReplyWord } from './reply.ts'

/** How the replies of one service differ from the specification. */
export interface ReplyDialect {
  /** One line answers for all hostnames of a request. */
  readonly hasOneLine?: true
  /** The words stand between HTML tags. */
  readonly hasMarkup?: true
  /** Words of its own, in lower case, each with the word that it is handled like. They are known in its replies only. */
  readonly words?: Readonly<Record<string, ReplyWord>>
  /** HTTP statuses that stand for a word, where the body has none. */
  readonly statuses?: Readonly<Record<number, ReplyWord>>
}

/** The replies of the specification. */
export const PLAIN_DIALECT: ReplyDialect = {}

/** By the provider. Sources: the services' own pages, and the clients that are maintained for them. */
// biome-ignore format: a table
export const DIALECTS = {
  'desec':      { hasOneLine: true, statuses: { 400: '!donator', 404: 'nohost' } },
  // The address, not the name, belongs to another user there.
  'opendns':    { words: { '!yours': '911' } },
  // No record is assigned to the credentials there.
  'do':         { words: { numhost: 'nohost' } },
  'spdyn':      { words: { fatal: 'nohost' } },
  'selfhost':   { statuses: { 204: 'nochg', 409: 'nohost', 410: 'badauth', 411: '911', 412: '911' } },
  'duiadns':    { words: { error: '911' } },
  'easydns':    { hasMarkup: true, words: { noerror: 'good', ok: 'good', noaccess: 'badauth', no_auth: 'badauth', noservice: 'nohost', illegal: '!donator' } },
  'ydns':       { words: { ok: 'good' }, statuses: { 400: '!donator', 404: 'nohost' } },
  'changeip':   { words: { successful: 'good' } },
  'domeneshop': { statuses: { 204: 'good', 404: 'nohost' } },
} as const satisfies Record<string, ReplyDialect>

export type DialectName = keyof typeof DIALECTS

export const isDialect = (name: string): name is DialectName => Object.hasOwn(DIALECTS, name)
export const dialectOf = (name: string | undefined): ReplyDialect =>
  name !== undefined && isDialect(name) ? DIALECTS[name] : PLAIN_DIALECT
