import type { ApiService } from '../../../../src/service/api/request/context.ts'

/** Values of the field `publication`. */
export type Word = 'published' | 'pending' | 'behind' | 'unserved' | 'no_address' | 'offline' | 'blocked'

/** Settings by answerer. */
export const ANSWERERS = {
  nobody: {},
  // A listener without secondaries.
  'a listener alone': { dnsListen: '127.0.0.1:5300' },
  'the service': { dnsListen: '127.0.0.1:5300', answerQueries: 'yes' },
  secondaries: {
    dnsListen: '127.0.0.1:5300',
    secondaries: 'ns1=192.0.2.1:53 key k,ns2=192.0.2.2:53 key k',
    tsigKeyFile: '/nonexistent',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** States of two secondaries. */
const state = (server: string, isBehind: boolean | undefined) => ({
  server,
  signs: false,
  serial: isBehind === undefined ? undefined : 7,
  isBehind,
  checkedAt: undefined,
})
const both = (one?: boolean, other?: boolean): ApiService['secondaries'] => {
  const states = [state('ns1', one), state('ns2', other)]
  return () => states
}
export const SECONDARIES = {
  none: () => [],
  'both have it': both(false, false),
  'one lacks it': both(false, true),
  'both lack it': both(true, true),
  'of one nothing is known': both(false),
  'nothing is known': both(),
} as const satisfies Readonly<Record<string, ApiService['secondaries']>>

export interface Row {
  readonly answerer: keyof typeof ANSWERERS
  readonly secondaries: keyof typeof SECONDARIES
  /** Whether the changes are in the copy that name servers are given. */
  readonly isFlushed: boolean
  /** Of the zone, and of its names that have an address. */
  readonly word: Word
}

// biome-ignore format: a table
export const ROWS: readonly Row[] = [
  { answerer: 'nobody',           secondaries: 'none',                    isFlushed: true,  word: 'unserved' },
  { answerer: 'nobody',           secondaries: 'none',                    isFlushed: false, word: 'unserved' },
  { answerer: 'a listener alone', secondaries: 'none',                    isFlushed: true,  word: 'unserved' },
  { answerer: 'the service',      secondaries: 'none',                    isFlushed: true,  word: 'published' },
  { answerer: 'the service',      secondaries: 'none',                    isFlushed: false, word: 'pending' },
  { answerer: 'secondaries',      secondaries: 'both have it',            isFlushed: true,  word: 'published' },
  { answerer: 'secondaries',      secondaries: 'both have it',            isFlushed: false, word: 'pending' },
  { answerer: 'secondaries',      secondaries: 'one lacks it',            isFlushed: true,  word: 'behind' },
  { answerer: 'secondaries',      secondaries: 'both lack it',            isFlushed: true,  word: 'behind' },
  { answerer: 'secondaries',      secondaries: 'of one nothing is known', isFlushed: true,  word: 'behind' },
  { answerer: 'secondaries',      secondaries: 'nothing is known',        isFlushed: true,  word: 'behind' },
]

/** Names of one zone, as they are where the service answers for it and every change is published. */
// biome-ignore format: a table
export const NAMES: readonly (readonly [name: string, word: Word, why: string])[] = [
  ['free',    'published',  'A, AAAA and TXT'],
  ['empty',   'no_address', 'no records'],
  ['text',    'no_address', 'a TXT record alone'],
  ['away',    'offline',    'an A record, offline without an address'],
  ['stopped', 'blocked',    'an A record, blocked by the operator'],
]
