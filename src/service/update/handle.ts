import type { Duration } from '../../shared/base/time.ts'
import { byFamily, listed } from '../../shared/base/address.ts'
import { shareOf } from '../../shared/base/network.ts'
import { isAddressedWord, type ReplyWord } from '../../shared/protocol/reply.ts'
import { isUpdatePath, UPDATE_PATH } from '../../shared/protocol/request.ts'
import { writeResponse } from '../../shared/protocol/response.ts'
import { textResponse } from '../http/dispatch.ts'
import type { IncomingRequest, OutgoingResponse } from '../http/request.ts'
import type { FaultRule, InjectedFault } from './faults.ts'
import { answerUpdate, type Updater } from './update.ts'
import { ReadUpdate } from './read-update.ts'
import type { Reply } from '../../shared/protocol/reply-codec.ts'

export interface UpdateDependencies {
  readonly updater: Updater
  readonly realm: string
  readonly faults: readonly FaultRule[]
  readonly pause: (span: Duration) => Promise<void>
  /** Begins long work when its key has its turn; seconds to wait if too much of that key waits. */
  readonly inTurn: <T>(
    key: string,
    work: () => Promise<T>,
  ) => Promise<{ readonly value: T } | { readonly retryAfter: number }>
  /** Receives exceptions; the client gets 911. */
  readonly reportError: (error: unknown) => void
}

export { isUpdatePath }

/** What a device asks whose person has written another path. */
export const isLikeUpdatePath = (path: string): boolean => /update\/*$/i.test(path)
export const MISNAMED = textResponse(404, `not found: the path of the update protocol is ${UPDATE_PATH}\n`)

/** Handles one request of the update protocol. An exception is reported and answered with 911. */
export async function handleUpdate(
  dependencies: UpdateDependencies,
  request: IncomingRequest,
): Promise<OutgoingResponse> {
  if (request.method !== 'GET')
    return {
      ...textResponse(405, 'only GET is allowed\n'),
      headers: { ...TEXT, allow: 'GET' },
    }
  try {
    const update = new ReadUpdate(request)
    const injected = dependencies.faults.length === 0 ? undefined : await faultFor(dependencies, update)
    if (injected?.kind === 'reset') return { ...textResponse(500, ''), reset: true }
    const replies =
      injected?.kind === 'reply' ? repliesOf(injected.word, update) : await answerInTurn(dependencies, update)
    return responseTo(replies, dependencies.realm)
  } catch (error) {
    dependencies.reportError(error)
    return responseTo([{ word: '911' }], dependencies.realm)
  }
}

/** A request that may have many targets has the turn of its account: the others wait for one such request at most. */
async function answerInTurn(
  { updater, inTurn }: UpdateDependencies,
  update: ReadUpdate,
): Promise<readonly Reply[]> {
  const answer = async (): Promise<readonly Reply[]> => answerUpdate(updater, update)
  if (!update.isLong) return answer()
  const { credentials, request } = update
  const login = credentials && (await updater.store.read(async (r) => r.login(credentials.username)))
  // By the network too: no stranger takes the turns of an account with wrong passwords.
  const taken = await inTurn(`updates of ${login?.accountId ?? 'none'} from ${shareOf(request.peer)}`, answer)
  return 'value' in taken ? taken.value : [{ word: '911' }]
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

/** RFC 7617 §2.1: 401 carries a challenge, which some clients need before they send credentials. */
function responseTo(replies: readonly Reply[], realm: string): OutgoingResponse {
  const { status, body } = writeResponse(replies)
  const challenge = status === 401 ? { 'www-authenticate': `Basic realm="${realm}", charset="UTF-8"` } : {}
  return { status, headers: { ...TEXT, 'cache-control': 'no-store', ...challenge }, body }
}

async function faultFor(
  dependencies: UpdateDependencies,
  { credentials }: ReadUpdate,
): Promise<InjectedFault | undefined> {
  const username = credentials?.username ?? ''
  for (const fault of dependencies.faults) {
    const injected = fault({ username, now: dependencies.updater.now() })
    if (injected === undefined) continue
    if (injected.kind !== 'delay') return injected
    await dependencies.pause(injected.span)
  }
  return undefined
}

/** An injected word in the form of a real reply, for each hostname. */
function repliesOf(word: ReplyWord, { request, query }: ReadUpdate): readonly Reply[] {
  const addresses = listed(query.addresses).length > 0 ? query.addresses : byFamily([request.peer])
  const reply: Reply = isAddressedWord(word) ? { word, addresses: listed(addresses) } : { word }
  return Array.from({ length: query.hostnames?.length ?? 1 }, () => reply)
}
