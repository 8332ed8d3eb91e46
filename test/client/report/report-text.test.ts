import { expect, it } from 'vitest'
import { formatReport } from '../../../src/client/report/report-text.ts'
import { accountReport } from '../../fakes/account-report.ts'

it('formats what was done apart from the problems', () =>
  expect(formatReport(accountReport('stopped', { because: 'badauth', remedy: 'check it' }))).toEqual({
    done: ['home.test: nothing sent'],
    problems: [
      'key@dyn.test: stopped, because the service answered badauth; nothing more is sent until you act',
      '  what to do: check it',
    ],
  }))

it('formats each hostname: its reply, what was sent, or that nothing was', () => {
  const [host] = accountReport('settled').hostnames
  if (host === undefined) throw new Error('no hostname')
  const hostnames = [
    { ...host, answered: 'good 192.0.2.1', meaning: 'update succeeded', remarks: ['a remark'] },
    { ...host, sent: { addresses: ['192.0.2.1'], offline: false, previous: {} } },
    host,
  ]

  expect(formatReport(accountReport('settled', { hostnames }))).toEqual({
    done: [
      'home.test: good 192.0.2.1 (update succeeded)',
      '  home.test: a remark',
      'home.test: 192.0.2.1 sent, nothing confirmed',
      'home.test: already confirmed at 192.0.2.1; nothing sent',
    ],
    problems: [],
  })
})
