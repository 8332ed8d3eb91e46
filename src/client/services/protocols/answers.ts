import { quoteOf } from '../../../shared/protocol/said-text.ts'
import { isAddressedWord, type ReplyWord } from '../../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { isHtml } from '../../../shared/protocol/response.ts'
import { messageOf } from './json.ts'
import { listed } from '../../../shared/base/address.ts'
import type { ServiceAnswer, StepOutcome } from './protocol.ts'
import type { Reply } from '../../../shared/protocol/reply-codec.ts'

/** An answer that no service gives on purpose, or that asks for a wait by its status alone. */
export function uselessAnswer({ status, body, isCut }: ServiceAnswer): StepOutcome | undefined {
  if (status === 429 || status >= 500) return notUnderstood({ status, body }, { isBusy: true })
  if (status >= 300 && status < 400) return notUnderstood({ status, body })
  return isCut ? { kind: 'incomplete' } : undefined
}

/** An answer that means nothing here; it is quoted for the reader. */
export function notUnderstood(
  { status, body }: Pick<ServiceAnswer, 'status' | 'body'>,
  { isBusy = false, what }: { readonly isBusy?: boolean; readonly what?: string } = {},
): StepOutcome {
  const isRedirect = status >= 300 && status < 400
  const quote = messageOf(body) ?? quoteOf(body)
  const described = what ?? describedAs({ status, body })
  return {
    kind: 'notUnderstood',
    because: `${described} (HTTP ${status})${quote === '' ? '' : `: ${quote}`}`,
    // A portal redirects, or answers every request with a page.
    looksLikePortal: isRedirect || (isHtml(body) && status === 200),
    ...(isBusy && { status }),
  }
}

function describedAs({ status, body }: Pick<ServiceAnswer, 'status' | 'body'>): string {
  if (status >= 300 && status < 400) return 'a redirect, which is not followed'
  if (body.trim() === '') return 'an empty response'
  return isHtml(body) ? 'a web page' : 'text that is no known reply'
}

/** One word for every hostname of a request. Success confirms the addresses that were sent. */
export const answeredAll = (
  { hostnames, addresses }: UpdateRequest,
  word: ReplyWord,
  said?: string,
): StepOutcome => {
  const reply: Reply = isAddressedWord(word)
    ? { word, addresses: listed(addresses) }
    : { word, ...(said !== undefined && said !== word && { said }) }
  return { kind: 'answered', replies: hostnames.map(() => reply) }
}
