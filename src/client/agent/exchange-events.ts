import { FAMILIES } from '../../shared/base/address.ts'
import { actionOf } from '../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../shared/protocol/request.ts'
import { unechoedOf } from '../decide/confirmation.ts'
import type { Observation } from '../decide/observation.ts'
import { accountOf, hostOf, type State } from '../decide/state.ts'
import type { AgentEvent } from './events.ts'

type Answered = Extract<Observation, { kind: 'answered' }>

/** The events of one exchange: what was sent, and what came back. `before` is the state before the reply. */
export function exchangeEvents(
  observation: Observation,
  sent: UpdateRequest,
  before: State,
): readonly AgentEvent[] {
  const moved =
    'isMoved' in observation ? [{ kind: 'movedToHttps', account: observation.account } as const] : []
  if (observation.kind === 'answered')
    return [
      ...moved,
      ...observation.replies.flatMap((_, at) => replyEvents(observation, { sent, before, at })),
    ]
  if (observation.kind === 'unreached')
    return [...moved, { kind: 'unreached', account: observation.account, because: observation.because, sent }]
  if (observation.kind !== 'notUnderstood') return []
  const { account, because, looksLikePortal } = observation
  const portal = looksLikePortal ? [{ kind: 'captivePortal', account, because } as const] : []
  return [...moved, { kind: 'notUnderstood', account, because, sent }, ...portal]
}

interface ReplyContext {
  readonly sent: UpdateRequest
  readonly before: State
  readonly at: number
}

/** The events of the reply to the hostname at this index. */
function replyEvents(
  { account, replies }: Answered,
  { sent, before, at }: ReplyContext,
): readonly AgentEvent[] {
  const reply = replies[at]
  if (reply === undefined) return []
  const hostname = sent.hostnames[at] ?? ''
  const about = { account, hostname, reply, sent }
  if (actionOf(reply.word).kind !== 'settled') return [{ kind: 'refused', ...about }]
  const previous = hostOf(accountOf(before, account), hostname).confirmed
  const isDifferent = 'addresses' in reply && namesOther(reply.addresses, sent)
  return [
    { kind: isDifferent ? 'confirmedDifferent' : 'settled', previous, ...about },
    ...unechoedOf(sent.addresses, reply).map((family) => ({ kind: 'unechoed', family, ...about }) as const),
  ]
}

/** Whether an answer names an address that was not sent. A request without addresses leaves the choice to the service. */
const namesOther = (answered: readonly string[], { addresses }: UpdateRequest): boolean =>
  answered.some((address) => !FAMILIES.some((family) => addresses[family] === address)) &&
  FAMILIES.some((family) => addresses[family] !== undefined)
