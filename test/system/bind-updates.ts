import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { decodeMessage, isResponse } from '../fakes/update-decode.ts'
import { FIRST_ZONE, UPDATE_ORIGIN } from '../fakes/update-messages.ts'
import type { ZoneRecord } from '../fakes/update-model.ts'
import type { UpdateTarget } from '../fakes/update-play.ts'
import { serialOf, withSerial } from '../fakes/update-rdata.ts'
import { type MacKey, signUpdate } from '../fakes/update-tsig.ts'
import {
  CLASS,
  HEADER_OCTETS,
  messageOctets,
  octets16,
  RCODE,
  TYPE,
  UPDATE_FLAGS,
  type UpdateRecord,
} from '../fakes/update-wire.ts'
import { type NameServer, nameServer } from './name-server-programs.ts'

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

/** In milliseconds: for an answer, and for the proof that there is none. */
const [ANSWER_TIMEOUT, SILENCE] = [10_000, 50]

/** The messages of a stream that are whole. */
function* framesOf(octets: Buffer): Generator<Buffer> {
  for (let at = 0; at + 2 <= octets.length; ) {
    const end = at + 2 + octets.readUInt16BE(at)
    if (end > octets.length) return
    yield octets.subarray(at + 2, end)
    at = end
  }
}

const framed = (octets: Buffer): Buffer => Buffer.concat([octets16(octets.length), octets])

/** By TCP: BIND limits the rate of some answers by UDP. Undefined: the connection ends, or no answer comes. */
async function answered(port: number, octets: Buffer): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1')
  const isSilent = octets.length < HEADER_OCTETS || isResponse(octets.readUInt16BE(2))
  socket.setTimeout(isSilent ? SILENCE : ANSWER_TIMEOUT, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(framed(octets))
  return new Promise((done) => {
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (const answer of framesOf(received)) done((answer[3] ?? 0) & 15)
      if (!framesOf(received).next().done) socket.destroy()
    })
    socket.once('close', () => done(undefined))
  })
}

const AXFR = messageOctets({
  id: 1,
  flags: 0,
  zones: [{ name: UPDATE_ORIGIN, type: TYPE.AXFR, class: CLASS.IN }],
  prerequisites: [],
  updates: [],
  additional: [],
})

/** The zone by AXFR (RFC 5936): the SOA is its first record and its last. */
async function transferredZone(port: number): Promise<readonly ZoneRecord[]> {
  const socket = connect(port, '127.0.0.1')
  socket.write(framed(AXFR))
  let octets = Buffer.alloc(0)
  for await (const chunk of socket) {
    octets = Buffer.concat([octets, chunk as Buffer])
    const records = [...framesOf(octets)].flatMap((frame) => decodeMessage(frame).prerequisites)
    if (records.length > 1 && records.at(-1)?.type === TYPE.SOA)
      return records.slice(0, -1).map(({ class: _, ...one }) => ({ ...one, owner: one.owner.toLowerCase() }))
  }
  throw new Error('the transfer has no end')
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
  const zone = async () => transferredZone(port)
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
