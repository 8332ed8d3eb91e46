import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../bench/fleet-random.ts'
import { zoneTextWithoutSerial } from '../fakes/update-model.ts'
import { type PlayedUpdates, playUpdates, type UpdatePlay } from '../fakes/update-play.ts'
import { RCODE } from '../fakes/update-wire.ts'
import { runs, SEED } from '../runs.ts'
import { refusalByService, SERVICE_DEVIATIONS } from './service-rules.ts'
import { serviceTarget, type UpdatedService, updatedService } from './service-updates.ts'

/** The model of RFC 2136 and the running service take the same messages: each answer and each zone is compared. */
const COUNT = runs(300)

let service: UpdatedService
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-updates-'))
  service = await updatedService(folder)
})
afterAll(async () => {
  await (service as UpdatedService | undefined)?.at.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const play = async (other: Partial<UpdatePlay> = {}): Promise<PlayedUpdates> =>
  playUpdates(serviceTarget(service.at), {
    random: seededRandom(SEED),
    count: COUNT,
    keys: service.keys,
    now: () => Math.floor(Date.now() / 1000),
    deviations: SERVICE_DEVIATIONS,
    refusal: refusalByService,
    isCased: true,
    compared: zoneTextWithoutSerial,
    ...other,
  })

describe('the service and the model of RFC 2136', () => {
  it(`answer ${COUNT} random messages alike, and have the same zone after each`, async () => {
    const { differences, changes, rcodes } = await play()

    expect(differences, `HOLDFAST_TEST_SEED=${SEED}`).toEqual([])
    expect(changes).toBeGreaterThan(COUNT / 10)
    const wanted = ['NOERROR', 'FORMERR', 'NXRRSET', 'YXRRSET', 'NOTAUTH', 'NOTZONE', 'REFUSED'] as const
    for (const word of wanted) expect(rcodes.get(String(RCODE[word])), word).toBeGreaterThan(0)
  })

  it.each(['one-ttl', 'few-types'])(
    'differ without the deviation %s: the comparison sees it',
    async (one) => {
      const deviations = new Set([...SERVICE_DEVIATIONS].filter((deviation) => deviation !== one))

      expect((await play({ deviations, maxDifferences: 1 })).differences).toHaveLength(1)
    },
  )

  it('differ without the rules of the service', async () =>
    expect((await play({ refusal: () => undefined, maxDifferences: 1 })).differences).toHaveLength(1))
})
