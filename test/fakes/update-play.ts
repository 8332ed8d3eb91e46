import type { Random } from '../bench/fleet-random.ts'
import { updateDraw } from './update-draw.ts'
import { UPDATE_FAULTS, withFault } from './update-faults.ts'
import { FIRST_ZONE, randomUpdate } from './update-messages.ts'
import { type Deviations, type ModelZone, type ZoneRecord, zoneText } from './update-model.ts'
import { type ExpectedAnswer, expectedAnswer, isExpectedRcode } from './update-oracle.ts'
import { type MacKey, signUpdate } from './update-tsig.ts'
import { messageOctets, RCODE } from './update-wire.ts'

/** A server that takes messages of UPDATE for one zone. */
export interface UpdateTarget {
  /** The RCODE of the answer; undefined: there is none. */
  readonly send: (octets: Buffer) => Promise<number | undefined>
  /** Every record of the zone, the SOA once. */
  readonly zone: () => Promise<readonly ZoneRecord[]>
  readonly reset: (records: readonly ZoneRecord[]) => Promise<void>
}

export interface UpdatePlay {
  readonly random: Random
  readonly count: number
  readonly keys: readonly MacKey[]
  /** Seconds since the epoch: the clock of the target. */
  readonly now: () => number
  readonly deviations: Deviations
  /** Whether some names are in upper case: servers that keep the case take another case for a change. */
  readonly isCased: boolean
  /** The RCODE if the rules of the target refuse what RFC 2136 accepts; nothing changes then. */
  readonly refusal?: (before: ModelZone, after: ModelZone) => number | undefined
  /** What of a zone is compared. Default: all of it, with the serial. */
  readonly compared?: (zone: ModelZone) => readonly string[]
  /** The play ends with so many differences. Default: 5. */
  readonly maxDifferences?: number
}

/** A message that the target and the model answer differently, or that leaves other zones. */
export interface UpdateDifference {
  readonly number: number
  readonly kind: string
  readonly octets: string
  readonly expected: ExpectedAnswer['rcode']
  readonly actual: number | undefined
  /** Records of only one of both zones. */
  readonly missing: readonly string[]
  readonly unexpected: readonly string[]
}

export interface PlayedUpdates {
  readonly differences: readonly UpdateDifference[]
  /** How many messages of each kind, and how many answers of each RCODE. */
  readonly kinds: ReadonlyMap<string, number>
  readonly rcodes: ReadonlyMap<string, number>
  readonly changes: number
}

const RIGHT = 'right'
/** Faults of signatures are rare here: they have a test of their own. */
const kindOf = ({ isOnceIn, from }: ReturnType<typeof updateDraw>): string =>
  isOnceIn(40) ? 'unsigned' : isOnceIn(3) ? from(UPDATE_FAULTS) : RIGHT

const count = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1)

interface Answered extends Required<Pick<UpdatePlay, 'refusal'>> {
  readonly byRfc: ExpectedAnswer
  readonly actual: number | undefined
}

/** The answer of RFC 2136, or the one that the target may give in its place. */
function answerBy(zone: ModelZone, { byRfc, actual, refusal }: Answered): ExpectedAnswer {
  if (byRfc.isMaybeMalformed === true && actual === RCODE.FORMERR) return { rcode: actual, zone }
  const rcode = byRfc.zone === zone ? undefined : refusal(zone, byRfc.zone)
  return rcode === undefined ? byRfc : { rcode, zone }
}

/** Sends random messages and compares each answer and each zone with the model. After a difference it goes on from the zone of the target. */
export async function playUpdates(target: UpdateTarget, play: UpdatePlay): Promise<PlayedUpdates> {
  const {
    random,
    keys,
    deviations,
    refusal = () => undefined,
    compared = zoneText,
    maxDifferences = 5,
  } = play
  const draw = updateDraw(random)
  const [kinds, rcodes] = [new Map<string, number>(), new Map<string, number>()]
  const differences: UpdateDifference[] = []
  let changes = 0
  await target.reset(FIRST_ZONE.records)
  let zone: ModelZone = { ...FIRST_ZONE, records: await target.zone() }
  for (let number = 0; number < play.count && differences.length < maxDifferences; number++) {
    const kind = kindOf(draw)
    const drawing = { draw, zone, isCased: play.isCased }
    const message = randomUpdate(drawing)
    const now = play.now()
    const octets = UPDATE_FAULTS.includes(kind) ? withFault(message, kind, drawing) : messageOctets(message)
    const sent = kind === 'unsigned' ? octets : signUpdate(octets, { key: draw.from(keys), time: now })
    const byRfc = expectedAnswer(zone, sent, { keys, now, deviations })
    const actual = await target.send(sent)
    const expected = answerBy(zone, { byRfc, actual, refusal })
    const after = { ...zone, records: await target.zone() }
    const [wanted, seen] = [compared(expected.zone), compared(after)]
    const missing = wanted.filter((one) => !seen.includes(one))
    const unexpected = seen.filter((one) => !wanted.includes(one))
    const isSame = isExpectedRcode(expected.rcode, actual)
    if (!isSame || missing.length + unexpected.length > 0)
      differences.push({
        number,
        kind,
        octets: sent.toString('hex'),
        expected: expected.rcode,
        actual,
        missing,
        unexpected,
      })
    count(kinds, kind)
    count(rcodes, String(actual))
    if (zoneText(zone).join() !== zoneText(after).join()) changes++
    zone = after
  }
  return { differences, kinds, rcodes, changes }
}
