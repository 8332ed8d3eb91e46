import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { seededRandom } from '../bench/fleet-random.ts'
import { type ModelZone, zoneTextWithoutSerial } from '../fakes/update-model.ts'
import { expectedAnswer, isExpectedRcode } from '../fakes/update-oracle.ts'
import { playUpdates, type UpdateTarget } from '../fakes/update-play.ts'
import { UPDATE_ORIGIN } from '../fakes/update-messages.ts'
import { RCODE } from '../fakes/update-wire.ts'
import { runs, SEED } from '../runs.ts'
import { BIND_DEVIATIONS, refusalByBind } from './bind-rules.ts'
import { bindTarget, updatedBind } from './bind-updates.ts'
import type { NameServer } from './name-server-programs.ts'
import { lacks } from './name-servers.ts'
import { refusalByService, SERVICE_DEVIATIONS } from './service-rules.ts'
import { serviceTarget, type UpdatedService, updatedService } from './service-updates.ts'

/** The running service and BIND begin each message with the same zone, and get the same octets. */
const COUNT = runs(100)

const isLacking = lacks('named')
let service: UpdatedService
let server: NameServer | undefined
let bind: UpdateTarget
let folder = ''
beforeAll(async () => {
  if (isLacking) return
  folder = mkdtempSync(join(tmpdir(), 'holdfast-beside-'))
  service = await updatedService(folder)
  const place = { port: await freePort(), keys: service.keys }
  server = updatedBind({ folder: join(folder, 'bind'), ...place })
  await server.start()
  bind = bindTarget(place)
})
afterAll(async () => {
  await server?.stop()
  await (service as UpdatedService | undefined)?.at.kill('SIGKILL')
  if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

const secondsNow = (): number => Math.floor(Date.now() / 1000)
const textOf = (zone: ModelZone): string => zoneTextWithoutSerial(zone).join('\n')

/** What BIND should answer and have, by the model with its deviations, or with those of the service. */
function expectedBy(zone: ModelZone, octets: Buffer, program: 'bind' | 'service') {
  const [deviations, refusal] =
    program === 'bind' ? [BIND_DEVIATIONS, refusalByBind] : [SERVICE_DEVIATIONS, refusalByService]
  const byRfc = expectedAnswer(zone, octets, { keys: service.keys, now: secondsNow(), deviations })
  const rcode = byRfc.zone === zone ? undefined : refusal(zone, byRfc.zone)
  return { ...byRfc, ...(rcode !== undefined && { rcode, zone }) }
}

interface Beside {
  /** Octets that both answered differently, or that left different zones, although nothing in the tables says so. */
  readonly unexplained: string[]
  same: number
  listed: number
}

/** The service, and BIND next to it, whose answers are only compared. */
function both(beside: Beside): UpdateTarget {
  const first = serviceTarget(service.at)
  const zoneOf = async (target: UpdateTarget): Promise<ModelZone> => ({
    origin: UPDATE_ORIGIN,
    records: await target.zone(),
  })
  const send = async (octets: Buffer): Promise<number | undefined> => {
    const before = await zoneOf(first)
    if (textOf(await zoneOf(bind)) !== textOf(before)) await bind.reset(before.records)
    const start = await zoneOf(bind)
    expect(textOf(start)).toBe(textOf(before))
    const [own, other] = [await first.send(octets), await bind.send(octets)]
    const [ownZone, otherZone] = [await zoneOf(first), await zoneOf(bind)]
    const isSame = own === other && textOf(ownZone) === textOf(otherZone)
    const [byService, byBind] = [expectedBy(before, octets, 'service'), expectedBy(start, octets, 'bind')]
    const isForm = byBind.isMaybeMalformed === true && other === RCODE.FORMERR
    const isAsBind = isExpectedRcode(byBind.rcode, other) && textOf(otherZone) === textOf(byBind.zone)
    const isListed = byService.rcode !== byBind.rcode || textOf(byService.zone) !== textOf(byBind.zone)
    if (isSame) beside.same++
    else if (isForm || (isAsBind && isListed)) beside.listed++
    else beside.unexplained.push(`${own} ${other} ${octets.toString('hex')}`)
    return own
  }
  return { ...first, send }
}

describe.skipIf(isLacking)('the service and BIND', () => {
  it(
    `answer ${COUNT} random messages alike and have the same zone, but for what the tables of both say`,
    async () => {
      const beside: Beside = { unexplained: [], same: 0, listed: 0 }
      const { differences, changes } = await playUpdates(both(beside), {
        random: seededRandom(SEED),
        count: COUNT,
        keys: service.keys,
        now: secondsNow,
        deviations: SERVICE_DEVIATIONS,
        refusal: refusalByService,
        isCased: false,
        compared: zoneTextWithoutSerial,
      })

      console.log(
        `${COUNT} messages, ${changes} changes: ${beside.same} alike, ${beside.listed} by the tables`,
      )
      expect([differences, beside.unexplained], `HOLDFAST_TEST_SEED=${SEED}`).toEqual([[], []])
      expect(beside.same).toBeGreaterThan(COUNT / 3)
    },
    120_000 + 200 * COUNT,
  )
})
