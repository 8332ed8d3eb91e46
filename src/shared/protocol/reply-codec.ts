import { err, ok, type Result } from '../base/result.ts'
import { type Address, type Addresses, listed, parseAddress } from '../base/address.ts'
import { PLAIN_DIALECT, type ReplyDialect } from './dialect.ts'
import {
  type AddressedWord,
  type BareWord,
  FAMILY_WORDS,
  isAddressedWord,
  isFamilyWord,
  isReplyWord,
} from './reply.ts'

/**
 * One line of a response. `addresses` is empty where the service sent only the word. `said` is the word that the
 * service sent, where `word` is its equivalent in the specification (FAMILY_WORDS). `quote` is its own explanation, for a
 * person, without secrets. `isProxied`: the service publishes its own addresses for the hostname, as intended.
 */
export type Reply =
  | { readonly word: AddressedWord; readonly addresses: readonly Address[]; readonly isProxied?: true }
  | { readonly word: BareWord; readonly said?: string; readonly quote?: string }

/** Server side: formats one line of the text/plain body. */
export function formatReply(reply: Reply): string {
  return 'addresses' in reply && reply.addresses.length > 0
    ? `${reply.word} ${reply.addresses.join(',')}`
    : reply.word
}

/**
 * Client side: the inverse of `formatReply`. Compares whole words in any case ("goodbye" is not "good"). Ignores text
 * after the addresses, or after a word without addresses. A dialect has words of its own.
 */
export function parseReply(
  line: string,
  { words = {} }: ReplyDialect = PLAIN_DIALECT,
): Result<Reply, 'unknown reply'> {
  const [first = '', list] = withoutCommaBlanks(line.trim()).split(/[ \t]+/)
  const word = first.toLowerCase()
  const own = Object.hasOwn(words, word) ? words[word] : undefined
  if (own !== undefined)
    return ok(isAddressedWord(own) ? { word: own, addresses: [] } : { word: own, said: word })
  if (isFamilyWord(word)) return ok({ word: FAMILY_WORDS[word].like, said: word })
  if (!isReplyWord(word)) return err('unknown reply')
  if (!isAddressedWord(word)) return ok({ word })
  const addresses = (list ?? '')
    .split(',')
    .filter((item) => item !== '')
    .map(parseAddress)
  return addresses.every((address) => address !== undefined) ? ok({ word, addresses }) : err('unknown reply')
}

/** Removes blanks at the comma between two addresses, which some services send. */
const withoutCommaBlanks = (line: string): string =>
  line.replace(/[ \t]*,[ \t]*([0-9a-f.:]+)(?=[ \t,]|$)/gi, (whole, item: string) =>
    parseAddress(item) === undefined ? whole : `,${item}`,
  )

/** Whether an old service ignored the request: it answers `good` with the loopback address, which was not sent. */
export const isOldRefusal = (reply: Reply, sent: Addresses): boolean =>
  reply.word === 'good' &&
  reply.addresses.some((address) => address === LOOPBACK) &&
  listed(sent).length > 0 &&
  sent.v4 !== LOOPBACK

const LOOPBACK = '127.0.0.1'
