import type { HttpOutcome, OutgoingRequest } from '../../src/shared/ports/http.ts'
import type { ReceiverFault } from './draw.ts'
import type { Said } from './update-service.ts'

export const WEBHOOK = 'https://hook.example/notify'

interface Message {
  readonly at: number
  readonly id: string
  readonly event: string
  readonly addresses: { readonly v4: string | null; readonly v6: string | null }
  /** The receiver said that it has it. */
  readonly isTaken: boolean
}

/** The receiver of a webhook. */
export class Receiver {
  readonly messages: Message[] = []
  fault: ReceiverFault | undefined

  answer({ body }: OutgoingRequest, now: number): Said {
    const { event, addresses, id } = JSON.parse(String(body)) as Omit<Message, 'at' | 'isTaken'>
    const { fault } = this
    if (fault === undefined || fault === 'lostAnswer')
      this.messages.push({ at: now, id, event, addresses, isTaken: fault === undefined })
    if (fault === 'lostAnswer') return 'reset'
    if (fault === 'hang' || fault === 'reset') return fault
    return fault === undefined ? TAKEN : { ...TAKEN, status: 500 }
  }
}

const TAKEN: Extract<HttpOutcome, { kind: 'answered' }> = {
  kind: 'answered',
  status: 204,
  headers: {},
  body: '',
}
