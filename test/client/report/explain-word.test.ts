import { expect, it } from 'vitest'
import { explainReply, formatExplanation } from '../../../src/client/report/explain-word.ts'
import { REPLY_WORDS } from '../../../src/shared/protocol/reply.ts'

const explainWord = (subject: string): readonly string[] => {
  const explanation = explainReply(subject)
  return explanation === undefined ? [] : formatExplanation(explanation)
}

it('explains a word of other services by the word that it is handled like', () =>
  expect(explainWord('notfqdn').slice(0, 3)).toEqual([
    'notfqdn: the hostname is not a full name, or no hostname was given.',
    'It is a reply word of other services and is handled like nohost:',
    'nohost: no such hostname under this account.',
  ]))

it('explains a word in any case, and an HTTP status', () => {
  expect(explainWord('ABUSE')).toEqual(explainWord('abuse'))
  expect(explainWord('429')).toEqual([
    'HTTP 429: the service received more requests than it allows.',
    'It is an HTTP status, not a reply word.',
    'Nothing is sent for at least 30m, and longer after each repetition; then Holdfast retries by itself.',
    'What to do: holdfast resume ends this wait.',
  ])
  expect(explainWord('HTTP 503')).toEqual(explainWord('503'))
  expect(explainWord('503')[2]).toContain('at least 1m')
  expect(explainReply('goodbye')).toBeUndefined()
})

it('explains the meaning, scope, effect and remedy of every reply word', () => {
  expect(Object.fromEntries(REPLY_WORDS.map((word) => [word, explainWord(word)]))).toMatchInlineSnapshot(`
    {
      "!donator": [
        "!donator: feature not available to this user.",
        "It applies to a feature that the request used. If that is the offline option, updates continue without it; if not, the account stops.",
        "Nothing more is sent until the settings of the account change, or you run holdfast resume. A restart does not change that.",
        "What to do: the request used a feature that this plan lacks: change the settings or the plan; then run holdfast resume.",
      ],
      "911": [
        "911: fatal error at the service.",
        "It applies to the account, with all its hostnames.",
        "Nothing is sent for at least 30m, and longer after each repetition; then Holdfast retries by itself.",
      ],
      "abuse": [
        "abuse: username blocked for abuse.",
        "It applies to the account, with all its hostnames.",
        "Nothing more is sent until you run holdfast resume. A restart does not change that.",
        "What to do: the service has blocked this username: ask its support to remove the block, then run holdfast resume.",
      ],
      "badagent": [
        "badagent: client disabled.",
        "It applies to the account, with all its hostnames.",
        "Nothing more is sent until the version of Holdfast or its User-Agent changes, or you run holdfast resume. A restart does not change that.",
        "What to do: the service does not accept this program: update Holdfast, or set user_agent or contact as the service asks; then run holdfast resume.",
      ],
      "badauth": [
        "badauth: invalid username and password.",
        "It applies to the account, with all its hostnames.",
        "Nothing more is sent until the credentials change, or you run holdfast resume. A restart does not change that.",
        "What to do: correct the username or the password of the DDNS key; then run holdfast resume.",
      ],
      "good": [
        "good: update succeeded.",
        "It applies to one hostname.",
        "The address is saved, and not sent again until it changes.",
      ],
      "nochg": [
        "nochg: address already current.",
        "It applies to one hostname.",
        "The address is saved, and not sent again until it changes.",
      ],
      "nohost": [
        "nohost: no such hostname under this account.",
        "It applies to one hostname. The whole account stops with it, unless nohost_stops is "hostname".",
        "Nothing more is sent until the hostname or the credentials change, or you run holdfast resume. A restart does not change that.",
        "What to do: check the spelling of the hostname, and that it is attached to this DDNS key; correct the settings if they are wrong; then run holdfast resume.",
      ],
    }
  `)
})

it('explains a word of one service by the word that it is handled like', () =>
  expect(explainReply('NO_AUTH')).toMatchObject({
    word: 'no_auth',
    scope: 'It is a reply word of easydns only and is handled like badauth:',
    like: { word: 'badauth' },
  }))
