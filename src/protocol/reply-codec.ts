import { err, ok, type Result } from '../base/result.ts'
import { type Address, type Addresses, listed, parseAddress } from '../net/address.ts'
import {
  type AddressedWord,
  type BareWord,
  FAMILY_WORDS,
  isAddressedWord,
  isFamilyWord,
  isReplyWord,
} from './reply.ts'

/**
 * One line of a reply. `addresses` is empty where the service answered with the bare word. `said` is what the service really
 * wrote, where that is another word of the family that is obeyed like this one.
 */
export type Reply =
  | { readonly word: AddressedWord; readonly addresses: readonly Address[] }
  | { readonly word: BareWord; readonly said?: string }

/** Server side: one line of the text/plain body. */
export function formatReply(reply: Reply): string {
  return 'addresses' in reply && reply.addresses.length > 0
    ? `${reply.word} ${reply.addresses.join(',')}`
    : reply.word
}

/**
 * Client side: the exact inverse. Words are compared whole ("goodbye" is not "good") and in any case; what
 * follows a word that carries nothing is a remark and ignored, as is what follows the addresses.
 */
export function parseReply(line: string): Result<Reply, 'unknown reply'> {
  const [first = '', list] = withoutBlanks(line.trim()).split(/[ \t]+/)
  const word = first.toLowerCase()
  if (isFamilyWord(word)) return ok({ word: FAMILY_WORDS[word].like, said: word })
  if (!isReplyWord(word)) return err('unknown reply')
  if (!isAddressedWord(word)) return ok({ word })
  const addresses = (list ?? '')
    .split(',')
    .filter((item) => item !== '')
    .map(parseAddress)
  return addresses.every((address) => address !== undefined) ? ok({ word, addresses }) : err('unknown reply')
}

/** Some services write a blank at the comma between two addresses. */
const withoutBlanks = (line: string): string =>
  line.replace(/[ \t]*,[ \t]*([0-9a-f.:]+)(?=[ \t,]|$)/gi, (whole, item: string) =>
    parseAddress(item) === undefined ? whole : `,${item}`,
  )

/** An old way of saying "ignored": success with the loopback address, where another one was sent. */
export const isOldRefusal = (reply: Reply, sent: Addresses): boolean =>
  reply.word === 'good' &&
  reply.addresses.some((address) => address === LOOPBACK) &&
  listed(sent).length > 0 &&
  sent.v4 !== LOOPBACK

const LOOPBACK = '127.0.0.1'
