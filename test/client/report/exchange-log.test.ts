import { expect, it } from 'vitest'
import { ExchangeLog } from '../../../src/client/report/report.ts'

const sent = { hostnames: ['a.test'], addresses: {} }
const settled = {
  kind: 'settled',
  account: 'k',
  hostname: 'a.test',
  reply: { word: 'good', addresses: [] },
  previous: {},
  sent,
} as const
const unreached = (because: string) => ({ kind: 'unreached', account: 'k', because, sent }) as const

it('the last exchange of a hostname counts', () => {
  const log = new ExchangeLog()
  log.record(settled)
  log.record(unreached('time-out: no answer'))

  expect(log.get('k', 'a.test')).toEqual({ sent })
  expect(log.get('k', 'b.test')).toBeUndefined()
})

it('a request without a connection was not sent', () => {
  const log = new ExchangeLog()
  log.record(unreached('connect: refused'))

  expect(log.get('k', 'a.test')).toBeUndefined()
})

it('a view from now has only later exchanges', () => {
  const log = new ExchangeLog()
  log.record(settled)
  const view = log.fromNow()
  expect(view.get('k', 'a.test')).toBeUndefined()
  log.record(settled)

  expect(view.get('k', 'a.test')).toMatchObject({ reply: { word: 'good' } })
})
