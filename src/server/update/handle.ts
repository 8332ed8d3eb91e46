import { never } from '../../base/never.ts'
import type { Duration } from '../../base/time.ts'
import { byFamily, listed } from '../../net/address.ts'
import { parseBasic } from '../../net/basic.ts'
import { isAccountWord, isAddressedWord, type ReplyWord } from '../../protocol/reply.ts'
import type { Reply } from '../../protocol/reply-codec.ts'
import { readQuery, UPDATE_PATH } from '../../protocol/request.ts'
import { writeResponse } from '../../protocol/response.ts'
import { plain } from '../http/dispatch.ts'
import type { IncomingRequest, OutgoingResponse } from '../http/request.ts'
import type { FaultRule, InjectedFault } from './faults.ts'
import { answerUpdate, type Updater } from './update.ts'

export interface UpdateDependencies {
  readonly updater: Updater
  readonly realm: string
  readonly faults: readonly FaultRule[]
  readonly pause: (span: Duration) => Promise<void>
  /** Told of what went wrong on our side; the client hears 911. */
  readonly reportError: (error: unknown) => void
}

export const isUpdatePath = (path: string): boolean => path === UPDATE_PATH

/** One request to the update protocol, from the method to the bytes of the answer. */
export async function handleUpdate(
  desk: UpdateDependencies,
  inbound: IncomingRequest,
): Promise<OutgoingResponse> {
  if (inbound.method !== 'GET')
    return { ...plain(405, 'only GET updates an address\n'), headers: { ...TEXT, allow: 'GET' } }
  try {
    const injected = await faultFor(desk, inbound)
    if (injected?.kind === 'reset') return { ...plain(500, ''), reset: true }
    const replies =
      injected?.kind === 'reply'
        ? repliesOf(injected.word, inbound)
        : await answerUpdate(desk.updater, inbound)
    return rendered(replies, desk.realm)
  } catch (error) {
    desk.reportError(error)
    return rendered([{ word: '911' }], desk.realm)
  }
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

/** RFC 7617 §2.1: the challenge, for clients that wait for one. */
function rendered(replies: readonly Reply[], realm: string): OutgoingResponse {
  const { status, body } = writeResponse(replies)
  const challenge = status === 401 ? { 'www-authenticate': `Basic realm="${realm}", charset="UTF-8"` } : {}
  return { status, headers: { ...TEXT, 'cache-control': 'no-store', ...challenge }, body }
}

async function faultFor(
  desk: UpdateDependencies,
  inbound: IncomingRequest,
): Promise<InjectedFault | undefined> {
  if (desk.faults.length === 0) return undefined
  const username = parseBasic(inbound.authorization ?? '')?.username ?? ''
  for (const fault of desk.faults) {
    const injected = fault({ username, now: desk.updater.now() })
    if (injected === undefined) continue
    if (injected.kind !== 'delay') return injected
    await desk.pause(injected.span)
  }
  return undefined
}

/** A scripted word in the form that the rules would give it: once for the account, or a line for each hostname. */
function repliesOf(word: ReplyWord, inbound: IncomingRequest): readonly Reply[] {
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
