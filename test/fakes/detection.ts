import { type Duration, type Instant, milliseconds, seconds } from '../../src/shared/base/time.ts'
import { detector } from '../../src/client/detect/detector.ts'
import type { DetectorOptions } from '../../src/client/detect/detector-options.ts'
import type { Finding } from '../../src/client/detect/finding.ts'
import type { AddressSource, Vantage } from '../../src/client/detect/sources/source.ts'
import type { Family } from '../../src/shared/base/address.ts'
import type { Sighting } from '../../src/shared/base/sighting.ts'
import { address } from './address.ts'
import { virtualClock } from './clock.ts'

export const never = new AbortController().signal
export const seen = (text: string): Sighting => ({ kind: 'seen', address: address(text), by: 'x' })
export const [OLD, NEW] = [seen('8.8.8.8'), seen('9.9.9.9')]
export const NOTHING: Sighting = { kind: 'unknown', because: 'no answer' }

/** One source of a detector. */
export interface Script {
  readonly answers: () => Sighting
  readonly takes?: number
  readonly vantage?: Vantage
  readonly operator?: string
  readonly families?: readonly Family[]
  readonly cooldown?: Duration
  readonly isFirst?: true
}

/** A detector with these sources, on a virtual clock. */
export function scene(script: Readonly<Record<string, Script>>, over: Partial<DetectorOptions> = {}) {
  const clock = virtualClock()
  const asked: string[] = []
  const findings: Finding[] = []
  const sources = Object.entries(script).map(
    ([name, { answers, takes = 50, ...rest }]): AddressSource => ({
      name,
      operator: name,
      vantage: 'outside',
      families: ['v4'],
      cooldown: milliseconds(0),
      ...rest,
      look: async (_, signal) => {
        asked.push(name)
        const answer = answers()
        await clock.sleep((clock.now() + takes) as Instant, signal)
        return signal.aborted ? NOTHING : answer
      },
    }),
  )
  let released = 0
  const made = detector({
    sources,
    clock,
    uptime: () => milliseconds(clock.now()),
    report: (finding) => findings.push(finding),
    agreement: 'two',
    requestLook: () => released++,
    random: () => 0,
    published: () => [],
    outboundRoute: undefined,
    hasRoute: async () => Promise.resolve(true),
    isAtRouter: async () => Promise.resolve(false),
    signal: never,
    ...over,
  })
  const look = async (span = seconds(6)): Promise<{ readonly said: string; readonly took: number }> => {
    const start = clock.now()
    let answer: { said: string; took: number } | undefined
    void made.look('v4', never).then((sighting) => {
      const said = sighting.kind === 'seen' ? sighting.address : sighting.kind
      return (answer = { said, took: clock.now() - start })
    })
    await clock.pass(span)
    if (answer === undefined) throw new Error('no answer')
    return answer
  }
  return { clock, asked, findings, made, look, released: () => released }
}

export const router = (answers: () => Sighting, takes = 1): Script => ({
  answers,
  takes,
  vantage: 'router',
  operator: 'your router',
})
export const own = (answers: () => Sighting, takes = 1): Script => ({ answers, takes, vantage: 'own' })
export const always = (sighting: Sighting) => (): Sighting => sighting
