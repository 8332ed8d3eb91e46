import { type Duration, formatDuration } from '../../base/time.ts'
import {
  FAMILY_WORDS,
  type FamilyWord,
  isFamilyWord,
  isReplyWord,
  liftWording,
  REPLIES,
  remedyFor,
  type ReplyWord,
} from '../../protocol/reply.ts'
import { nextWait, waitAt } from '../decide/backoff.ts'

/** What the service can say, and what that makes this program do. */
export interface Explained {
  readonly word: string
  readonly meaning: string
  /** Of the account or of one hostname, or what it is instead of a word. */
  readonly speaksOf: string
  readonly does: string
  readonly remedy: string | null
  /** The word that it is obeyed like, where it is one of other services. */
  readonly like: Explained | null
}

/** A reply word in any case, a word of other services, or a status as "503" or "HTTP 503"; undefined for anything else. */
export function explained(subject: string): Explained | undefined {
  const word = subject.trim().toLowerCase()
  if (isReplyWord(word)) return explainedWord(word)
  if (isFamilyWord(word)) return explainedFamilyWord(word)
  const [, status] = /^(?:http[ /]?)?(429|5\d\d)$/.exec(word) ?? []
  return status === undefined ? undefined : explainedStatus(Number(status))
}

function explainedWord(word: ReplyWord): Explained {
  const { meaning, action, about } = REPLIES[word]
  // biome-ignore format: a table
  const does = {
    settled: 'The address is remembered and not sent again until it changes.',
    wait:    action.kind === 'wait' ? waits(action.atLeast) : '',
    stop:    action.kind === 'stop' ? `Nothing more is sent until ${liftWording(action.liftedBy)}. A restart does not change that.` : '',
  }[action.kind]
  const speaksOf =
    about === 'account'
      ? 'It speaks of the account, for every hostname at once.'
      : 'It speaks of one hostname.'
  return { word, meaning, speaksOf, does, remedy: remedyFor(word) ?? null, like: null }
}

function explainedFamilyWord(word: FamilyWord): Explained {
  const { like, meaning } = FAMILY_WORDS[word]
  const obeyed = explainedWord(like)
  const speaksOf = `It is a word of other services, and obeyed like ${like}:`
  return { ...obeyed, word, meaning, speaksOf, like: obeyed }
}

function explainedStatus(status: number): Explained {
  return {
    word: `HTTP ${status}`,
    meaning:
      status === 429
        ? 'the service was asked more often than it allows'
        : 'the service, or something in front of it, cannot answer now',
    speaksOf: 'It is no reply word, but a status of HTTP without one.',
    does: waits(waitAt(nextWait(`HTTP ${status}`, undefined), 0)),
    remedy: 'holdfast resume ends this wait',
    like: null,
  }
}

const waits = (atLeast: Duration): string =>
  `Nothing is sent for at least ${formatDuration(atLeast)}, and longer each time; then it is tried again without you.`

export function sayExplained({ word, meaning, speaksOf, does, remedy, like }: Explained): readonly string[] {
  const opening = [`${word}: ${meaning}.`, speaksOf]
  if (like !== null) return [...opening, ...sayExplained(like)]
  return [...opening, does, ...(remedy === null ? [] : [`What to do: ${remedy}.`])]
}
