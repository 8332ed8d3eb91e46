import { formatDuration } from '../../base/time.ts'
import { listed } from '../../net/address.ts'
import { REPLIES, type ReplyWord, isReplyWord } from '../../protocol/reply.ts'
import type { Outcome } from './outcome.ts'
import { remedyFor } from '../../protocol/remedies.ts'
import type { AccountReport } from './report.ts'

/** What a word means and what it makes this program do. */
export function explainWord(word: ReplyWord): readonly string[] {
  const { means, mandate, about } = REPLIES[word]
  const remedy = remedyFor(word)
  // biome-ignore format: a table
  const does = {
    settled: 'The address is remembered and not sent again until it changes.',
    wait:    `Nothing is sent for at least ${mandate.kind === 'wait' ? formatDuration(mandate.atLeast) : ''}, and longer each time; then it is tried again without you.`,
    stop:    `Nothing more is sent until ${mandate.kind === 'stop' && mandate.until !== 'user action' ? `there are ${mandate.until}, or you run holdfast resume` : 'you run holdfast resume'}. A restart does not change that.`,
  }[mandate.kind]
  const speaksOf =
    about === 'account'
      ? 'It speaks of the account, for every hostname at once.'
      : 'It speaks of one hostname.'
  return [`${word}: ${means}.`, speaksOf, does, ...(remedy === undefined ? [] : [`What to do: ${remedy}.`])]
}

/** Why an account stands where it does; one text for each way it can. */
export function explainAccount(report: AccountReport): readonly string[] {
  const { account, outcome, because, since, remedy, nextAttempt } = report
  const word =
    because !== null && isReplyWord(because)
      ? `${because} (${REPLIES[because].means})`
      : (because ?? 'nothing is known')
  const from = since === null ? '' : ` since ${since}`
  // biome-ignore format: a table
  const TEXTS: { readonly [O in Outcome]: readonly string[] } = {
    settled:        [`${account} is in order.`, 'Every hostname is confirmed; the next request comes when the address changes.'],
    addressUnknown: [`${account} has no address to send.`, `Why: ${word}.`, 'What to do: holdfast config show names the sources; check that one of them can be reached.'],
    unreached:      [`${account} was not reached${from}.`, `Why: ${word}.`, 'No answer came from it. It is tried again, less often the longer this lasts; at once when the network changes, or when you run holdfast poke.', `Next attempt: ${nextAttempt}.`],
    waiting:        [`${account} is waiting${from}.`, `Why: the service answered ${word}.`, 'The protocol forbids another request before the wait is over; running a command again does not shorten it.', `Next attempt: ${nextAttempt}.`],
    stopped:        [`${account} is stopped${from}.`, `Why: the service answered ${word}.`, ...(remedy === null ? [] : [`What to do: ${remedy}.`]), 'Next attempt: none before you have acted.'],
  }
  return [...TEXTS[outcome], ...report.hostnames.map(sayHost)]
}

const sayHost = ({ hostname, confirmed }: AccountReport['hostnames'][number]): string => {
  const addresses = listed(confirmed).join(' and ')
  return `  ${hostname}: ${addresses === '' ? 'nothing confirmed yet' : `confirmed at ${addresses}`}`
}

/** A few lines for a person: who runs, and how each account and hostname stands. */
export function sayStatus({
  isRunning,
  isSilent = false,
  accounts,
}: {
  readonly isRunning: boolean
  readonly isSilent?: boolean
  readonly accounts: readonly AccountReport[]
}): readonly string[] {
  const remembered = 'this is what was remembered'
  const silent = `the daemon is there but does not answer; ${remembered}`
  return [
    isRunning ? (isSilent ? silent : 'the daemon is running') : `no daemon is running; ${remembered}`,
    ...accounts.flatMap((report) => {
      const { account, outcome, because, nextAttempt } = report
      // biome-ignore format: a table
      const STANDS: { readonly [O in Outcome]: string } = {
        settled:        'in order',
        addressUnknown: 'no address seen yet',
        unreached:      `not reached (${because}); next attempt ${nextAttempt}`,
        waiting:        `waiting (${because}); next attempt ${nextAttempt}`,
        stopped:        `stopped by ${because}; holdfast explain says what to do`,
      }
      return [`${account}: ${STANDS[outcome]}`, ...report.hostnames.map(sayHost)]
    }),
  ]
}
