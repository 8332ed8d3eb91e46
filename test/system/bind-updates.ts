import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_ZONE, UPDATE_ORIGIN } from '../fakes/update-messages.ts'
import type { ZoneRecord } from '../fakes/update-model.ts'
import type { UpdateTarget } from '../fakes/update-play.ts'
import { serialOf, withSerial } from '../fakes/update-rdata.ts'
import { type MacKey, signUpdate } from '../fakes/update-tsig.ts'
import { CLASS, messageOctets, RCODE, TYPE, UPDATE_FLAGS, type UpdateRecord } from '../fakes/update-wire.ts'
import { type NameServer, nameServer } from './name-server-programs.ts'
import { answered, transferredZone, transferRequest } from './update-streams.ts'

/** BIND as a primary that takes updates of any name and type, signed by any of the keys. */

interface UpdatedPlace {
  readonly folder: string
  readonly port: number
  readonly keys: readonly MacKey[]
}

/** A record as a zone file has it: the RDATA in the form of RFC 3597 §5. */
const fileLine = ({ owner, type, ttl, rdata }: ZoneRecord): string =>
  `${owner}. ${ttl} IN TYPE${type} \\# ${rdata.length} ${rdata.toString('hex')}\n`

export function updatedBind({ folder, port, keys }: UpdatedPlace): NameServer {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'zone'), FIRST_ZONE.records.map(fileLine).join(''))
  const secrets = keys.map(
    ({ name, algorithm, secret }) =>
      `key "${name}" { algorithm ${algorithm}; secret "${secret.toString('base64')}"; };\n`,
  )
  writeFileSync(
    join(folder, 'named.conf'),
    `controls { };
options { directory "${folder}"; pid-file "${folder}/pid"; session-keyfile "${folder}/session"; managed-keys-directory "${folder}";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; notify no; };
${secrets.join('')}zone "${UPDATE_ORIGIN}" { type primary; file "${folder}/zone"; check-names ignore; check-integrity no;
  allow-update { ${keys.map(({ name }) => `key "${name}";`).join(' ')} }; allow-transfer { 127.0.0.1; }; };
`,
  )
  return nameServer('bind', port, { command: ['named', '-g', '-n', '1', '-c', join(folder, 'named.conf')] })
}

const isApexNs = ({ owner, type }: ZoneRecord): boolean => owner === UPDATE_ORIGIN && type === TYPE.NS
const deletion = (owner: string, type: number): UpdateRecord => ({
  owner,
  type,
  class: CLASS.ANY,
  ttl: 0,
  rdata: Buffer.alloc(0),
})

/** Updates that lead from one zone to another: the NS of the apex are never all gone. */
function updatesBetween(
  before: readonly ZoneRecord[],
  after: readonly ZoneRecord[],
): readonly UpdateRecord[] {
  const serial = before.filter(({ type }) => type === TYPE.SOA).map(({ rdata }) => serialOf(rdata))[0] ?? 0
  const added = after.map((one) => ({
    ...one,
    class: CLASS.IN,
    rdata: one.type === TYPE.SOA ? withSerial(one.rdata, (serial + 1) >>> 0) : one.rdata,
  }))
  const isOld = (one: ZoneRecord): boolean =>
    !after.some((other) => isApexNs(other) && other.rdata.equals(one.rdata))
  return [
    ...[...new Set(before.map(({ owner }) => owner))].map((owner) => deletion(owner, TYPE.ANY)),
    ...added,
    ...before
      .filter(isApexNs)
      .filter(isOld)
      .map((one) => ({ ...one, class: CLASS.NONE, ttl: 0 })),
  ]
}

export function bindTarget({ port, keys }: Omit<UpdatedPlace, 'folder'>): UpdateTarget {
  const zone = async () => transferredZone(port, transferRequest())
  const send = async (octets: Buffer) => answered(port, octets)
  const reset = async (records: readonly ZoneRecord[]): Promise<void> => {
    const [key] = keys
    if (key === undefined) throw new Error('there is no key')
    const message = messageOctets({
      id: 2,
      flags: UPDATE_FLAGS,
      zones: [{ name: UPDATE_ORIGIN, type: TYPE.SOA, class: CLASS.IN }],
      prerequisites: [],
      updates: updatesBetween(await zone(), records),
      additional: [],
    })
    const rcode = await send(signUpdate(message, { key, time: Math.floor(Date.now() / 1000) }))
    if (rcode !== RCODE.NOERROR) throw new Error(`the zone was not reset: RCODE ${rcode}`)
  }
  return { zone, send, reset }
}
