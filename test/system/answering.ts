/** Name servers of a test, in a process of their own: `node answering.ts SERVERS`, as JSON. Prints a line when all listen. */
import { encodeName } from '../../src/shared/dns/name.ts'
import { FLAGS, RR_TYPES } from '../../src/shared/dns/types.ts'
import { dnsResponder, type Given } from '../fakes/dns-responder.ts'

export interface Answering {
  readonly host: string
  /** Whether the answers are authoritative (AA). */
  readonly isAuthority: boolean
  /** By "NAME TYPE": addresses or names. Any other question: `otherwise`. */
  readonly records: Readonly<Record<string, readonly string[]>>
  readonly otherwise: 'NODATA' | 'NXDOMAIN' | 'REFUSED'
}

const RCODE_OF = { NODATA: 0, NXDOMAIN: 3, REFUSED: 5 } as const
const NAME_OF = new Map<number, string>(Object.entries(RR_TYPES).map(([name, type]) => [type, name]))

const rdataOf = (type: number, value: string): Buffer =>
  type === RR_TYPES.A ? Buffer.from(value.split('.').map(Number)) : encodeName(value)

function answer({ isAuthority, records, otherwise }: Answering, name: string, type: number): Given {
  const flags = FLAGS.QR | (isAuthority ? FLAGS.AA : 0)
  const values = records[`${name} ${NAME_OF.get(type) ?? type}`]
  return values === undefined
    ? { flags, rcode: RCODE_OF[otherwise] }
    : {
        flags,
        answers: values.map((value) => ({ owner: encodeName(name), type, rdata: rdataOf(type, value) })),
      }
}

for (const one of JSON.parse(process.argv[2] ?? '[]') as readonly Answering[])
  await dnsResponder(({ name, type }) => answer(one, name, type), one.host, 53)
console.log('listening')
