import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../bench/fleet-random.ts'
import { freePort } from '../free-port.ts'
import { UPDATE_FAULTS } from '../fakes/update-faults.ts'
import { fuzzedUpdates } from '../fakes/update-fuzz.ts'
import { FIRST_ZONE } from '../fakes/update-messages.ts'
import { zoneText, zoneTextWithoutSerial } from '../fakes/update-model.ts'
import { type PlayedUpdates, playUpdates, type UpdatePlay, type UpdateTarget } from '../fakes/update-play.ts'
import { MAC_ALGORITHMS, type MacAlgorithm, type MacKey } from '../fakes/update-tsig.ts'
import { RCODE } from '../fakes/update-wire.ts'
import { runs, SEED } from '../runs.ts'
import { BIND_DEVIATIONS, refusalByBind } from './bind-rules.ts'
import { bindTarget, updatedBind } from './bind-updates.ts'
import type { NameServer } from './name-server-programs.ts'
import { lacks } from './name-servers.ts'

/** The model of RFC 2136 and BIND take the same messages: each answer and each zone is compared. */
const COUNT = runs(300)

const KEYS: readonly MacKey[] = Object.entries(MAC_ALGORITHMS).map(([algorithm, { octets }], n) => ({
  name: `Key${n}.test`,
  algorithm: algorithm as MacAlgorithm,
  secret: Buffer.alloc(octets, n + 1),
}))

const secondsNow = (): number => Math.floor(Date.now() / 1000)

const isLacking = lacks('named')
let server: NameServer | undefined
let target: UpdateTarget
let folder = ''
beforeAll(async () => {
  if (isLacking) return
  folder = mkdtempSync(join(tmpdir(), 'holdfast-updates-'))
  const port = await freePort()
  server = updatedBind({ folder, port, keys: KEYS })
  await server.start()
  target = bindTarget({ port, keys: KEYS })
})
afterAll(async () => {
  await server?.stop()
  if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

const play = async (seed: number, other: Partial<UpdatePlay> = {}): Promise<PlayedUpdates> =>
  playUpdates(target, {
    random: seededRandom(seed),
    count: COUNT,
    keys: KEYS,
    now: secondsNow,
    deviations: BIND_DEVIATIONS,
    refusal: refusalByBind,
    isCased: false,
    ...other,
  })

describe.skipIf(isLacking)('BIND and the model of RFC 2136', () => {
  it(`answer ${COUNT} random messages alike, and have the same zone with the same serial after each`, async () => {
    const { differences, changes, rcodes, kinds } = await play(SEED)

    expect(differences, `HOLDFAST_TEST_SEED=${SEED}`).toEqual([])
    expect(changes).toBeGreaterThan(COUNT / 10)
    const wanted = ['NOERROR', 'FORMERR', 'NXRRSET', 'YXRRSET', 'NOTAUTH', 'NOTZONE', 'REFUSED'] as const
    for (const word of wanted) expect(rcodes.get(String(RCODE[word])), word).toBeGreaterThan(0)
    expect(UPDATE_FAULTS.filter((fault) => kinds.has(fault)).length).toBeGreaterThan(UPDATE_FAULTS.length / 2)
  })

  it('have the same zone if names are in upper case', async () => {
    const { differences } = await play(SEED + 1, { isCased: true, compared: zoneTextWithoutSerial })

    expect(differences, `HOLDFAST_TEST_SEED=${SEED}`).toEqual([])
  })

  it.each([...BIND_DEVIATIONS].filter((one) => one === 'one-ttl' || one === 'prescan-first'))(
    'differ without the deviation %s: the comparison sees it',
    async (deviation) => {
      const deviations = new Set([...BIND_DEVIATIONS].filter((one) => one !== deviation))

      const { differences } = await play(SEED, { deviations })

      expect(differences.length).toBeGreaterThan(0)
    },
  )

  it('take no damaged or forged message that has no right signature', async () => {
    const next = fuzzedUpdates({ random: seededRandom(SEED), keys: KEYS, now: secondsNow })
    const seen = new Set<string>()
    let zone = await target.zone()
    for (let number = 0; number < COUNT; number++) {
      const { kind, octets, isAuthentic } = next()
      const rcode = await target.send(octets)
      const after = await target.zone()
      const isTaken = rcode === RCODE.NOERROR
      const isSame = isDeepStrictEqual(zone, after)
      expect(isAuthentic || (!isTaken && isSame), `${kind}: ${octets.toString('hex')}`).toBe(true)
      seen.add(isTaken ? 'taken' : isAuthentic ? 'authentic and refused' : 'forged')
      zone = after
    }
    expect([...seen].toSorted()).toEqual(['authentic and refused', 'forged', 'taken'])
  })

  it('is brought back to its first zone', async () => {
    await target.reset(FIRST_ZONE.records)

    const zone = { ...FIRST_ZONE, records: await target.zone() }
    expect(zoneTextWithoutSerial(zone)).toEqual(zoneTextWithoutSerial(FIRST_ZONE))
    expect(zoneText(zone)).not.toEqual([])
  })
})
