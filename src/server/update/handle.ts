import { never } from '../../base/never.ts'
import type { Duration } from '../../base/time.ts'
import { byFamily, listed } from '../../net/address.ts'
import { parseBasic } from '../../net/basic.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { type ReplyWord, isAccountWord, isAddressedWord } from '../../protocol/reply.ts'
import { UPDATE_PATH, readQuery } from '../../protocol/request.ts'
import { writeResponse } from '../../protocol/response.ts'
import type { Inbound, Outbound } from './inbound.ts'
import { type Updater, answerUpdate } from './update.ts'
import type { Gust, Weather } from './weather.ts'

export interface Desk {
  readonly updater: Updater
  readonly realm: string
  readonly weather: readonly Weather[]
  readonly pause: (span: Duration) => Promise<void>
  /** Told of what went wrong on our side; the client hears 911. */
  readonly complain: (error: unknown) => void
}

export const isUpdatePath = (path: string): boolean => path === UPDATE_PATH

/** One request to the update protocol, from the method to the bytes of the answer. */
export async function handleUpdate(desk: Desk, inbound: Inbound): Promise<Outbound> {
  if (inbound.method !== 'GET')
    return { ...plain(405, 'only GET updates an address\n'), headers: { ...TEXT, allow: 'GET' } }
  try {
    const gust = await weatherFor(desk, inbound)
    if (gust?.kind === 'reset') return { ...plain(500, ''), reset: true }
    const replies =
      gust?.kind === 'reply' ? repliesOf(gust.word, inbound) : await answerUpdate(desk.updater, inbound)
    return rendered(replies, desk.realm)
  } catch (error) {
    desk.complain(error)
    return rendered([{ word: '911' }], desk.realm)
  }
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

export const plain = (status: number, body: string): Outbound => ({ status, headers: TEXT, body })

/** RFC 7617 §2.1: the challenge, for clients that wait for one. */
function rendered(replies: readonly Reply[], realm: string): Outbound {
  const { status, body } = writeResponse(replies)
  const challenge = status === 401 ? { 'www-authenticate': `Basic realm="${realm}", charset="UTF-8"` } : {}
  return { status, headers: { ...TEXT, 'cache-control': 'no-store', ...challenge }, body }
}

async function weatherFor(desk: Desk, inbound: Inbound): Promise<Gust | undefined> {
  if (desk.weather.length === 0) return undefined
  const username = parseBasic(inbound.authorization ?? '')?.username ?? ''
  for (const weather of desk.weather) {
    const gust = weather({ username, now: desk.updater.now() })
    if (gust === undefined) continue
    if (gust.kind !== 'delay') return gust
    await desk.pause(gust.span)
  }
  return undefined
}

/** A scripted word in the form that the rules would give it: once for the account, or a line for each hostname. */
function repliesOf(word: ReplyWord, inbound: Inbound): readonly Reply[] {
  if (isAccountWord(word)) return [{ word }]
  const asked = readQuery(inbound.query)
  const named = listed(asked.addresses).length > 0 ? asked.addresses : byFamily([inbound.peer])
  return (asked.hostnames ?? ['']).map(() =>
    isAddressedWord(word) ? { word, addresses: listed(named) } : bare(word),
  )
}

function bare(word: ReplyWord): Reply {
  if (isAddressedWord(word)) return never(word as never)
  return { word }
}
