import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isNewer } from '../../../src/service/publish/soa.ts'
import { soaSerial } from '../../../src/shared/dns/request.ts'
import { parseResponse } from '../../../src/shared/dns/response.ts'
import { signTsig } from '../../../src/shared/dns/tsig.ts'
import { RR_TYPES } from '../../../src/shared/dns/types.ts'
import { framed, onMessages } from '../../e2e/dns-traffic.ts'
import { wire } from '../../shared/dns/wire.ts'
import { keyOf, secondsNow, startResponder } from './responder.ts'

/** One transfer: the serial, and all records but the SOA, in the order of their text. */
export interface Transfer {
  readonly serial: number
  readonly records: readonly string[]
}

export interface OwnSecondary {
  readonly port: number
  /** Where it fetches from now on: ports of services. */
  readonly from: (dns: readonly number[]) => void
  /** Serial numbers that came with two contents, each with what differs. */
  readonly twice: () => readonly string[]
  readonly seen: () => number
  /** What it serves: the transfer with the newest serial. */
  readonly serves: () => Transfer | undefined
  readonly close: () => Promise<void>
}

/**
 * A secondary that fetches one zone again and again, by AXFR, from the services in turn, and remembers the content of each serial. It
 * takes NOTIFY and answers questions for its serial, as a name server does.
 */
export async function startOwnSecondary(zone: string): Promise<OwnSecondary> {
  const contents = new Map<number, { readonly digest: string; readonly records: readonly string[] }>()
  const twice: string[] = []
  let serves: Transfer | undefined
  let ports: readonly number[] = []
  const over = new AbortController()
  const note = (transfer: Transfer): void => {
    const digest = createHash('sha256').update(transfer.records.join('\n')).digest('hex')
    const known = contents.get(transfer.serial)
    if (known === undefined) contents.set(transfer.serial, { digest, records: transfer.records })
    else if (known.digest !== digest) {
      const gone = known.records.filter((one) => !transfer.records.includes(one))
      const come = transfer.records.filter((one) => !known.records.includes(one))
      twice.push(`${transfer.serial}: ${gone.join(', ')} and ${come.join(', ')}`)
      contents.set(transfer.serial, { digest, records: transfer.records })
    }
    if (serves === undefined || isNewer(transfer.serial, serves.serial)) serves = transfer
  }
  const responder = await startResponder('own', (name) => (name === zone ? serves?.serial : undefined))
  const running = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const port = ports[n % Math.max(1, ports.length)]
      const transfer = port === undefined ? undefined : await fetched(zone, port).catch(() => undefined)
      if (transfer === undefined) await sleep(20)
      else note(transfer)
    }
  })()
  return {
    port: responder.port,
    from: (dns) => (ports = dns),
    twice: () => twice,
    seen: () => contents.size,
    serves: () => serves,
    close: async () => {
      over.abort()
      await running
      responder.close()
    },
  }
}

/** An AXFR; undefined if it is refused, or its end does not come. */
export async function fetched(zone: string, port: number): Promise<Transfer | undefined> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    const messages: Buffer[] = []
    let soas = 0
    const done = new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      onMessages(socket, (message) => {
        messages.push(Buffer.from(message))
        const answers = parseResponse(message)?.answers ?? []
        soas += answers.filter(({ type }) => type === RR_TYPES.SOA).length
        if (soas === 2 || answers.length === 0) resolve()
      })
    })
    const question = wire({ name: zone, type: RR_TYPES.AXFR, id: Math.floor(Math.random() * 65_536) })
    socket.write(framed(signTsig(question, keyOf('own'), { now: secondsNow() }).message))
    await done
    if (soas !== 2) return undefined
    const records: string[] = []
    let serial = 0
    for (const message of messages)
      for (const record of parseResponse(message)?.answers ?? [])
        if (record.type === RR_TYPES.SOA) serial = soaSerial(message, record) ?? 0
        else
          records.push(
            `${record.name} ${record.type} ${record.ttl} ${message.subarray(record.rdataAt, record.end).toString('hex')}`,
          )
    return { serial, records: records.toSorted() }
  } finally {
    socket.destroy()
  }
}
