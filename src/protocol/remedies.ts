import type { ReplyWord } from './reply.ts'

/** What to do about it, in plain words, for every word that stops a client. */
export const REMEDIES: { readonly [W in Exclude<ReplyWord, 'good' | 'nochg' | '911'>]: string } = {
  nohost:
    'check the spelling of the hostname and that it is attached to this DDNS key; correct the settings, then run again, or run holdfast resume',
  badauth: 'check username and password of the DDNS key; with new credentials updates go on by themselves',
  badagent:
    'the service does not accept this program: update Holdfast, or set user_agent or contact as the service asks; or, if it changed its mind, run holdfast resume',
  '!donator': 'the request used a feature that this plan lacks: change the settings, or the plan',
  abuse: 'the service has blocked this username: ask its support to lift the block, then run holdfast resume',
}

const hasRemedy = (word: string): word is keyof typeof REMEDIES => Object.hasOwn(REMEDIES, word)
export const remedyFor = (word: string): string | undefined => (hasRemedy(word) ? REMEDIES[word] : undefined)

/** What to do about an answer that is no word of the protocol; `detail` says what came, with its HTTP status. */
export const remedyForAnswer = (detail: string): string =>
  /\(HTTP 429\)/.test(detail)
    ? 'the service was asked more often than it allows; the next attempt comes by itself, and holdfast resume ends this wait'
    : /\(HTTP 4(04|05|10)\)/.test(detail)
      ? 'check that server is the address of an update service; then run holdfast resume, which ends this wait'
      : detail.includes('"')
        ? 'see what the service says, in quotes above; when it is mended, holdfast resume ends this wait'
        : 'check that server and its port are those of an update service; holdfast resume ends this wait'
