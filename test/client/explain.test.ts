import { expect, it } from 'vitest'
import { explainAccount, explainWord, sayStatus } from '../../src/client/report/explain.ts'
import type { AccountReport } from '../../src/client/report/report.ts'
import type { Outcome } from '../../src/client/report/outcome.ts'
import { parseAddress } from '../../src/net/address.ts'
import { REPLY_WORDS } from '../../src/protocol/reply.ts'

const v4 = parseAddress('192.0.2.1')
const report = (outcome: Outcome, over: Partial<AccountReport> = {}): AccountReport => ({
  account: 'key@dyn.test',
  outcome,
  addresses: {},
  hostnames: [
    {
      hostname: 'home.test',
      sent: null,
      answered: null,
      means: null,
      confirmed: v4 === undefined ? {} : { v4 },
    },
  ],
  because: null,
  since: '2026-01-01T00:00:00.000Z',
  remedy: null,
  nextAttempt: '2026-01-01T00:30:00.000Z',
  ...over,
})

// biome-ignore format: golden texts
it.each<[Outcome, Partial<AccountReport>, readonly string[]]>([
  ['settled', {}, [
    'key@dyn.test is in order.',
    'Every hostname is confirmed; the next request comes when the address changes.',
    '  home.test: confirmed at 192.0.2.1',
  ]],
  ['addressUnknown', { because: 'no source could tell the public address' }, [
    'key@dyn.test has no address to send.',
    'Why: no source could tell the public address.',
    'What to do: holdfast config show names the sources; check that one of them can be reached.',
    '  home.test: confirmed at 192.0.2.1',
  ]],
  ['unreached', { because: 'connect: ECONNREFUSED' }, [
    'key@dyn.test was not reached since 2026-01-01T00:00:00.000Z.',
    'Why: connect: ECONNREFUSED.',
    'No answer came from it. It is tried again, less often the longer this lasts; at once when the network changes, or when you run holdfast poke.',
    'Next attempt: 2026-01-01T00:30:00.000Z.',
    '  home.test: confirmed at 192.0.2.1',
  ]],
  ['waiting', { because: '911' }, [
    'key@dyn.test is waiting since 2026-01-01T00:00:00.000Z.',
    'Why: the service answered 911 (fatal error at the service).',
    'The protocol forbids another request before the wait is over; running a command again does not shorten it.',
    'Next attempt: 2026-01-01T00:30:00.000Z.',
    '  home.test: confirmed at 192.0.2.1',
  ]],
  ['stopped', { because: 'badauth', remedy: 'check the password', nextAttempt: null }, [
    'key@dyn.test is stopped since 2026-01-01T00:00:00.000Z.',
    'Why: the service answered badauth (invalid username and password).',
    'What to do: check the password.',
    'Next attempt: none before you have acted.',
    '  home.test: confirmed at 192.0.2.1',
  ]],
])('explains an account that is %s', (outcome, over, lines) => expect(explainAccount(report(outcome, over))).toEqual(lines))

it('explains every word: what it means, whom it is about, what is done, and what to do', () => {
  expect(Object.fromEntries(REPLY_WORDS.map((word) => [word, explainWord(word)]))).toMatchInlineSnapshot(`
    {
      "!donator": [
        "!donator: feature not available to this user.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until there are new settings, or you run holdfast resume. A restart does not change that.",
        "What to do: the request used a feature that this plan lacks: change the settings, or the plan.",
      ],
      "911": [
        "911: fatal error at the service.",
        "It speaks of the account, for every hostname at once.",
        "Nothing is sent for at least 30m, and longer each time; then it is tried again without you.",
      ],
      "abuse": [
        "abuse: username blocked for abuse.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until you run holdfast resume. A restart does not change that.",
        "What to do: the service has blocked this username: ask its support to lift the block, then run holdfast resume.",
      ],
      "badagent": [
        "badagent: client disabled.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until you run holdfast resume. A restart does not change that.",
        "What to do: the service does not accept this program: update Holdfast, or set user_agent or contact as the service asks; or, if it changed its mind, run holdfast resume.",
      ],
      "badauth": [
        "badauth: invalid username and password.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until there are new credentials, or you run holdfast resume. A restart does not change that.",
        "What to do: check username and password of the DDNS key; with new credentials updates go on by themselves.",
      ],
      "good": [
        "good: update succeeded.",
        "It speaks of one hostname.",
        "The address is remembered and not sent again until it changes.",
      ],
      "nochg": [
        "nochg: address already current.",
        "It speaks of one hostname.",
        "The address is remembered and not sent again until it changes.",
      ],
      "nohost": [
        "nohost: no such hostname under this account.",
        "It speaks of one hostname.",
        "Nothing more is sent until there are new credentials, or you run holdfast resume. A restart does not change that.",
        "What to do: check the spelling of the hostname and that it is attached to this DDNS key; correct the settings, then run again, or run holdfast resume.",
      ],
    }
  `)
})

it('says how things stand in a few lines', () =>
  expect(
    sayStatus({
      isRunning: true,
      accounts: [report('settled'), report('stopped', { because: 'abuse', nextAttempt: null })],
    }),
  ).toEqual([
    'the daemon is running',
    'key@dyn.test: in order',
    '  home.test: confirmed at 192.0.2.1',
    'key@dyn.test: stopped by abuse; holdfast explain says what to do',
    '  home.test: confirmed at 192.0.2.1',
  ]))
