import { expect, it } from 'vitest'
import { explainAccount } from '../../../src/client/report/explain-account.ts'
import type { Outcome } from '../../../src/client/report/cause.ts'
import type { AccountReport } from '../../../src/client/report/report.ts'
import { accountReport } from '../../fakes/account-report.ts'

// biome-ignore format: golden texts
it.each<[Outcome, Partial<AccountReport>, readonly string[]]>([
  ['settled', {}, [
    'key@dyn.test is up to date.',
    'Every hostname is confirmed. The next request is sent when an address changes.',
  ]],
  ['settled', { hostnames: accountReport('settled').hostnames.map((host) => ({ ...host, isOffline: true })) }, [
    'key@dyn.test is up to date.',
    'Every hostname is offline, as the settings say. The next request is sent when that setting changes, or to refresh them.',
  ]],
  ['unreached', { since: null, because: 'the run ended before a request was sent' }, [
    'key@dyn.test has an update that is due.',
    'The daemon sends it in a moment. Without a daemon, run holdfast update.',
  ]],
  ['addressUnknown', { because: 'no source reported a public address (IPv4: no source answered)', remedy: 'ask holdfast detect' }, [
    'key@dyn.test has no address to send since 2026-01-01 00:00:00.',
    'Why: no source reported a public address (IPv4: no source answered).',
    'What to do: ask holdfast detect.',
  ]],
  ['unreached', { because: 'connect: refused by 192.0.2.9:443' }, [
    'key@dyn.test has not reached the service since 2026-01-01 00:00:00.',
    'Why: connect: refused by 192.0.2.9:443.',
    'The pauses between attempts grow while this lasts. A network change or holdfast poke triggers an attempt at once.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['waiting', { because: '911' }, [
    'key@dyn.test is waiting since 2026-01-01 00:00:00.',
    'Why: the service answered 911 (fatal error at the service).',
    'Nothing is sent before the wait ends. Running a command again does not shorten it.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['waiting', { because: 'HTTP 503: an empty response (HTTP 503)', remedy: 'look' }, [
    'key@dyn.test is waiting since 2026-01-01 00:00:00.',
    'Why: the service answered HTTP 503: an empty response (HTTP 503).',
    'What to do: look.',
    'Nothing is sent before the wait ends. Running a command again does not shorten it.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['waiting', { because: 'invalid reply: the answer is empty' }, [
    'key@dyn.test is waiting since 2026-01-01 00:00:00.',
    'Why: the service sent an invalid reply: the answer is empty.',
    'Nothing is sent before the wait ends. Running a command again does not shorten it.',
    'Next attempt: 2026-01-01 00:30:00.',
  ]],
  ['stopped', { name: 'office', because: 'badauth', remedy: 'check the password', nextAttempt: null }, [
    'office (key@dyn.test) is stopped since 2026-01-01 00:00:00.',
    'Why: the service answered badauth (invalid username and password).',
    'What to do: check the password.',
    'Next attempt: none until you act.',
  ]],
])('explains an account with the outcome %s', (outcome, over, lines) =>
  expect(explainAccount(accountReport(outcome, over))).toEqual([...lines, '  hostname   address    confirmed since', '  home.test  192.0.2.1  2026-01-01 08:00:00']))

it('says that a change is not noticed where the service takes the address of the connection', () =>
  expect(explainAccount(accountReport('settled', { lastLook: '2026-01-01T08:00:00.000Z' }))[1]).toContain(
    'so a change of the address is not noticed here',
  ))
