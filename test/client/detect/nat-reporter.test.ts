import { expect, it } from 'vitest'
import { seconds } from '../../../src/shared/base/time.ts'
import type { Agreement, SourceVote } from '../../../src/client/detect/agree.ts'
import type { Finding } from '../../../src/client/detect/finding.ts'
import { NatReporter } from '../../../src/client/detect/nat-reporter.ts'
import { address } from '../../fakes/address.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { never } from '../../fakes/detection.ts'

const AGREED: Agreement = {
  kind: 'agreed',
  address: address('8.8.8.8'),
  by: ['x'],
  against: [],
  hasNear: false,
}
const router = (instead?: string): SourceVote => ({
  source: { name: 'router', operator: 'router', vantage: 'router' },
  sighting: { kind: 'none', ...(instead !== undefined && { instead: address(instead) }) },
})

function scene() {
  const findings: Finding[] = []
  const clock = virtualClock()
  const options = { clock, requestLook: () => undefined, signal: never }
  const made = new NatReporter({ ...options, report: (finding) => findings.push(finding) })
  const of = (votes: readonly SourceVote[], agreement = AGREED, through?: string) =>
    made.of(agreement, { votes, isAtRouter: false, ...(through !== undefined && { through }) })?.kind
  return { of, findings, made, clock }
}

it('a round in which the router was too slow keeps what is known', () => {
  const { of, findings } = scene()
  expect([of([router('100.64.9.9')]), of([]), of([router()])]).toEqual([
    'CGNAT',
    'CGNAT',
    'CGNAT or double NAT',
  ])
  expect(findings).toHaveLength(1)
})

it('a round in which the router has the address ends it', () => {
  const { of } = scene()
  of([router('100.64.9.9')])
  expect(of([], { ...AGREED, hasNear: true })).toBeUndefined()
  expect(of([])).toBeUndefined()
})

it('nothing is said of a line that is another one, or of a round without an agreement', () => {
  const { of, findings, made } = scene()
  expect([
    of([router('100.64.9.9')], { ...AGREED, isElsewhere: true }),
    of([router('100.64.9.9')], AGREED, 'wg0'),
    of([router('100.64.9.9')], { kind: 'open' }),
  ]).toEqual([undefined, undefined, undefined])
  expect([findings, made.isInDoubt]).toEqual([[], false])
})

it('what two rounds show is told only if the line is the same in both', async () => {
  const { of, findings, clock } = scene()
  const at = (text: string) => of([router()], { ...AGREED, address: address(text) })
  at('8.8.8.8')
  await clock.pass(seconds(12))
  at('8.8.4.4')
  expect(findings).toEqual([])
  await clock.pass(seconds(3))
  at('8.8.4.4')
  expect(findings).toHaveLength(1)
})
