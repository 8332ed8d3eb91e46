import { expect, it } from 'vitest'
import { hours } from '../../../src/base/time.ts'
import { forever, run } from '../../../src/client/agent/run.ts'
import { explainAccount, sayStatus } from '../../../src/client/report/explain-account.ts'
import { explained, sayExplained } from '../../../src/client/report/explain-word.ts'
import type { Outcome } from '../../../src/client/report/outcome.ts'
import { type AccountReport, collector, viewOf } from '../../../src/client/report/report.ts'
import { sayReport } from '../../../src/client/report/report-text.ts'
import { parseAddress } from '../../../src/net/address.ts'
import { REPLY_WORDS } from '../../../src/protocol/reply.ts'
import { disk, world } from '../../fakes/world.ts'

const explainWord = (subject: string): readonly string[] => {
  const word = explained(subject)
  return word === undefined ? [] : sayExplained(word)
}

const v4 = parseAddress('192.0.2.1')
const report = (outcome: Outcome, over: Partial<AccountReport> = {}): AccountReport => ({
  account: 'key@dyn.test',
  name: null,
  outcome,
  addresses: {},
  hostnames: [
    {
      hostname: 'home.test',
      sent: null,
      answered: null,
      meaning: null,
      confirmed: v4 === undefined ? {} : { v4 },
      since: '2026-01-01T08:00:00.000Z',
      lastConfirmed: '2026-01-02T08:00:00.000Z',
      seen: [],
      remarks: [],
    },
  ],
  because: null,
  since: '2026-01-01T00:00:00.000Z',
  remedy: null,
  nextAttempt: '2026-01-01T00:30:00.000Z',
  lastLook: null,
  nextLook: null,
  ...over,
})

// biome-ignore format: golden texts
it.each<[Outcome, Partial<AccountReport>, readonly string[]]>([
  ['settled', {}, [
    'key@dyn.test is in order.',
    'Every hostname is confirmed; the next request comes when the address changes.',
  ]],
  ['addressUnknown', { because: 'no source could tell the public address (IPv4: no source answered)', remedy: 'ask holdfast detect' }, [
    'key@dyn.test has no address to send since 2026-01-01 00:00:00.',
    'Why: no source could tell the public address (IPv4: no source answered).',
    'What to do: ask holdfast detect.',
  ]],
  ['unreached', { because: 'connect: refused by 192.0.2.9:443' }, [
    'key@dyn.test was not reached since 2026-01-01 00:00:00.',
    'Why: connect: refused by 192.0.2.9:443.',
    'No answer came from it. It is tried again, less often the longer this lasts; at once when the network changes, or when you run holdfast poke.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['waiting', { because: '911' }, [
    'key@dyn.test is waiting since 2026-01-01 00:00:00.',
    'Why: the service answered 911 (fatal error at the service).',
    'No request is allowed before the wait is over; running a command again does not shorten it.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['waiting', { because: 'HTTP 503: an empty response (HTTP 503)', remedy: 'look' }, [
    'key@dyn.test is waiting since 2026-01-01 00:00:00.',
    'Why: the answer of the service: HTTP 503: an empty response (HTTP 503).',
    'What to do: look.',
    'No request is allowed before the wait is over; running a command again does not shorten it.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['stopped', { name: 'office', because: 'badauth', remedy: 'check the password', nextAttempt: null }, [
    'office (key@dyn.test) is stopped since 2026-01-01 00:00:00.',
    'Why: the service answered badauth (invalid username and password).',
    'What to do: check the password.',
    'Next attempt: none before you have acted.',
  ]],
])('explains an account that is %s', (outcome, over, lines) =>
  expect(explainAccount(report(outcome, over))).toEqual([...lines, '  home.test: confirmed at 192.0.2.1 since 2026-01-01 08:00:00']))

it('explains a word of other services by the one that it is obeyed like', () =>
  expect(explainWord('notfqdn').slice(0, 3)).toEqual([
    'notfqdn: the hostname is not a full name, or no hostname was given.',
    'It is a word of other services, and obeyed like nohost:',
    'nohost: no such hostname under this account.',
  ]))

it('says since when no address is known, and when it is looked again', async () => {
  const scene = world(disk(), [], (minute) => (minute < 12 ? ['192.0.2.1'] : []))
  const agent = {
    ...scene,
    http: async () => ({ kind: 'answered', status: 200, headers: {}, body: 'good' }) as const,
  }
  scene.stopAfter(hours(1))
  const rest = await run(agent, [{ kind: 'started' }], forever)
  const [seen] = viewOf(rest, collector(), { now: scene.clock.now(), wallAt: (at) => at })

  expect(seen).toMatchObject({
    outcome: 'addressUnknown',
    since: '2026-01-01T00:15:00.000Z',
    nextLook: expect.stringMatching(/^2026-01-01T01:/) as string,
  })
  expect(seen === undefined ? [] : sayStatus({ isRunning: true, accounts: [seen] })[1]).toContain(
    'no address to send since 2026-01-01 00:15:00: ',
  )
})

it('explains a word in any case, and a status', () => {
  expect(explainWord('ABUSE')).toEqual(explainWord('abuse'))
  expect(explainWord('429')).toEqual([
    'HTTP 429: the service was asked more often than it allows.',
    'It is no reply word, but a status of HTTP without one.',
    'Nothing is sent for at least 30m, and longer each time; then it is tried again without you.',
    'What to do: holdfast resume ends this wait.',
  ])
  expect(explainWord('HTTP 503')).toEqual(explainWord('503'))
  expect(explainWord('503')[2]).toContain('at least 1m')
  expect(explained('goodbye')).toBeUndefined()
})

it('explains every word: what it means, whom it is about, what is done, and what to do', () => {
  expect(Object.fromEntries(REPLY_WORDS.map((word) => [word, explainWord(word)]))).toMatchInlineSnapshot(`
    {
      "!donator": [
        "!donator: feature not available to this user.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until the settings of the account change, or you run holdfast resume. A restart does not change that.",
        "What to do: the request used a feature that this plan lacks: change the settings, or the plan and then run holdfast resume.",
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
        "What to do: the service has blocked this username: ask its support to remove the block, then run holdfast resume.",
      ],
      "badagent": [
        "badagent: client disabled.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until the version of Holdfast or its User-Agent changes, or you run holdfast resume. A restart does not change that.",
        "What to do: the service does not accept this program: update Holdfast, or set user_agent or contact as the service asks; then updates continue.",
      ],
      "badauth": [
        "badauth: invalid username and password.",
        "It speaks of the account, for every hostname at once.",
        "Nothing more is sent until the credentials change, or you run holdfast resume. A restart does not change that.",
        "What to do: check the username and the password of the DDNS key; with new credentials, updates continue.",
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
        "Nothing more is sent until the hostname or the credentials change, or you run holdfast resume. A restart does not change that.",
        "What to do: check the spelling of the hostname, and that it is attached to this DDNS key; then correct the settings, or run holdfast resume.",
      ],
    }
  `)
})

it('says how things stand, what is seen now and by which sources, and when it is looked again', () =>
  expect(
    sayStatus({
      isRunning: true,
      accounts: [
        report('settled', {
          name: 'office',
          lastLook: '2026-01-03T10:00:00.000Z',
          nextLook: '2026-01-03T10:05:00.000Z',
          hostnames: report('settled').hostnames.map((host) => ({
            ...host,
            seen: [
              { family: 'v4', address: '192.0.2.1', by: 'router and stun:x', because: null },
              {
                family: 'v6',
                address: null,
                by: null,
                because: 'this host has no public address of this family',
              },
            ],
            remarks: ['something to know'],
          })),
        }),
        report('stopped', { because: 'abuse', nextAttempt: null }),
      ],
    }),
  ).toEqual([
    'the daemon is running',
    'office (key@dyn.test): in order',
    '  looked 2026-01-03 10:00:00, looks again 2026-01-03 10:05:00',
    '  sees 192.0.2.1 (router and stun:x); no IPv6 address (this host has no public address of this family)',
    '  home.test: confirmed at 192.0.2.1 since 2026-01-01 08:00:00',
    '    something to know',
    'key@dyn.test: stopped since 2026-01-01 00:00:00 by abuse; holdfast explain says what to do',
    '  home.test: confirmed at 192.0.2.1 since 2026-01-01 08:00:00',
  ]))

it('promises no attempt where no daemon makes one', () =>
  expect(sayStatus({ isRunning: false, accounts: [report('waiting', { because: '911' })] })).toContain(
    'key@dyn.test: waiting since 2026-01-01 00:00:00, the service answered 911 (fatal error at the service); no attempt before 2026-01-01 00:30:00',
  ))

it('tells what was done apart from what went wrong', () =>
  expect(sayReport(report('stopped', { because: 'badauth', remedy: 'check it' }))).toEqual({
    done: ['home.test: nothing sent'],
    trouble: [
      'key@dyn.test: stopped by badauth; nothing more is sent until you act',
      '  what to do: check it',
    ],
  }))
