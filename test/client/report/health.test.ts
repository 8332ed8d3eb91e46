import { expect, it } from 'vitest'
import { healthProblems } from '../../../src/client/report/health.ts'
import { accountReport } from '../../fakes/account-report.ts'

const NEXT = '2026-01-01T08:00:00.000Z'
const now = (minutes: number): number => Date.parse(NEXT) + minutes * 60_000
const running = (...accounts: readonly ReturnType<typeof accountReport>[]) => ({ isRunning: true, accounts })

it.each([
  [
    'a daemon that is up to date',
    running(accountReport('settled', { nextLook: NEXT, nextAttempt: null })),
    10,
    [],
  ],
  [
    'a wait of the service',
    running(accountReport('waiting', { nextLook: NEXT, nextAttempt: '2026-01-01T12:00:00.000Z' })),
    200,
    [],
  ],
  ['a service that is not reached', running(accountReport('unreached', { nextAttempt: null })), 0, []],
  ['no daemon', { isRunning: false, accounts: [accountReport('settled')] }, 0, ['no daemon is running']],
  [
    'a daemon that hangs',
    { isRunning: true, isSilent: true as const, accounts: [] },
    0,
    ['the daemon does not answer'],
  ],
  [
    'a stop',
    running(accountReport('settled', { nextAttempt: null }), accountReport('stopped')),
    0,
    ['key@dyn.test: stopped until you act'],
  ],
  [
    'a look that is late',
    running(accountReport('settled', { nextLook: NEXT, nextAttempt: null })),
    11,
    [`key@dyn.test: the address check was due at ${NEXT}`],
  ],
])('of %s', (_, report, minutes, problems) => expect(healthProblems(report, now(minutes))).toEqual(problems))
