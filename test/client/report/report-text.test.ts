import { expect, it } from 'vitest'
import { explainAccount } from '../../../src/client/report/explain-account.ts'
import { formatReport } from '../../../src/client/report/report-text.ts'
import { formatStatus } from '../../../src/client/report/status.ts'
import { accountReport } from '../../fakes/account-report.ts'

it('formats what was done apart from the problems', () =>
  expect(formatReport(accountReport('stopped', { because: 'badauth', remedy: 'check it' }))).toEqual({
    done: ['home.test: nothing sent'],
    problems: [
      'key@dyn.test: stopped, because the service answered badauth (invalid username and password); nothing more is sent until you act',
      '  what to do: check it',
    ],
  }))

it('says which hostnames are stopped, where the others are not', () => {
  const report = accountReport('stopped', { because: 'no-zone', stoppedAlone: ['a.test', 'b.test'] })
  const all = [
    formatReport(report).problems,
    formatStatus({ accounts: [report] } as never),
    explainAccount(report),
  ]
    .flat()
    .join('\n')
  expect(all.match(/a\.test and b\.test are stopped, the other hostnames are not/g)).toHaveLength(3)
  expect(all).toContain('nothing more is sent for a.test and b.test until you act')
})

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
