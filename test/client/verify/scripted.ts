import { systemEntropy } from '../../../src/shared/platform/clock/clock.ts'
import { err, ok } from '../../../src/shared/base/result.ts'
import type { VerifyPorts } from '../../../src/client/verify/ports.ts'
import type { ZoneServer } from '../../../src/client/verify/zone-servers.ts'
import { encodeName } from '../../../src/shared/dns/name.ts'
import { FLAGS, RR_TYPES } from '../../../src/shared/dns/types.ts'
import { bytesOf } from '../../../src/shared/base/address.ts'
import { milliseconds } from '../../../src/shared/base/time.ts'
import { address } from '../../fakes/address.ts'
import type { VirtualClock } from '../../fakes/clock.ts'
import { wire } from '../../shared/dns/wire.ts'

export const HOST = 'home.example.test'

/** The IPv4 address that a server gives at a moment; `silent` or `lame` where it gives none. */
export type Script = (at: number) => string

const OWN_ADDRESS = '192.0.2.'

/** Name servers that answer by their scripts, in virtual time. Each question is recorded as "server time". */
export function scripted(clock: VirtualClock, scripts: readonly Script[]) {
  const questions: string[] = []
  const servers: readonly ZoneServer[] = scripts.map((_, at) => ({
    name: `ns${at + 1}`,
    addresses: [address(`${OWN_ADDRESS}${at + 1}`)],
    port: 53,
  }))
  const ports: VerifyPorts = {
    clock,
    entropy: systemEntropy,
    stream: async () => 'no TCP',
    addresses: async () => [],
    nameServers: async () => ok([]),
    datagram: async ({ to, bytes }) => {
      const nth = Number(to.slice(OWN_ADDRESS.length))
      questions.push(`ns${nth} ${clock.now()}`)
      const given = scripts[nth - 1]?.(clock.now()) ?? 'silent'
      if (given === 'silent') return { kind: 'silent' }
      const isLame = given === 'lame'
      const rdata = isLame ? Buffer.alloc(4) : bytesOf(address(given))
      const message = wire({
        id: Buffer.from(bytes).readUInt16BE(0),
        flags: isLame ? FLAGS.QR : FLAGS.QR | FLAGS.AA,
        name: HOST,
        answers: [{ owner: encodeName(HOST), type: RR_TYPES.A, rdata }],
      })
      return { kind: 'answered', bytes: message, took: milliseconds(0), sent: 1 }
    },
  }
  return { ports, questions, servers }
}

export const noResolver: VerifyPorts['nameServers'] = async () =>
  err('the resolver of this host does not answer')
