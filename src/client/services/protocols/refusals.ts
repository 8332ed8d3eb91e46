import { isLocalWord, LOCAL_WORDS, type LocalWord, type ReplyWord } from '../../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { isHtml } from '../../../shared/protocol/response.ts'
import { answeredAll, notUnderstood } from './answers.ts'
import type { ServiceAnswer, StepOutcome } from './protocol.ts'

/** What a code of a service stands for. */
export type Refusals = Readonly<Record<string, ReplyWord | LocalWord>>

export const refusalBy = (request: UpdateRequest, word: ReplyWord | LocalWord): StepOutcome =>
  isLocalWord(word) ? answeredAll(request, LOCAL_WORDS[word].like, word) : answeredAll(request, word)

/** Statuses that mean the same at every service; those without a word of their own are not understood. */
const BY_STATUS: Refusals = { 401: 'badauth', 403: 'badauth', 404: 'no-zone', 409: '911', 423: '911' }

/**
 * What an answer without success means: by the codes in it, then by its status. A page is that of something in front of the
 * service.
 */
export function refusalOf(
  request: UpdateRequest,
  answer: ServiceAnswer,
  { codes, refusals }: { readonly codes: readonly string[]; readonly refusals: Refusals },
): StepOutcome {
  const known = codes.flatMap((code) => refusals[code] ?? [])[0]
  if (known !== undefined) return refusalBy(request, known)
  const { status } = answer
  if (status === 429 || status >= 500) return notUnderstood(answer, { isBusy: true })
  const word = isHtml(answer.body) ? undefined : BY_STATUS[status]
  return word === undefined ? notUnderstood(answer) : refusalBy(request, word)
}
