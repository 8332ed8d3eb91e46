import { milliseconds } from '../../../src/shared/base/time.ts'
import type { SourceAnswer } from '../../../src/client/detect/survey.ts'
import type { Vantage } from '../../../src/client/detect/sources/source.ts'
import { type Family, familyOf } from '../../../src/shared/base/address.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { address } from '../../fakes/address.ts'

export const seen = (text: string): Sighting => ({ kind: 'seen', address: address(text), by: 'x' })
export const LOST: Sighting = { kind: 'unknown', because: 'did not answer' }

/** What a source reported, after 12.4 ms. */
export const answer = (
  name: string,
  vantage: Vantage,
  sighting: Sighting,
  family: Family = 'v4',
): SourceAnswer => ({
  source: { name, operator: name, vantage },
  family: sighting.kind === 'seen' ? familyOf(sighting.address) : family,
  sighting,
  took: milliseconds(12.4),
})
