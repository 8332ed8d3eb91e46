import { newLimit } from '../service/publish/new-limit.ts'
import { decode } from 'dns-packet'
import { encodeName } from '../../src/shared/dns/name.ts'
import { signTsig } from '../../src/shared/dns/tsig.ts'
import { CLASSES, RR_TYPES } from '../../src/shared/dns/types.ts'
import { parseAddress } from '../../src/shared/base/address.ts'
import { handleDns } from '../../src/service/publish/handle.ts'
import { Secret } from '../../src/shared/base/secret.ts'
import { RenderedAnswers } from '../../src/service/publish/rendered-answers.ts'
import { opt, soaRdata, wire } from '../shared/dns/wire.ts'
import { SETTINGS } from '../service/publish/flushed.ts'
import { KEY, SECONDS } from '../service/publish/secondary.ts'
import { NOW, type World } from '../service/publish/zones.ts'

const peer = parseAddress('192.0.2.10')
if (peer === undefined) throw new Error('no address')
const SECONDARY = { name: 'ns1', address: peer, port: 53, key: KEY, signs: false }

export interface Asked {
  readonly name: string
  readonly type: keyof typeof RR_TYPES
  /** Of an IXFR. */
  readonly serial?: number
  readonly isDatagram?: boolean
}

/** The answer to a secondary or, unsigned, to a resolver, as dns-packet reads it. */
export async function answers(
  world: World,
  { name, type, serial, isDatagram = false }: Asked,
  settings: Partial<typeof SETTINGS> = {},
) {
  const authorities =
    serial === undefined ? [] : [{ owner: encodeName(name), type: RR_TYPES.SOA, rdata: soaRdata(serial) }]
  const message = wire({ name, type: RR_TYPES[type], authorities, additions: [opt(1232)] })
  const isTransfer = type === 'AXFR' || type === 'IXFR'
  const bytes = isTransfer ? signTsig(message, KEY, { now: SECONDS }).message : message
  const sent: Buffer[] = []
  await world.store.read(async (reads) =>
    handleDns(
      {
        settings: () => ({
          ...SETTINGS,
          ...settings,
          secondaries: [SECONDARY],
          nsid: 'ns1',
          isAnswering: true,
        }),
        read: async (work) => work(reads),
        rendered: new RenderedAnswers(),
        cookieSecret: new Secret('secret'),
        snapshot: async (_, work) => work(reads),
        limit: newLimit(),
        now: () => NOW,
        onFetched: () => undefined,
        update: async () => undefined,
        accountKey: async () => undefined,
      },
      { bytes, peer: { address: SECONDARY.address, isDatagram } },
      async (octets) => void sent.push(octets),
    ),
  )
  return sent.map((octets) => decode(octets) as Decoded)
}

export type Decoded = ReturnType<typeof decode> & { readonly rcode: string }

/** "OWNER TTL TYPE VALUE"; of an SOA its serial. */
export function textOfRecord(record: NonNullable<Decoded['answers']>[number]): string {
  if (!('ttl' in record) || !('data' in record)) throw new Error(record.type)
  if (record.class !== 'IN') throw new Error(`${record.name}: class ${record.class} instead of ${CLASSES.IN}`)
  const { name, ttl, type } = record
  const value = type === 'SOA' ? record.data.serial : [record.data].flat().map(String).join(' ')
  return `${name} ${ttl} ${type} ${value}`
}
