import { type Duration, formatDuration } from '../../shared/base/time.ts'
import {
  FAMILY_WORDS,
  type FamilyWord,
  isFamilyWord,
  isLocalWord,
  isReplyWord,
  liftWording,
  LOCAL_WORDS,
  type LocalWord,
  REPLIES,
  remedyFor,
  type ReplyWord,
  type StopScope,
} from '../../shared/protocol/reply.ts'
import { DIALECTS, type ReplyDialect } from '../../shared/protocol/dialect.ts'
import { nextWait, waitAt } from '../decide/backoff.ts'

/** A reply of the service, and what this program does after it. */
interface ReplyExplanation {
  readonly word: string
  readonly meaning: string
  /** Whether it applies to the account or to one hostname, or what it is instead of a reply word. */
  readonly scope: string
  readonly effect: string
  readonly remedy: string | null
  /** For a word of other services: the word that it is handled like. */
  readonly like: ReplyExplanation | null
}

/**
 * Explains a reply word in any case, a word of other services, or a status
 * as "503" or "HTTP 503"; undefined for other text.
 */
export function explainReply(subject: string): ReplyExplanation | undefined {
  const word = subject.trim().toLowerCase()
  if (isReplyWord(word)) return explainWord(word)
  if (isFamilyWord(word)) return explainFamilyWord(word)
  if (isLocalWord(word)) return explainLocalWord(word)
  const own = explainOwnWord(word)
  if (own !== undefined) return own
  const [, status] = /^(?:http[ /]?)?(429|5\d\d)$/.exec(word) ?? []
  return status === undefined ? undefined : explainStatus(Number(status))
}

const SCOPES = {
  account: 'It applies to the account, with all its hostnames.',
  hostname: 'It applies to one hostname.',
}

const STOP_SCOPES: Readonly<Record<StopScope, string>> = {
  account: SCOPES.account,
  hostname: 'It applies to one hostname. The whole account stops with it, unless nohost_stops is "hostname".',
  feature:
    'It applies to a feature that the request used. If that is the offline option, ' +
    'updates continue without it; if not, the account stops.',
}

function explainWord(word: ReplyWord): ReplyExplanation {
  const { meaning, action, about } = REPLIES[word]
  // biome-ignore format: a table
  const effect = {
    settled: 'The address is saved, and not sent again until it changes.',
    wait:    action.kind === 'wait' ? formatWait(action.atLeast) : '',
    stop:    action.kind === 'stop' ? `Nothing more is sent until ${liftWording(action.liftedBy)}. A restart does not change that.` : '',
  }[action.kind]
  const scope = action.kind === 'stop' ? STOP_SCOPES[action.scope] : SCOPES[about]
  return { word, meaning, scope, effect, remedy: remedyFor(word) ?? null, like: null }
}

function explainFamilyWord(word: FamilyWord): ReplyExplanation {
  const { like, meaning } = FAMILY_WORDS[word]
  const known = explainWord(like)
  const scope = `It is a reply word of other services and is handled like ${like}:`
  return { ...known, word, meaning, scope, like: known }
}

function explainLocalWord(word: LocalWord): ReplyExplanation {
  const { like, meaning, remedy } = LOCAL_WORDS[word]
  const known = explainWord(like)
  const scope = `It stands for a refusal by a service with another protocol and is handled like ${like}:`
  return { ...known, word, meaning, scope, remedy, like: known }
}

/** A word or text that some services alone have, such as NO_AUTH at easyDNS. */
function explainOwnWord(word: string): ReplyExplanation | undefined {
  const found = Object.entries(DIALECTS).flatMap(([service, dialect]: [string, ReplyDialect]) => {
    const { words = {}, texts = [] } = dialect
    const like = Object.hasOwn(words, word) ? words[word] : texts.find(({ text }) => text.test(word))?.like
    return like === undefined ? [] : [{ service, like }]
  })
  const [first] = found
  if (first?.like === undefined) return undefined
  const known = explainWord(first.like)
  const services = found.map(({ service }) => service).join(', ')
  const scope = `It is a reply word of ${services} only and is handled like ${first.like}:`
  return { ...known, word, meaning: known.meaning, scope, like: known }
}

function explainStatus(status: number): ReplyExplanation {
  return {
    word: `HTTP ${status}`,
    meaning:
      status === 429
        ? 'the service received more requests than it allows'
        : 'the service, or a proxy in front of it, cannot answer now',
    scope: 'It is an HTTP status, not a reply word.',
    effect: formatWait(waitAt(nextWait(`HTTP ${status}`, undefined), 0)),
    remedy: 'holdfast resume ends this wait',
    like: null,
  }
}

const formatWait = (atLeast: Duration): string =>
  `Nothing is sent for at least ${formatDuration(atLeast)}, and longer after each repetition; ` +
  'then Holdfast retries by itself.'

export function formatExplanation({
  word,
  meaning,
  scope,
  effect,
  remedy,
  like,
}: ReplyExplanation): readonly string[] {
  const opening = [`${word}: ${meaning}.`, scope]
  if (like !== null) return [...opening, ...formatExplanation(like)]
  return [...opening, effect, ...(remedy === null ? [] : [`What to do: ${remedy}.`])]
}
