import type { ReplyWord } from './reply.ts'

/** What one service says, and the word of the specification that it is handled like. */
interface ReplyText {
  /** Matched against the text of the reply: without tags, with one blank for white space. */
  readonly text: RegExp
  readonly like: ReplyWord
  /** No page of the service and no user shows such a reply; only a client that is maintained looks for it. */
  readonly hasNoDump?: true
}

/** How the replies of one service differ from the specification. */
export interface ReplyDialect {
  /** One line answers for all hostnames of a request. */
  readonly hasOneLine?: true
  /** It answers with pages: its words and texts stand between HTML tags. At others a page is never a reply. */
  readonly hasMarkup?: true
  /** Words of its own, in lower case, each with the word that it is handled like. They are known in its replies only. */
  readonly words?: Readonly<Record<string, ReplyWord>>
  /** Words without a dump. */
  readonly noDump?: readonly string[]
  /** Sentences in the place of words. One that requires a client to wait or stop wins over success. */
  readonly texts?: readonly ReplyText[]
  /** HTTP statuses that stand for a word, where the body has none. */
  readonly statuses?: Readonly<Record<number, ReplyWord>>
}

/** The replies of the specification. */
export const PLAIN_DIALECT: ReplyDialect = {}

/**
 * By the provider. Each reply is one that a page of the service or a user shows; a word of success without one is marked,
 * and a refusal without one has no row: the client waits half an hour, as after any reply that it does not know.
 */
// biome-ignore format: a table
export const DIALECTS = {
  'desec':      { hasOneLine: true, statuses: { 400: '!donator', 404: 'nohost' } },
  // The address, not the name, belongs to another user there. More than one update in a minute is `abuse` there.
  'opendns':    { words: { '!yours': '911', abuse: '911' } },
  // More than ten updates in two minutes.
  'he':         { words: { interval: '911' } },
  // No record is assigned to the credentials there.
  'do':         { words: { numhost: 'nohost' } },
  'selfhost':   { statuses: { 204: 'nochg', 409: 'nohost', 410: 'badauth', 411: '911', 412: '911' } },
  // It answers with a page. A change and no change are both OK; the sentence after it differs.
  'easydns':    { hasMarkup: true, texts: [
    { text: /\bno_?auth\b/i,                               like: 'badauth' },
    { text: /\bno_?service\b/i,                            like: 'nohost' },
    { text: /\btoo_?freq\b/i,                              like: '911' },
    { text: /^ok\b.*\bno update required\b/i,              like: 'nochg' },
    { text: /^ok(?= |$)/i,                                 like: 'good' },
    { text: /^no_?error\b/i,                               like: 'good',     hasNoDump: true },
  ] },
  'ydns':       { words: { ok: 'good' }, noDump: ['ok'], statuses: { 400: '!donator', 404: 'nohost' } },
  // A number before a sentence, in the body; one client reads the number as the HTTP status.
  'changeip':   { texts: [
    { text: /^402\b/,                                      like: '!donator' },
    { text: /^422\b/,                                      like: 'nohost' },
    { text: /^(200 )?successful\b/i,                       like: 'good' },
  ], statuses: { 402: '!donator', 422: 'nohost' } },
  // Sentences, all with status 200.
  'freedns':    { texts: [
    { text: /^error: unable to locate this record\b/i,     like: 'nohost' },
    { text: /^no ip change detected\b|\bhas not changed\b/i, like: 'nochg',  hasNoDump: true },
    { text: /^updated\b/i,                                 like: 'good',     hasNoDump: true },
  ] },
  'infomaniak': { words: { successfully_changed: 'good', no_change: 'nochg' } },
  // An address that is not valid.
  'gigahost':   { words: { badagent: '!donator' } },
  'domeneshop': { statuses: { 204: 'good', 404: 'nohost' } },
} as const satisfies Record<string, ReplyDialect>

export type DialectName = keyof typeof DIALECTS

const isDialect = (name: string): name is DialectName => Object.hasOwn(DIALECTS, name)
export const dialectOf = (name: string | undefined): ReplyDialect =>
  name !== undefined && isDialect(name) ? DIALECTS[name] : PLAIN_DIALECT

/** A reply beyond the words of the protocol, for a reader. */
interface ExplainedReply {
  readonly reply: string
  readonly like: ReplyWord
  /** Whether a page of the service or a user shows such a reply. */
  readonly hasDump: boolean
}

/** A pattern as people would write the reply: "no_auth", "ok … no update required". */
const patternText = ({ source }: RegExp): string =>
  source
    .replaceAll(/\\b|\^|\(\?[=:][^)]*\)/g, '')
    .replaceAll('.*', ' … ')
    .replaceAll('|', ', or ')
    .replaceAll(/\([^)]*\)\?/g, '')
    .replaceAll('_?', '_')

/** Each reply of its own that a service has. */
export function ownReplies({
  words = {},
  noDump = [],
  texts = [],
  statuses = {},
}: ReplyDialect): readonly ExplainedReply[] {
  return [
    ...Object.entries(words).map(([reply, like]) => ({ reply, like, hasDump: !noDump.includes(reply) })),
    ...texts.map(({ text, like, hasNoDump }) => ({
      reply: patternText(text),
      like,
      hasDump: hasNoDump !== true,
    })),
    ...Object.entries(statuses).map(([status, like]) => ({
      reply: `HTTP ${status} without a word`,
      like,
      hasDump: true,
    })),
  ]
}
